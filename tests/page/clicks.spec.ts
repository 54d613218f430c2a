import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./fixtures";
import type { Server } from "./server";

// Every task of the two older manuals that people do on a page, and that needs no terminal or notebook:
// from the overview, signed in, in at most three clicks. Typing, choosing a file and scrolling are no clicks.
const MOST = 3;

/** Somebody with a mouse, who counts. */
class Person {
  clicks = 0;
  constructor(
    readonly page: Page,
    readonly server: Server,
    readonly job: string,
  ) {}
  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    await target.click();
  }
  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", { name, exact: typeof name === "string" });
  }
  link(name: string | RegExp): Locator {
    return this.page.getByRole("link", { name, exact: typeof name === "string" });
  }
  /** The menu of the job's own row. */
  menu(): Promise<void> {
    return this.click(this.button(`${this.job} 的操作`).first());
  }
  choose(name: string): Promise<void> {
    return this.click(this.page.getByRole("menuitem", { name, exact: true }));
  }
}

const LONG = "stop_grace: 1s\nrun: |\n  for i in 1 2 3; do echo line $i; done\n  sleep 600\n";

const tasks: Array<{ name: string; job?: string; does: (who: Person) => Promise<void> }> = [
  // Seed manual of SCM, 6.1: submitting.
  {
    name: "submit by the form",
    does: async (who) => {
      await who.click(who.link("提交作业").first());
      await who.page.getByLabel("作业名称").fill("three-clicks");
      await who.page.getByRole("textbox", { name: "运行命令" }).fill("echo hi");
      await who.click(who.button("提交"));
      await expect(who.page.getByRole("heading", { name: "three-clicks" })).toBeVisible();
    },
  },
  {
    name: "ask for memory, CPUs, variables and storage in professional mode",
    does: async (who) => {
      await who.click(who.link("提交作业").first());
      await who.click(who.button("专业模式"));
      for (const label of ["每个任务的内存", "每个任务的 CPU 核数"])
        await expect(who.page.getByLabel(label)).toBeVisible();
      for (const label of ["环境变量", "存储挂载"])
        await expect(who.page.getByRole("group", { name: label })).toBeVisible();
    },
  },
  {
    name: "edit the file as JSON or YAML",
    does: async (who) => {
      await who.click(who.link("提交作业").first());
      await who.click(who.button("编辑 JSON/YAML"));
      await expect(who.page.getByRole("textbox", { name: /^作业文件/ })).toBeAttached({ timeout: 60_000 });
    },
  },
  {
    name: "import a JSON file",
    does: async (who) => {
      await who.click(who.link("提交作业").first());
      const chooser = who.page.waitForEvent("filechooser");
      await who.click(who.button("导入"));
      const file = {
        jobName: "imported_job",
        image: "pai/py:1",
        taskRoles: [{ name: "main", taskNumber: 1, cpuNumber: 1, memoryMB: 128, gpuNumber: 0, command: "echo hi" }],
      };
      await (
        await chooser
      ).setFiles({ name: "job.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(file)) });
      await expect(who.page.getByLabel("作业名称")).toHaveValue("imported_job");
      await who.click(who.button("提交"));
      await expect(who.page.getByRole("heading", { name: "imported_job" })).toBeVisible();
    },
  },
  // 6.2: managing.
  {
    name: "see who submitted which job when, how long it has run, and where it stands",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(/^作业管理/).first());
      const row = who.page.getByRole("row", { name: who.job });
      for (const text of ["运行中", "admin", "default"]) await expect(row).toContainText(text);
    },
  },
  {
    name: "stop a job",
    job: LONG,
    does: async (who) => {
      await who.menu();
      await who.choose("停止");
      await who.click(who.page.getByRole("dialog").getByRole("button", { name: "停止" }));
      await expect(who.page.getByText(`正在停止 ${who.job}`)).toBeVisible();
    },
  },
  {
    name: "delete a job",
    job: "run: echo hi\n",
    does: async (who) => {
      await who.menu();
      await who.choose("删除");
      await who.click(who.page.getByRole("dialog").getByRole("button", { name: "删除" }));
      await expect(who.page.getByText(`已删除 ${who.job}`)).toBeVisible();
    },
  },
  {
    name: "set how long a job may run",
    job: LONG,
    does: async (who) => {
      await who.menu();
      await who.choose("设定工作时长");
      await who.page
        .getByRole("dialog")
        .getByLabel(/运行时限/)
        .fill("2h");
      await who.click(who.page.getByRole("dialog").getByRole("button", { name: "保存" }));
      await expect(who.page.getByText(`${who.job} 的运行时限已更新`)).toBeVisible();
    },
  },
  {
    name: "clone a job and change it",
    job: "run: echo hi\n",
    does: async (who) => {
      await who.menu();
      await who.choose("克隆");
      await who.page.getByRole("textbox", { name: "运行命令" }).fill("echo changed");
      await who.click(who.button("提交"));
      await expect(who.page.getByRole("heading", { level: 1 })).toContainText(who.job);
    },
  },
  {
    name: "run a job again as it was",
    job: "run: echo hi\n",
    does: async (who) => {
      await who.menu();
      await who.choose("重新训练");
      await expect(who.page).toHaveURL(/\/jobs\/[0-9a-z]{20,}$/);
    },
  },
  {
    name: "open a job's details",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await expect(who.page.getByRole("heading", { name: who.job })).toBeVisible();
      await expect(who.page.getByRole("region", { name: "基本信息" })).toBeVisible();
    },
  },
  {
    name: "see the addresses and ports of its tasks",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await who.click(who.link(/^任务/).first());
      await expect(who.page.getByRole("row", { name: /main-0/ })).toContainText("127.0.0.1");
    },
  },
  {
    name: "see the job's JSON file, copy and save it",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await who.click(who.link("配置").first());
      await expect(who.page.getByLabel("原文", { exact: true })).toContainText("sleep 600");
      const saved = who.page.waitForEvent("download");
      await who.click(who.button("保存文件"));
      expect((await saved).suggestedFilename()).toBe(`${who.job}.yaml`);
    },
  },
  {
    name: "read its standard output while it runs",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(`${who.job} 的日志`).first());
      await expect(who.page.getByRole("log")).toContainText("line 3");
    },
  },
  {
    name: "view the full record from its first line",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(`${who.job} 的日志`).first());
      await who.click(who.button("观看完整的记录"));
      await expect(who.page).toHaveURL(/line=1/);
    },
  },
  {
    name: "download the log",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(`${who.job} 的日志`).first());
      await who.click(who.button("下载"));
      const saved = who.page.waitForEvent("download");
      await who.choose("下载 main-0");
      expect((await saved).suggestedFilename()).toMatch(/\.log|\.txt/);
    },
  },
  {
    name: "see what became of a job, step by step",
    job: "run: echo hi\n",
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await who.click(who.link("事件").first());
      await expect(who.page.getByRole("table")).toContainText("提交");
    },
  },
  {
    name: "watch the curves of its training",
    job: "run: for i in 1 2 3; do echo step $i loss 0.$i acc 0.9; done\n",
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await who.click(who.link("训练曲线").first());
      for (const name of ["loss", "acc"])
        await expect(who.page.getByRole("region", { name, exact: true })).toBeVisible();
    },
  },
  {
    name: "watch what a job uses",
    job: LONG,
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await who.click(who.link("作业监控").first());
      await expect(who.page.getByRole("region", { name: "内存", exact: true })).toBeVisible();
    },
  },
  {
    name: "drain a machine",
    does: async (who) => {
      await who.click(who.link(/^节点与显卡/).first());
      await who.click(who.button("排空"));
      await who.click(who.page.getByRole("dialog").getByRole("button", { name: "排空" }));
      await expect(who.page.getByText(/不再接新作业/)).toBeVisible();
      const { nodes } = await who.server.call<{ nodes: Array<{ name: string }> }>("GET", "/api/v1/nodes");
      for (const { name } of nodes) await who.server.call("PUT", `/api/v1/nodes/${name}/draining`, { draining: false });
    },
  },
  {
    name: "see why a job failed and mend it",
    job: "run: exit 3\n",
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await expect(who.page.getByRole("region", { name: "为什么失败" })).toContainText("退出码 3");
      await who.click(who.button("克隆并修改"));
      await who.page.getByRole("textbox", { name: "运行命令" }).fill("echo mended");
      await who.click(who.button("提交"));
      await expect(who.page.getByRole("heading", { level: 1 })).toContainText(who.job);
    },
  },
  {
    name: "see why a job waits and when it starts",
    job: "run: echo\ncpus: 900\n",
    does: async (who) => {
      await who.click(who.link(who.job).first());
      await expect(who.page.getByRole("region", { name: "为什么在等" })).toContainText("永远无法满足");
    },
  },
  // Seed manual of OpenPAI: an image of one's own registry.
  {
    name: "sign in to a private image registry",
    does: async (who) => {
      await who.click(who.link("个人设置").first());
      await who.page.getByLabel("仓库地址").fill("registry.example.com:5000");
      await who.page.getByLabel("用户名").fill("ann");
      await who.page.getByLabel("密码或访问令牌").fill("open sesame");
      await who.click(who.button("保存登录"));
      await expect(who.page.getByText("registry.example.com:5000", { exact: true })).toBeVisible();
      await expect(who.page.getByLabel("密码或访问令牌")).toHaveValue("");
      await who.click(who.button("删除 registry.example.com:5000 的登录"));
      await expect(who.page.getByText("registry.example.com:5000", { exact: true })).toBeHidden();
    },
  },
  {
    name: "get a token for the command line",
    does: async (who) => {
      await who.click(who.link("访问令牌").first());
      await who.click(who.button("创建令牌"));
      await who.page.getByRole("dialog").getByLabel("名称").fill("cli");
      await who.click(who.page.getByRole("dialog").getByRole("button", { name: "创建令牌" }));
      await expect(who.page.getByRole("dialog")).toContainText("只显示这一次");
    },
  },
];

test.describe("at most three clicks from the overview", () => {
  test.use({ viewport: { width: 1280, height: 900 } });
  tasks.forEach(({ name, job, does }, index) => {
    test(name, async ({ signedIn: page, server }) => {
      // A letter at its end: a clone is called after the next number.
      const handle = `clicks-${index}-x`;
      const id = job === undefined ? "" : await server.submit(`name: ${handle}\n${job}`);
      if (id) await server.waitFor(id, job === LONG ? "running" : "queued", "succeeded", "failed", "running");
      await page.goto(server.url);
      // Older jobs of other tests may stand before it: what people look for is among their latest.
      const who = new Person(page, server, handle);
      await does(who);
      expect(who.clicks, name).toBeLessThanOrEqual(MOST);
      if (id) await server.call("DELETE", `/api/v1/jobs/${id}?force=true`).catch(() => undefined);
    });
  });
});
