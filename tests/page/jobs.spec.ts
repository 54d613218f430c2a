import { expect, expectNoBarriers, test } from "./fixtures";
import { eventually } from "./server";

test.describe.configure({ mode: "serial" });

test("a job's state moves in its row, without a reload", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/jobs`);
  const id = await server.submit("name: live-row\nrun: sleep 600\n");
  const row = page.getByRole("row", { name: "live-row" });
  await expect(row).toContainText("运行中");
  await server.call("POST", `/api/v1/jobs/${id}/stop`);
  await expect(row).toContainText("已停止");
});

test("search and filters live in the address, survive a reload, and Back undoes them", async ({
  signedIn: page,
  server,
}) => {
  const ids = await Promise.all(
    ["alpha-one", "alpha-two", "beta-one"].map((name) =>
      server.submit(`name: ${name}\nrun: ${name.includes("two") ? "exit 3" : "echo hi"}\n`),
    ),
  );
  for (const id of ids) await server.waitFor(id, "succeeded", "failed");
  await page.goto(`${server.url}/jobs`);
  await expect(page.getByRole("row", { name: "beta-one" })).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("alpha");
  await expect(page).toHaveURL(/q=alpha/);
  await expect(page.getByRole("row", { name: "beta-one" })).toBeHidden();
  await page.getByRole("button", { name: /^失败/ }).click();
  await expect(page).toHaveURL(/state=failed/);
  await expect(page.getByRole("row", { name: "alpha-two" })).toContainText("退出码 3");
  await expect(page.getByRole("row", { name: "alpha-one" })).toBeHidden();
  await page.reload();
  await expect(page.getByRole("row", { name: "alpha-two" })).toBeVisible();
  await expect(page.getByRole("searchbox", { name: "按名称搜索" })).toHaveValue("alpha");
  await page.goBack();
  await expect(page.getByRole("row", { name: "alpha-one" })).toBeVisible();
  await page.goto(`${server.url}/jobs?q=nothing-has-this-name&state=foo`);
  await expect(page.getByText("没有符合条件的作业")).toBeVisible();
  await expect(page.getByText("已忽略 state=foo")).toBeVisible();
  await page.getByRole("button", { name: "清除筛选" }).click();
  await expect(page.getByRole("row", { name: "beta-one" })).toBeVisible();
});

test("a view is kept under its name", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/jobs?state=failed`);
  await page.getByRole("button", { name: "视图" }).click();
  await page.getByRole("menuitem", { name: "保存为视图" }).click();
  await page.getByRole("dialog").getByLabel("视图名称").fill("我的失败");
  await expectNoBarriers(page, "naming a view");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeHidden();
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("button", { name: "视图" }).click();
  await page.getByRole("menuitem", { name: "我的失败", exact: true }).click();
  await expect(page).toHaveURL(/state=failed/);
});

test("columns are chosen and remembered", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/jobs`);
  await page.getByRole("button", { name: "列与密度" }).click();
  await page.getByRole("checkbox", { name: "退出码" }).check();
  await page.getByRole("checkbox", { name: "工作空间" }).uncheck();
  await expectNoBarriers(page, "columns");
  await page.keyboard.press("Escape");
  await page.reload();
  await expect(page.getByRole("columnheader", { name: "退出码" })).toBeVisible();
  await expect(page.getByRole("columnheader", { name: "工作空间" })).toBeHidden();
});

test("bulk delete says first what it can and cannot do, then does it", async ({ signedIn: page, server }) => {
  const ended = await Promise.all([1, 2, 3].map((n) => server.submit(`name: bulk-done-${n}\nrun: "true"\n`)));
  const live = await server.submit("name: bulk-live\nrun: sleep 600\n");
  for (const id of ended) await server.waitFor(id, "succeeded");
  await server.waitFor(live, "running");
  await page.goto(`${server.url}/jobs?q=bulk-`);
  await expect(page.getByRole("row", { name: "bulk-live" })).toContainText("运行中");
  await page.getByRole("checkbox", { name: "全选已加载的" }).check();
  await expect(page.getByText("已选 4 个")).toBeVisible();
  await page.getByRole("toolbar").getByRole("button", { name: "删除" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("3 个会被删除");
  await expect(dialog).toContainText("1 个不会删除，因为还没有结束：bulk-live");
  await expectNoBarriers(page, "bulk dialog");
  await dialog.getByRole("button", { name: "删除 3 个作业" }).click();
  await expect(dialog).toContainText("成功 3 个，失败 0 个。");
  await dialog.getByRole("button", { name: "关闭", exact: true }).last().click();
  await expect(page.getByRole("row", { name: "bulk-done-1" })).toBeHidden();
  await expect(page.getByRole("row", { name: "bulk-live" })).toBeVisible();
});

test("stopping by the row's menu asks, stops, and the event names who did it", async ({ signedIn: page, server }) => {
  const id = await server.submit("name: stop-me\nrun: sleep 600\n");
  await server.waitFor(id, "running");
  await page.goto(`${server.url}/jobs?q=stop-me`);
  await page.getByRole("button", { name: "stop-me 的操作" }).click();
  await page.getByRole("menuitem", { name: "停止", exact: true }).click();
  await expect(page.getByRole("dialog")).toContainText("停止 stop-me？");
  await page.getByRole("dialog").getByRole("button", { name: "停止" }).click();
  await expect(page.getByRole("row", { name: "stop-me" })).toContainText("已停止");
  await page.goto(`${server.url}/jobs/${id}/events`);
  await expect(page.getByRole("row", { name: /正在停止|停止/ }).first()).toContainText("admin");
});

test("by keyboard alone: move, tick, open, and back", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/jobs?q=alpha`);
  await page.getByRole("row", { name: "alpha-one" }).focus();
  await page.keyboard.press("k");
  await page.keyboard.press("k");
  await page.keyboard.press("Space");
  await expect(page.getByText("已选 1 个")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("已选 1 个")).toBeHidden();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: /alpha-/ })).toBeVisible();
});

test("new jobs wait behind a pill while the list is scrolled", async ({ signedIn: page, server }) => {
  await Promise.all(Array.from({ length: 40 }, (_, n) => server.submit(`name: fill-${n}\nrun: "true"\n`)));
  await page.goto(`${server.url}/jobs`);
  const grid = page.getByRole("grid");
  await expect(grid.getByRole("row").nth(3)).toBeVisible();
  await grid.evaluate((box) => box.scrollTo({ top: 600 }));
  await expect.poll(() => grid.evaluate((box) => box.scrollTop)).toBeGreaterThan(300);
  const id = await server.submit('name: newcomer\nrun: "true"\n');
  await page.getByRole("button", { name: /个新作业/ }).click();
  await expect(page.getByRole("row", { name: "newcomer" })).toBeVisible();
  await server.waitFor(id, "succeeded");
});

test("deleting an ended job by its page leads back to the list", async ({ signedIn: page, server }) => {
  const id = await server.submit('name: goner\nrun: "true"\n');
  await server.waitFor(id, "succeeded");
  await page.goto(`${server.url}/jobs/${id}`);
  await page.getByRole("button", { name: "更多操作" }).click();
  await page.getByRole("menuitem", { name: "删除" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "删除" }).click();
  await expect(page).toHaveURL(`${server.url}/jobs`);
  await eventually("the job is gone", () =>
    server.state(id).then(
      () => false,
      () => true,
    ),
  );
  await page.goto(`${server.url}/jobs/${id}`);
  await expect(page.getByRole("heading", { name: "没有这个作业" })).toBeVisible();
});
