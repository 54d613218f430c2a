import { expect, expectNoBarriers, test, type Choice } from "./fixtures";

test("nodes: the map and the list agree, and a node opens", async ({ signedIn: page, server }) => {
  const id = await server.submit("name: on-a-node\nrun: sleep 600\ncpus: 2\n");
  await server.waitFor(id, "running");
  await page.goto(`${server.url}/nodes`);
  const tile = page.getByRole("list", { name: "地图" }).getByRole("button");
  await expect(tile).toHaveCount(1);
  await expect(tile).toHaveAccessibleName(/已用 [2-9]\/64 核/); // jobs of other tests may run beside it
  await tile.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("link", { name: "on-a-node" })).toBeVisible();
  const panel = page.locator(".node-panel");
  await expect(panel).toContainText("进程（不用镜像）");
  await expect(panel).toContainText("任务作为这台机器上的进程运行，不使用镜像。");
  await expectNoBarriers(page, "node panel");
  await page.getByRole("button", { name: "列表" }).click();
  await expect(page).toHaveURL(/view=list/);
  await expect(page.getByRole("table")).toContainText(/[2-9]\/64/);
  await page.goto(`${server.url}/nodes?q=no+such+node`);
  await expect(page.getByText("没有符合条件的节点")).toBeVisible();
  await page.getByRole("button", { name: "清除筛选" }).click();
  await expect(tile).toHaveCount(1);
  await server.call("POST", `/api/v1/jobs/${id}/stop`);
});

test("a map of a thousand machines is drawn at once and walked by keys", async ({ signedIn: page, server }) => {
  const nodes = Array.from({ length: 1000 }, (_, n) => ({
    name: `node-${n}`,
    address: `10.0.${n >> 8}.${n & 255}`,
    healthy: n % 50 !== 7,
    draining: false,
    problem: n % 50 === 7 ? "no heartbeat for 40 s" : "",
    runtime: "docker",
    images: true,
    warnings: [],
    labels: {},
    cpus: 64,
    cpus_used: n % 64,
    memory: 2 ** 38,
    memory_used: 2 ** 36,
    gpus: Array.from({ length: 8 }, (_, index) => ({ index, type: "A100", used: (n + index) % 3 === 0 })),
    jobs: [],
  }));
  await page.route("**/api/v1/nodes", (route) => route.fulfill({ json: { nodes } }));
  await page.goto(`${server.url}/nodes`);
  await expect(page.getByRole("meter", { name: "A100" })).toHaveAttribute("aria-valuemax", "8000");
  await expect(page.getByText("1000 / 1000 个节点")).toBeVisible();
  await page.getByRole("button", { name: /^node-0 ?,/ }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("button", { name: /^node-1 ?,/ })).toBeFocused();
  await page.keyboard.press("End");
  await expect(page.getByRole("button", { name: /^node-999 ?,/ })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "node-999" })).toBeVisible();
});

test("the queue says why, in order, and what is mine", async ({ signedIn: page, server }) => {
  // Other specs share the server, and some leave a job that waits.
  const { jobs } = await server.call<{ jobs: Array<{ id: string }> }>(
    "GET",
    "/api/v1/jobs?state=queued,starting,running&limit=200",
  );
  for (const { id } of jobs) await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
  const holder = await server.submit("name: holder\nrun: sleep 600\ncpus: 60\n");
  await server.waitFor(holder, "running");
  const first = await server.submit("name: queue-first\nrun: echo\ncpus: 30\n");
  const second = await server.submit("name: queue-second\nrun: echo\ncpus: 30\n");
  await page.goto(`${server.url}/queue`);
  const row = page.getByRole("row", { name: /queue-first/ });
  await expect(row).toContainText("我的");
  await expect(row).toContainText("30 核 CPU");
  await expect(page.getByRole("row")).toHaveCount(3);
  await expect(page.getByText(/你的第一个作业是 queue-first，排在第 1 位/)).toBeVisible();
  await expectNoBarriers(page, "queue");
  await server.call("DELETE", `/api/v1/jobs/${holder}?force=true`);
  await server.waitFor(first, "succeeded");
  await server.waitFor(second, "succeeded");
  await expect(page.getByText("队列是空的")).toBeVisible();
});

