import { expect, expectNoBarriers, remember, test, type Choice } from "./fixtures";
import { Server } from "./server";

test("the first minute: the sample job from the overview, its log, its end", async ({ page }) => {
  const server = await new Server().start();
  try {
    await page.context().addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
    await remember(page, {});
    await page.goto(server.url);
    await page.getByRole("button", { name: "运行示例作业" }).click();
    await expect(page.getByRole("region", { name: "最新日志" })).toContainText("loss");
    // The curve grows out of the log while the lines arrive.
    await expect(page.getByRole("region", { name: "训练曲线" }).getByRole("img", { name: /^loss：/ })).toBeVisible();
    await expect(page.getByRole("region", { name: "训练曲线" }).getByRole("img", { name: /^acc：/ })).toBeVisible();
    await expect(page.getByRole("region", { name: "最新日志" })).toContainText("done", { timeout: 60_000 });
    await expect(page.getByRole("img", { name: /^loss：40 个点/ })).toBeVisible();
    await expect(page).toHaveTitle(/成功/);
    await page.getByRole("link", { name: "Trainyard", exact: true }).click();
    await expect(page.getByRole("region", { name: "我的作业" })).toContainText("sample");
    await page.getByRole("button", { name: /通知，\d+ 条未读/ }).click();
    await expect(page.getByRole("dialog")).toContainText("sample");
  } finally {
    await server.destroy();
  }
});

test("a lost server is said, and heals by itself without a gap", async ({ page }) => {
  const server = await new Server().start();
  try {
    await page.context().addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
    await remember(page, {});
    const id = await server.submit("name: survivor\nrun: sleep 600\n");
    await server.waitFor(id, "running");
    await page.goto(`${server.url}/jobs`);
    await expect(page.getByRole("row", { name: "survivor" })).toContainText("运行中");
    await server.stop();
    await expect(page.getByText(/实时更新中断/)).toBeVisible();
    await server.start();
    await expect(page.getByText(/实时更新中断/)).toBeHidden({ timeout: 60_000 });
    await server.call("POST", `/api/v1/jobs/${id}/stop`);
    await expect(page.getByRole("row", { name: "survivor" })).toContainText("已停止", { timeout: 60_000 });
  } finally {
    await server.destroy();
  }
});

test("many tabs share one event stream", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/jobs`);
  const others = await Promise.all(Array.from({ length: 7 }, () => page.context().newPage()));
  for (const other of others) {
    await other.goto(`${server.url}/jobs`);
    await expect(other.getByRole("heading", { name: "作业管理" })).toBeVisible();
  }
  const id = await server.submit("name: seen-by-all\nrun: echo here\n");
  await server.waitFor(id, "succeeded");
  for (const other of others) await expect(other.getByRole("row", { name: "seen-by-all" })).toContainText("成功");
});

test("the palette finds pages by the words of older systems, jobs by name and id, and asks before it stops", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit("name: palette-job\nrun: sleep 600\n");
  await server.waitFor(id, "running");
  await page.goto(`${server.url}/jobs/${id}`);
  await expect(page.getByRole("heading", { name: "palette-job" })).toBeVisible();
  const box = page.getByRole("combobox", { name: "搜索与命令" });
  for (const [words, target] of [
    ["虚拟集群", "队列"],
    ["训练任务", "作业管理"],
    ["zy", "作业管理"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await box.fill(words);
    await expect(page.getByRole("option", { name: target })).toHaveAttribute("aria-selected", "true");
    await page.keyboard.press("Escape");
    await expect(box).toBeHidden();
  }
  await page.keyboard.press("Control+k");
  await box.fill(id.slice(0, 8));
  await expect(page.getByRole("option", { name: /palette-job/ }).first()).toBeVisible();
  await expectNoBarriers(page, "palette");
  await box.fill("> 停止");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").filter({ hasText: "停止 palette-job？" })).toBeVisible();
  await page
    .getByRole("dialog")
    .filter({ hasText: "停止 palette-job？" })
    .getByRole("button", { name: "停止" })
    .click();
  await server.waitFor(id, "cancelled");
});

test("a session that ended asks for the password above the page and goes on", async ({ page, server }) => {
  await server.user("wangwu", "a good long password");
  await page.addInitScript(() => localStorage.setItem("ty.language", "zh"));
  await page.goto(`${server.url}/signin?from=%2Fqueue`);
  await page.getByLabel("账号").fill("wangwu");
  await page.getByLabel("密码", { exact: true }).fill("a good long password");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "队列", exact: true })).toBeVisible();
  await page.context().clearCookies();
  await server.submit("name: noise\nrun: echo so that something happens\n");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("登录已过期");
  await dialog.getByLabel("wangwu 的密码").fill("a good long password");
  await page.keyboard.press("Enter");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("heading", { name: "队列", exact: true })).toBeVisible();
});

test("an error has a face with a way on, and an unknown address says so", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/nowhere/at/all`);
  await expect(page.getByRole("heading", { name: "页面不存在" })).toBeVisible();
  let broken = true;
  await page.route("**/api/v1/jobs?*", (route) =>
    broken
      ? route.fulfill({
          status: 500,
          contentType: "application/json",
          body: '{"code":"internal","message":"the store is on fire","details":[],"request_id":"r-17"}',
        })
      : route.continue(),
  );
  await page
    .getByRole("navigation", { name: "主导航" })
    .getByRole("link", { name: /作业管理/ })
    .click();
  await expect(page.getByRole("alert")).toContainText("出错了，不是你的问题");
  await expect(page.getByRole("alert")).toContainText("r-17");
  broken = false;
  await page.getByRole("button", { name: "重试" }).click();
  await expect(page.getByRole("alert")).toBeHidden();
});

