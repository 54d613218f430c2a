import type { Page } from "@playwright/test";
import { expect, expectNoBarriers, test } from "./fixtures";
import { ended, type Server } from "./server";

interface Spec {
  name: string;
  env?: Record<string, string>;
  roles: Array<{
    name: string;
    count?: number;
    env?: Record<string, string>;
    command?: { script?: string };
    resources?: { memory?: number; cpu_milli?: number };
    mounts?: unknown[];
    ports?: unknown[];
  }>;
}

const jobOf = (page: Page) => /\/jobs\/([0-9a-z]{32})/.exec(page.url())?.[1] ?? "";
const specOf = (server: Server, id: string) => server.call<Spec>("GET", `/api/v1/jobs/${id}/spec?format=json`);
const jobsNamed = async (server: Server, name: string) =>
  (
    await server.call<{ jobs: Array<{ id: string; name: string }> }>("GET", `/api/v1/jobs?name=${name}&limit=100`)
  ).jobs.filter((job) => job.name === name);

/** The whole text of the editor: it draws only the lines that are seen, so it is read from the preview. */
async function fileText(page: Page): Promise<string> {
  await page.getByRole("button", { name: "配置文件" }).click();
  return (await page.locator(".preview pre").textContent()) ?? "";
}

async function openEditor(page: Page, server: Server): Promise<void> {
  await page.goto(`${server.url}/jobs/new?mode=editor`);
  await expect(page.getByRole("textbox", { name: /^作业文件/ })).toBeAttached({ timeout: 60_000 });
}

async function writeText(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: /^作业文件/ }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