test("an administrator moves a waiting job, by keyboard, and sees who goes back", async ({
  signedIn: page,
  server,
}) => {
  const holder = await server.submit("name: mover-holder\nrun: sleep 600\ncpus: 60\n");
  await server.waitFor(holder, "running");
  for (const name of ["mover-a", "mover-b", "mover-c"]) await server.submit(`name: ${name}\nrun: echo\ncpus: 40\n`);
  const order = async () =>
    (await server.call<{ queue: Array<{ name: string }> }>("GET", "/api/v1/queue")).queue.map((entry) => entry.name);
  await page.goto(`${server.url}/queue`);
  const row = page.getByRole("row", { name: /mover-c/ });
  await expect(row).toContainText("需要同时有 40 核 CPU");
  await page.getByRole("button", { name: "上移 mover-c" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("把 mover-c 上移到第 2 位？");
  await expect(dialog).toContainText("mover-b 会后退一位");
  await expectNoBarriers(page, "move dialog");
  await dialog.getByRole("button", { name: "上移" }).press("Enter");
  await expect(page.getByRole("row").nth(2)).toContainText("mover-c");
  expect(await order()).toEqual(["mover-a", "mover-c", "mover-b"]);
  await page.getByRole("button", { name: "置顶 mover-b" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "置顶" }).click();
  await expect(page.getByRole("row").nth(1)).toContainText("mover-b");
  await page.getByRole("button", { name: "下移 mover-b" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "下移" }).click();
  await expect(page.getByRole("row").nth(1)).toContainText("mover-a");
  expect(await order()).toEqual(["mover-a", "mover-b", "mover-c"]);
  await server.call("DELETE", `/api/v1/jobs/${holder}?force=true`);
});

test("a token is shown once, works, and ends when it is revoked", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/me/tokens`);
  await page.getByRole("button", { name: "创建令牌" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "创建令牌" }).press("Enter"); // a click could fall into the moment in which the dialog grows
  await expect(dialog).toContainText("请填写名称");
  await dialog.getByLabel("名称").fill("nightly");
  await dialog.getByRole("radio", { name: /只读/ }).check();
  await expectNoBarriers(page, "new token");
  await dialog.getByLabel("名称").focus();
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText("只显示这一次");
  const token = (await dialog.locator(".copy-shown").first().textContent()) ?? "";
  expect(await server.call<{ name: string }>("GET", "/api/v1/users/me", undefined, token)).toMatchObject({
    name: "admin",
  });
  await expect(server.call("POST", "/api/v1/jobs", "run: echo\n", token)).rejects.toThrow(/403/);
  await expectNoBarriers(page, "token shown");
  await dialog.getByRole("button", { name: "我已复制" }).click();
  const row = page.getByRole("row", { name: /nightly/ });
  await expect(row).toContainText("只读");
  expect(await page.content()).not.toContain(token);
  await page.getByRole("button", { name: "吊销 nightly" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "吊销", exact: true }).click();
  await expect(row).toBeHidden();
  await expect(server.call("GET", "/api/v1/users/me", undefined, token)).rejects.toThrow(/401/);
});

test("settings: a user gets a link, is frozen, and comes back", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/admin/settings`);
  await page.getByRole("button", { name: "创建用户" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("账号").fill("zhaoliu");
  await dialog.getByRole("button", { name: "创建", exact: true }).click();
  await expect(dialog).toContainText(/\/signin#tyl_/);
  await dialog.getByRole("button", { name: "完成" }).click();
  const row = page.getByRole("row", { name: /zhaoliu/ });
  await row.getByRole("button", { name: "冻结" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "冻结" }).click();
  await expect(row).toContainText("已冻结");
  await row.getByRole("button", { name: "激活" }).click();
  await expect(row).toContainText("已激活");
  await page.getByRole("button", { name: "English", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Settings" })).toBeVisible();
});

test("health: all well, and what is not says what to do", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/admin/health`);
  await expect(page.getByText("一切正常")).toBeVisible();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "诊断包" }).click();
  expect((await saved).suggestedFilename()).toMatch(/^trainyard-diagnostics-.*\.txt$/);
  await page.route("**/metrics", (route) =>
    route.fulfill({ contentType: "text/plain", body: "trainyard_store_failing 1\n" }),
  );
  await expect(page.getByText("1 个部分需要处理：存储")).toBeVisible();
  await expect(page.getByText(/磁盘是否已满或只读/)).toBeVisible();
});

test("a member sees what is hers and is told what is not", async ({ page, server }) => {
  await server.user("member", "a good long password");
  const { token } = await server.call<{ token: string }>("POST", "/api/v1/login", {
    user: "member",
    password: "a good long password",
  });
  await page.context().addCookies([{ name: "trainyard_session", value: token, url: server.url }]);
  await page.addInitScript(() => localStorage.setItem("ty.language", "zh"));
  await page.goto(`${server.url}/admin/health`);
  await expect(page.getByText("只有管理员能查看系统健康")).toBeVisible();
  await page.goto(`${server.url}/admin/settings`);
  await expect(page.getByText("用户和站点设置由管理员管理")).toBeVisible();
  await page.goto(`${server.url}/me/tokens`);
  await expect(page.getByText("还没有访问令牌")).toBeVisible();
});

test("every panel has a face for trouble", async ({ signedIn: page, server }) => {
  const body = '{"code":"internal","message":"the store is on fire","details":[],"request_id":"r-18"}';
  for (const [path, address] of [
    ["/nodes", "nodes"],
    ["/queue", "queue?*"],
    ["/me/tokens", "tokens"],
    ["/admin/settings", "users"],
  ] as const) {
    await page.route(`**/api/v1/${address}`, (route) =>
      route.fulfill({ status: 500, contentType: "application/json", body }),
    );
    await page.goto(server.url + path);
    await expect(page.getByRole("alert").filter({ hasText: "r-18" })).toBeVisible();
    await page.unroute(`**/api/v1/${address}`);
    await page.getByRole("alert").getByRole("button", { name: "重试" }).click();
    await expect(page.getByRole("alert")).toBeHidden();
  }
});

const looks: Array<Required<Choice> & { width: number }> = [
  { language: "zh", theme: "light", width: 1280 },
  { language: "en", theme: "dark", width: 1280 },
  { language: "zh", theme: "dark", width: 360 },
  { language: "en", theme: "contrast", width: 390 },
];
for (const { width, ...choice } of looks) {
  test.describe(`in ${choice.language}, ${choice.theme}, ${width} px`, () => {
    test.use({ choice, viewport: { width, height: 800 } });
    test("submit and the site's pages have no barriers and never scroll sideways", async ({
      signedIn: page,
      server,
    }) => {
      for (const path of [
        "/jobs/new",
        "/jobs/new?mode=professional",
        "/jobs/new?mode=editor",
        "/nodes",
        "/nodes?view=list",
        "/queue",
        "/me/tokens",
        "/admin/settings",
        "/admin/health",
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