test("a style sheet that does not get through at first is asked for again, and the page is there meanwhile", async ({
  signedIn: page,
  server,
}) => {
  await page.goto(`${server.url}/jobs`);
  await expect(page.getByRole("heading", { name: "作业管理" })).toBeVisible();
  let lost = 0;
  await page.route("**/assets/*.css", (route) => (++lost <= 2 ? route.abort("connectionreset") : route.continue()));
  await page
    .getByRole("navigation", { name: "主导航" })
    .getByRole("link", { name: /节点与显卡/ })
    .click();
  const map = page.getByRole("list", { name: "地图" });
  await expect(map).toBeVisible();
  await expect.poll(() => map.evaluate((list) => getComputedStyle(list).display)).toBe("grid");
  expect(lost).toBeGreaterThan(2);
});

const looks: Array<Required<Choice> & { width: number }> = [
  { language: "zh", theme: "light", width: 1280 },
  { language: "en", theme: "dark", width: 1280 },
  { language: "zh", theme: "dark", width: 360 },
  { language: "en", theme: "contrast", width: 360 },
];
for (const { width, ...choice } of looks) {
  test.describe(`every page in ${choice.language}, ${choice.theme}, ${width} px`, () => {
    test.use({ choice, viewport: { width, height: 780 } });
    test("has no barriers and never scrolls sideways", async ({ signedIn: page, server }) => {
      const id = await server.submit("name: for-axe\nrun: echo hello; exit 4\n");
      await server.waitFor(id, "failed");
      for (const path of [
        "/",
        "/jobs",
        `/jobs/${id}`,
        `/jobs/${id}/tasks`,
        `/jobs/${id}/logs`,
        `/jobs/${id}/curves`,
        `/jobs/${id}/monitor`,
        `/jobs/${id}/events`,
        `/jobs/${id}/config`,
        "/me/profile",
        "/setup",
        "/nowhere",
      ]) {
        await page.goto(server.url + path);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
        await expectNoBarriers(page, path);
        const sideways = await page.evaluate(
          () =>
            document.documentElement.scrollWidth -
            innerWidth +
            Math.max(
              0,
              (document.getElementById("main")?.scrollWidth ?? 0) - (document.getElementById("main")?.clientWidth ?? 0),
            ),
        );
        expect(sideways, `${path} at ${width} px`).toBeLessThanOrEqual(0);
      }
    });
  });
}