const importFile = (page: Page, name: string, text: string) =>
  page.locator("input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

test.describe("the form", () => {
  test.use({ viewport: { width: 1280, height: 900 } });

  test("four fields are enough, and the keyboard too", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/jobs/new`);
    const name = page.getByLabel("作业名称");
    await expect(page.getByLabel("运行命令")).toHaveValue("sleep infinity");
    await expect(page.getByText("此命令不会自己结束")).toBeVisible();
    await expect(page.getByText(/现在可以开始/)).toBeVisible();
    await name.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("by-keyboard");
    await page.getByLabel("运行命令").focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("echo from the form");
    await expectNoBarriers(page, "basic form");
    await page.keyboard.press("Control+Enter");
    await expect(page.getByRole("heading", { name: "by-keyboard" })).toBeVisible();
    const id = jobOf(page);
    await server.waitFor(id, "succeeded");
    expect(await server.call<string>("GET", `/api/v1/jobs/${id}/logs`)).toContain("from the form");
  });

  test("says when it would start, what keeps it, and applies what would help", async ({ signedIn: page, server }) => {
    const holder = await server.submit(
      "name: forecast-holder\nrun: sleep 600\ncpus: 60\nmemory: 64MB\ntime_limit: 1h\n",
    );
    await server.waitFor(holder, "running");
    await page.goto(`${server.url}/jobs/new?mode=basic`);
    const preview = page.getByRole("region", { name: "预览" });
    await expect(preview).toContainText("现在可以开始");
    await page.getByLabel("每个任务的 CPU 核数").fill("30");
    await expect(preview).toContainText(/约 .* 开始/);
    await expect(preview).toContainText("需要同时有 30 核 CPU");
    await page.getByLabel("每个任务的 CPU 核数").fill("900");
    await expect(preview.getByRole("alert")).toContainText("永远无法满足");
    await preview.getByRole("button", { name: "采用" }).click();
    await expect(preview).toContainText("现在可以开始");
    await expect(page.getByLabel("每个任务的 CPU 核数")).not.toHaveValue("900");
    await server.call("DELETE", `/api/v1/jobs/${holder}?force=true`);
  });

  test("a script of many lines runs byte for byte as it was written", async ({ signedIn: page, server }) => {
    const script = [
      "set -e",
      "for i in 1 2 3; do",
      "  echo line $i",
      "done",
      "cat <<'EOF'",
      "  key: value # no comment",
      "\ttab",
      "EOF",
      "if true; then",
      "  echo yes",
      "fi",
      "",
      "echo 'the end'",
    ].join("\n");
    await page.goto(`${server.url}/jobs/new`);
    await page.getByLabel("作业名称").fill("thirteen-lines");
    await page.getByLabel("运行命令").fill(script);
    await page.getByRole("button", { name: "提交", exact: true }).click();
    await expect(page.getByRole("heading", { name: "thirteen-lines" })).toBeVisible();
    const id = jobOf(page);
    await server.waitFor(id, "succeeded");
    expect((await specOf(server, id)).roles[0]?.command?.script).toBe(script);
    expect(await server.call<string>("GET", `/api/v1/jobs/${id}/logs`)).toContain(
      "line 1\nline 2\nline 3\n  key: value # no comment\n\ttab\nyes\nthe end",
    );
  });

  test("professional mode loses nothing when it is left", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/jobs/new`);
    await page.getByRole("button", { name: "专业模式" }).click();
    await page.getByLabel("作业名称").fill("professional");
    await page.getByLabel("运行命令").fill("env | grep LEVEL");
    await page.getByLabel("每个任务的内存").fill("3GB");
    await page.getByLabel("每个任务的 CPU 核数").fill("0.5");
    await page.getByRole("button", { name: "添加变量" }).click();
    await page.getByLabel("环境变量 1 变量名").fill("LEVEL");
    await page.getByLabel("环境变量 1 值").fill("expert");
    await page.getByRole("button", { name: "添加端口" }).click();
    await page.getByLabel("端口 1 名称").fill("web");
    await expectNoBarriers(page, "professional form");
    await page.getByRole("button", { name: "基本", exact: true }).click();
    await expect(page.getByText("另有 2 项专业设置")).toBeVisible();
    await page.getByRole("button", { name: "提交", exact: true }).click();
    await expect(page.getByRole("heading", { name: "professional" })).toBeVisible();
    const spec = await specOf(server, jobOf(page));
    expect({ ...spec.env, ...spec.roles[0]?.env }).toMatchObject({ LEVEL: "expert" });
    expect(spec.roles[0]?.resources).toMatchObject({ memory: 3 * 2 ** 30, cpu_milli: 500 });
    expect(spec.roles[0]?.ports).toMatchObject([{ label: "web" }]);
  });

  test("several roles, each with its own numbers; faults stand at their field", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/jobs/new`);
    await page.getByRole("button", { name: "添加任务角色" }).click();
    await expect(page.getByRole("button", { name: "worker", exact: true })).toHaveAttribute("aria-pressed", "true");
    await page.getByLabel("每个任务的 CPU 核数").fill("lots");
    await expect(page.locator(".field-fault").first()).toBeVisible();
    await expect(page.getByLabel("每个任务的 CPU 核数")).toHaveAttribute("aria-invalid", "true");
    await page.getByLabel("每个任务的 CPU 核数").fill("1");
    await expect(page.locator(".field-fault")).toHaveCount(0);
    await expect(page.getByText("2 个任务角色 · 3 个任务")).toBeVisible();
    await page.getByLabel("每个任务的 CPU 核数").fill("999");
    await expect(page.getByRole("alert").filter({ hasText: "永远无法满足" })).toContainText("999 核 CPU");
  });

  test("a clone begins with the file it came from and the next name", async ({ signedIn: page, server }) => {
    const id = await server.submit("# kept\nname: origin\nrun: echo cloned\n");
    await server.waitFor(id, ...ended);
    await page.goto(`${server.url}/jobs/new?from=${id}`);
    await expect(page.getByLabel("作业名称")).toHaveValue("origin-2");
    expect(await fileText(page)).toBe("# kept\nname: origin-2\nrun: echo cloned\n");
    await page.getByRole("button", { name: "提交", exact: true }).click();
    await expect(page.getByRole("heading", { name: "origin-2" })).toBeVisible();
    await page.goto(`${server.url}/jobs/new?from=nothing-like-this`);
    await expect(page.getByRole("alert")).toContainText("没有找到");
  });

  test("a lost connection submits once; what was written survives the tab", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/jobs/new`);
    await page.getByLabel("作业名称").fill("only-once");
    await page.getByLabel("运行命令").fill("echo once");
    await page.waitForFunction(() =>
      Object.keys(localStorage).some(
        (key) => key.startsWith("ty.draft.") && localStorage.getItem(key)?.includes("echo once"),
      ),
    );
    await page.reload();
    await page.getByRole("button", { name: /恢复草稿/ }).click();
    await expect(page.getByLabel("作业名称")).toHaveValue("only-once");
    let cut = true;
    await page.route("**/api/v1/jobs", async (route) => {
      if (route.request().method() !== "POST" || !cut) return route.continue();
      cut = false;
      // The server hears it; the browser never hears the server.
      await route.fetch();
      return route.abort();
    });
    await page.getByRole("button", { name: "提交", exact: true }).click();
    await expect(page.getByText(/正在核对/)).toBeVisible();
    await expect(page.getByRole("heading", { name: "only-once" })).toBeVisible();
    expect(await jobsNamed(server, "only-once")).toHaveLength(1);
  });
});

