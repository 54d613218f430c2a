import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, expectNoBarriers, remember, test } from "./fixtures";
import { eventually, Server } from "./server";

const PASSWORD = "a good long password";

/** A page of somebody who has signed in by password. */
async function signInAs(page: Page, server: Server, name: string): Promise<string> {
  await server.user(name, PASSWORD);
  const { token } = await server.call<{ token: string }>("POST", "/api/v1/login", { user: name, password: PASSWORD });
  await page.context().addCookies([{ name: "trainyard_session", value: token, url: server.url }]);
  await remember(page, {});
  return token;
}

test.describe("sessions", () => {
  test.use({ viewport: { width: 1280, height: 900 } });

  test("a session that ends while a form is filled keeps every word, and the form is handed in", async ({
    page,
    server,
  }) => {
    await signInAs(page, server, "formfiller");
    await page.goto(`${server.url}/jobs/new`);
    await page.getByLabel("作业名称").fill("kept-form");
    await page.getByLabel("运行命令").fill("echo written before the end");
    await page.context().clearCookies();
    await page.getByRole("button", { name: "提交", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("登录已过期");
    await dialog.getByLabel("formfiller 的密码").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await expect(dialog).toBeHidden();
    // What she had asked for goes on by itself.
    await expect(page.getByRole("heading", { name: "kept-form" })).toBeVisible();
    const id = /\/jobs\/([0-9a-z]{32})/.exec(page.url())?.[1] ?? "";
    await server.waitFor(id, "succeeded");
    expect(await server.call<string>("GET", `/api/v1/jobs/${id}/logs`)).toContain("written before the end");
  });

  test("who is frozen is asked to sign in at the next action, and told why it is refused", async ({ page, server }) => {
    await signInAs(page, server, "frozen");
    await page.goto(`${server.url}/queue`);
    await expect(page.getByRole("heading", { name: "队列", exact: true })).toBeVisible();
    await server.call("PUT", "/api/v1/users/frozen/disabled", { disabled: true });
    await page
      .getByRole("link", { name: /^作业管理/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("登录已过期");
    await dialog.getByLabel("frozen 的密码").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await expect(dialog.getByRole("alert")).toContainText("账号 frozen 已冻结");
  });

  test("another language keeps what was typed", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/jobs/new`);
    await page.getByLabel("作业名称").fill("two-tongues");
    await page.getByLabel("运行命令").fill("echo 你好");
    await page.getByRole("button", { name: /switch to English/ }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", "en");
    await expect(page.getByLabel("Job name")).toHaveValue("two-tongues");
    await expect(page.getByRole("textbox", { name: "Command" })).toHaveValue("echo 你好");
  });
});

test.describe("the list", () => {
  test("advanced search: states and a period, in the address, the same after a reload", async ({
    signedIn: page,
    server,
  }) => {
    for (const [name, run] of [
      ["adv-good", "echo"],
      ["adv-bad", "exit 4"],
    ] as const)
      await server.waitFor(
        await server.submit(`name: ${name}\nlabels: { team: vision }\nrun: ${run}\n`),
        "succeeded",
        "failed",
      );
    await page.goto(`${server.url}/jobs?q=adv-`);
    await page.getByRole("button", { name: "高级搜索" }).click();
    const box = page.getByRole("region", { name: "高级搜索" });
    await box.getByRole("checkbox", { name: "失败" }).click();
    await box.getByRole("combobox", { name: /最近提交/ }).selectOption("1h");
    await box.getByLabel("标签").fill("team=vision");
    await expect(page).toHaveURL(/state=failed/);
    await expect(page).toHaveURL(/since=1h/);
    await expect(page).toHaveURL(/tag=team%3Dvision/);
    await expect(page.getByRole("row", { name: "adv-bad" })).toBeVisible();
    await expect(page.getByRole("row", { name: "adv-good" })).toBeHidden();
    await expectNoBarriers(page, "advanced search");
    await page.reload();
    await expect(page.getByRole("row", { name: "adv-bad" })).toBeVisible();
    await expect(page.getByRole("row", { name: "adv-good" })).toBeHidden();
  });

  test("the file for a spreadsheet has exactly what the filter shows", async ({ signedIn: page, server }) => {
    for (const name of ["csv-1", "csv-2", "other-1"])
      await server.waitFor(await server.submit(`name: ${name}\nrun: echo\n`), "succeeded");
    await page.goto(`${server.url}/jobs?q=csv-`);
    await expect(page.getByRole("row", { name: "csv-1" })).toBeVisible();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "导出 CSV" }).click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trim()
      .split("\r\n");
    expect(lines[0]).toContain("handle");
    expect(
      lines
        .slice(1)
        .map((line) => line.split(",")[1])
        .sort(),
    ).toEqual(["csv-1", "csv-2"]);
  });
});

test.describe("a job's page", () => {
  test("its tasks get their place without a reload, and the exit code decides", async ({ signedIn: page, server }) => {
    const holder = await server.submit("name: room-holder\nrun: sleep 600\ncpus: 60\n");
    await server.waitFor(holder, "running");
    const id = await server.submit("name: placed-later\nrun: sleep 2; exit 9\ncpus: 30\n");
    await page.goto(`${server.url}/jobs/${id}/tasks`);
    await expect(page.getByRole("row", { name: /main-0/ })).toContainText("等待中");
    await server.call("DELETE", `/api/v1/jobs/${holder}?force=true`);
    const row = page.getByRole("row", { name: /main-0/ });
    await expect(row).toContainText("127.0.0.1");
    await expect(row).toContainText("失败");
    await expect(row).toContainText("9");
  });

  test("a job that reaches its time limit stops and says so", async ({ signedIn: page, server }) => {
    const id = await server.submit("name: out-of-time\nrun: sleep 600\ntime_limit: 3s\nstop_grace: 1s\n");
    await page.goto(`${server.url}/jobs/${id}`);
    await expect(page.getByRole("main")).toContainText("超过运行时限");
    await server.waitFor(id, "cancelled", "failed");
  });

  test("the task that failed first is opened first, and is marked", async ({ signedIn: page, server }) => {
    const id = await server.submit(
      "name: one-of-three\nroles:\n  worker: { count: 3, run: 'echo I am $TRAINYARD_INDEX; if [ $TRAINYARD_INDEX = 1 ]; then echo Traceback; exit 5; fi; sleep 600' }\n",
    );
    await server.waitFor(id, "failed");
    await page.goto(`${server.url}/jobs/${id}/logs`);
    await expect(page.getByLabel("任务", { exact: true })).toHaveValue("worker-1");
    await expect(page.getByRole("log")).toContainText("Traceback");
    await page.goto(`${server.url}/jobs/${id}/tasks`);
    await expect(page.getByRole("row", { name: /worker-1/ })).toContainText("最先失败");
  });

  test("tasks that fail again and again are one row with a count", async ({ signedIn: page, server }) => {
    const id = await server.submit("name: again-and-again\nrestart: 3\nrun: exit 6\n");
    await server.waitFor(id, "failed");
    await page.goto(`${server.url}/jobs/${id}/events`);
    const row = page.getByRole("row", { name: /任务重新启动/ });
    await expect(row).toHaveCount(1);
    await expect(row).toContainText("退出码 6");
    await expect(row.getByRole("cell").last()).toHaveText("3");
  });

  test("logs of an ended job are still there after the server was restarted", async ({ page }) => {
    const server = await new Server().start();
    try {
      await page.context().addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
      await remember(page, {});
      const id = await server.submit(
        "name: long-remembered\nretry: { count: 1, backoff: 1s }\nrun: echo said before the restart; exit 1\n",
      );
      await server.waitFor(id, "failed");
      await server.stop();
      await server.start();
      for (const attempt of ["", "?attempt=0"]) {
        await page.goto(`${server.url}/jobs/${id}/logs${attempt}`);
        await expect(page.getByRole("log")).toContainText("said before the restart");
      }
    } finally {
      await server.destroy();
    }
  });

  test("secrets of an OpenPAI file are masked everywhere, used by the task, and asked for by a clone", async ({
    signedIn: page,
    server,
  }) => {
    const file = [
      "protocolVersion: 2",
      "name: with_secret",
      "type: job",
      "prerequisites:",
      "  - { type: dockerimage, uri: 'alpine:3', name: img }",
      "secrets:",
      "  key: open-sesame-42",
      "taskRoles:",
      "  main:",
      "    instances: 1",
      "    dockerImage: img",
      "    resourcePerInstance: { cpu: 1, memoryMB: 64, gpu: 0 }",
      "    commands:",
      "      - 'test \"<% $secrets.key %>\" = open-sesame-42 && echo it fits'",
      "",
    ].join("\n");
    const id = await server.submit(file);
    await server.waitFor(id, "succeeded");
    await page.goto(`${server.url}/jobs/${id}/config`);
    await expect(page.getByLabel("原文", { exact: true })).toContainText("******");
    expect(await page.content()).not.toContain("open-sesame-42");
    await page.goto(`${server.url}/jobs/new?from=${id}`);
    await expect(page.getByLabel("作业名称")).toBeVisible();
    expect(await page.content()).not.toContain("open-sesame-42");
    await page.getByRole("button", { name: "提交", exact: true }).click();
    await expect(page.getByText("显示文件时这些值被遮住了；请重新写上")).toBeVisible();
  });
});

test.describe("who may do what", () => {
  test("somebody else's job can be looked at, and what may not be done says why", async ({ page, server }) => {
    const id = await server.submit("name: not-hers\nrun: sleep 600\n");
    await server.waitFor(id, "running");
    await signInAs(page, server, "reader");
    await page.goto(`${server.url}/jobs/${id}`);
    await expect(page.getByRole("heading", { name: "not-hers" })).toBeVisible();
    await expect(page.getByRole("button", { name: "停止", exact: true })).toBeDisabled();
    await expect(page.getByRole("button", { name: "停止", exact: true })).toHaveAttribute(
      "title",
      "只有所有者和管理员可以操作",
    );
    await page.getByRole("button", { name: "更多操作" }).click();
    await expect(page.getByRole("menuitem", { name: /删除/ })).toHaveAttribute("aria-disabled", "true");
    await page.keyboard.press("Escape");
    await page.goto(`${server.url}/nodes`);
    await expect(page.getByRole("button", { name: "排空" })).toBeHidden();
    await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
  });

  test("an administrator drains a machine by keyboard, sees what runs there, and takes it back", async ({ page }) => {
    const server = await new Server().start();
    try {
      await page.context().addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
      await remember(page, {});
      const id = await server.submit("name: runs-on\nrun: sleep 600\n");
      await server.waitFor(id, "running");
      await page.goto(`${server.url}/nodes`);
      await expect(page.getByRole("link", { name: "runs-on" })).toBeVisible();
      await page.getByRole("button", { name: "排空" }).focus();
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog");
      await expect(dialog).toContainText("runs-on");
      await expectNoBarriers(page, "drain dialog");
      await dialog.getByRole("button", { name: "排空" }).press("Enter");
      await expect(page.getByText("正在排空：不接新作业").first()).toBeVisible();
      const waits = await server.submit("name: finds-no-place\nrun: echo\n");
      await page.goto(`${server.url}/jobs/${waits}`);
      await expect(page.getByRole("region", { name: "为什么在等" })).toBeVisible();
      expect(await server.state(id)).toBe("running");
      await page.goto(`${server.url}/nodes`);
      await page.getByRole("button", { name: "恢复调度" }).click();
      await server.waitFor(waits, "succeeded");
    } finally {
      await server.destroy();
    }
  });
});

test("twenty tasks of a thousand points: the ten busiest, the others as one, and a crosshair", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit("name: many-lines\nroles:\n  worker: { count: 2, run: 'echo loss=1; sleep 600' }\n");
  await server.waitFor(id, "running");
  const start = Date.now() - 2_000_000;
  const tasks = Array.from({ length: 20 }, (_, n) => ({
    task: `worker-${n}`,
    attempt: 0,
    try: 0,
    cpus: 4,
    memory: 2 ** 32,
    latest: null,
    points: Array.from({ length: 1000 }, (_, i) => ({
      at: new Date(start + i * 2000).toISOString(),
      cpus: 2 + Math.sin(i / 50 + n),
      memory: 2 ** 30 + n * 2 ** 24 + i * 2 ** 18,
      processes: n + 3,
      gpus: [],
    })),
  }));
  await page.route("**/metrics?*", (route) => route.fulfill({ json: { tasks } }));
  await page.goto(`${server.url}/jobs/${id}/monitor`);
  const cpu = page.getByRole("region", { name: "CPU", exact: true });
  await expect(cpu.locator("canvas").first()).toBeVisible();
  // Ten of them and the others as one: more lines in one picture nobody can tell apart.
  await expect(cpu.getByRole("listitem")).toHaveCount(12);
  await expect(cpu).toContainText("其余合计");
  const box = await cpu.locator("canvas").first().boundingBox();
  await eventually("the crosshair is there", async () => {
    await page.mouse.move((box?.x ?? 0) + 200, (box?.y ?? 0) + 80);
    await page.mouse.move((box?.x ?? 0) + 210, (box?.y ?? 0) + 80);
    return cpu.locator(".chart-tip").isVisible();
  });
  await expect(cpu.locator(".chart-tip")).toContainText("worker-");
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});