test.describe("without room for the preview", () => {
  test.use({ viewport: { width: 1100, height: 800 } });
  test("the configuration is confirmed first, and cancelling keeps the form", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/jobs/new`);
    await page.getByLabel("作业名称").fill("confirmed");
    await page.getByLabel("运行命令").fill("echo sure");
    await page.getByRole("button", { name: "提交", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("确认配置");
    await expect(dialog).toContainText("1 个任务角色");
    await expectNoBarriers(page, "confirm dialog");
    await dialog.getByRole("button", { name: "取消" }).click();
    await expect(page.getByLabel("作业名称")).toHaveValue("confirmed");
    await page.getByRole("button", { name: "提交", exact: true }).click();
    await dialog.getByRole("button", { name: "确认提交" }).click();
    await expect(page.getByRole("heading", { name: "confirmed" })).toBeVisible();
    expect(await jobsNamed(server, "confirmed")).toHaveLength(1);
  });
});

test.describe("the editor", () => {
  test.use({ viewport: { width: 1280, height: 900 } });

  test("faults at their line, a fix by one click, and the form keeps comments", async ({ signedIn: page, server }) => {
    await openEditor(page, server);
    await writeText(page, "# first try\nname: edited # by hand\nrun: echo hi\nmemroy: 3GB\n");
    const problems = page.getByRole("region", { name: "问题" });
    await expect(problems).toContainText("第 4 行");
    await expect(problems).toContainText("未知的键；是不是 memory？");
    await problems.getByRole("button", { name: "改为 memory" }).click();
    await expect(problems).toContainText("没有问题");
    await expectNoBarriers(page, "editor");
    await page.getByRole("button", { name: "基本", exact: true }).click();
    await page.getByLabel("作业名称").fill("edited-2");
    expect(await fileText(page)).toBe("# first try\nname: edited-2 # by hand\nrun: echo hi\nmemory: 3GB\n");
  });

  test("what fits is offered by the schema", async ({ signedIn: page, server }) => {
    await openEditor(page, server);
    await writeText(page, "name: a\nrun: echo\npri");
    await page.keyboard.press("Control+Space");
    const list = page.locator(".suggest-widget");
    await expect(list).toContainText("priority");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Control+Space");
    await expect(list).toContainText("urgent");
    await page.keyboard.press("Escape");
    await page.keyboard.insertText("high\n");
    await expect(page.getByRole("region", { name: "问题" })).toContainText("没有问题");
    expect(await fileText(page)).toBe("name: a\nrun: echo\npriority: high\n");
  });

  test("files are opened by the picker and by dropping; several documents are several jobs", async ({
    signedIn: page,
    server,
  }) => {
    await page.goto(`${server.url}/jobs/new`);
    await expect(page.getByLabel("作业名称")).toBeVisible();
    await importFile(page, "one.json", '{"name": "imported", "run": "echo hi", "gpus": 0}');
    await expect(page.getByLabel("作业名称")).toHaveValue("imported");
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["name: first\nrun: echo 1\n---\nname: second\nrun: echo 2\n"], "two.yaml"));
      return transfer;
    });
    await page.getByRole("main").dispatchEvent("drop", { dataTransfer: data });
    await expect(page.getByText("此文件包含 2 个作业")).toBeVisible();
    expect(await jobsNamed(server, "first")).toHaveLength(0);
    await page.getByRole("button", { name: "提交 2 个作业" }).click();
    await expect(page.getByRole("heading", { name: "作业管理" })).toBeVisible();
    expect(await jobsNamed(server, "first")).toHaveLength(1);
    expect(await jobsNamed(server, "second")).toHaveLength(1);
  });

  test("an OpenPAI file is taken as it is", async ({ signedIn: page, server }) => {
    await openEditor(page, server);
    const pai = {
      jobName: "from-scm",
      image: "python:3.12",
      taskRoles: [
        { name: "main", taskNumber: 1, cpuNumber: 1, memoryMB: 512, gpuNumber: 0, command: "echo hello from v1" },
      ],
    };
    await importFile(page, "job.json", JSON.stringify(pai, null, 2));
    await expect(page.getByText("OpenPAI v1（SCM）（自动识别）")).toBeVisible();
    await expect(page.getByText("1 个任务角色 · 1 个任务")).toBeVisible();
    await page.getByRole("button", { name: "提交", exact: true }).click();
    await expect(page.getByRole("heading", { name: "from-scm" })).toBeVisible();
    expect(JSON.parse(await server.call<string>("GET", `/api/v1/jobs/${jobOf(page)}/spec`))).toEqual(pai);
  });

  test("comes only when it is opened, and stays within its budget", async ({ signedIn: page, server }) => {
    const weights = new Map<string, number>();
    page.on("requestfinished", (request) => {
      if (request.url().includes("/assets/"))
        void request.sizes().then((sizes) => weights.set(request.url(), sizes.responseBodySize));
    });
    // The event stream never ends, so the network is never idle; scripts have come when no more of them come.
    const settled = () =>
      expect
        .poll(async () => {
          const before = weights.size;
          await page.waitForTimeout(1_500);
          return before > 0 && weights.size === before;
        })
        .toBe(true);
    const total = () => [...weights].filter(([url]) => url.endsWith(".js")).reduce((sum, [, bytes]) => sum + bytes, 0);
    await page.goto(`${server.url}/jobs/new?mode=basic`);
    await expect(page.getByText(/现在可以开始/)).toBeVisible();
    await settled();
    const form = total();
    console.log("submit form:", form);
    expect(form).toBeLessThanOrEqual(350_000);
    await page.getByRole("button", { name: "编辑 JSON/YAML" }).click();
    await expect(page.getByRole("textbox", { name: /^作业文件/ })).toBeAttached({ timeout: 60_000 });
    await settled();
    console.log("editor:", total() - form);
    expect(total() - form).toBeLessThanOrEqual(820_000);
  });
});

test.describe("on a telephone", () => {
  test.use({ viewport: { width: 390, height: 844 }, choice: { language: "en", theme: "dark" } });
  test("the file is a plain text field with the same faults", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/jobs/new?mode=editor`);
    await page.getByRole("textbox", { name: "Job file" }).fill("name: small\nrun: echo hi\nrunn: x\n");
    await expect(page.getByRole("region", { name: "Problems" })).toContainText("Line 3");
    await page.getByRole("button", { name: "Change to run" }).click();
    await page.getByRole("textbox", { name: "Job file" }).fill("name: small\nrun: echo hi\n");
    await expect(page.getByRole("region", { name: "Problems" })).toContainText("No problems");
    await page.getByRole("button", { name: "Submit", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click();
    await expect(page.getByRole("heading", { name: "small" })).toBeVisible();
  });
});
