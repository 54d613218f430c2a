import type { Page } from "@playwright/test";
import { expect, expectNoBarriers, test, type Choice } from "./fixtures";
import type { Server } from "./server";

// What pictures showed once and eyes should not have to look for again.

/** How far the page, or its middle, is wider than the window. */
const sideways = (page: Page) =>
  page.evaluate(() => {
    const main = document.getElementById("main");
    return Math.max(document.documentElement.scrollWidth - innerWidth, main ? main.scrollWidth - main.clientWidth : 0);
  });

const LONG = "resnet50-imagenet-ddp-8node-warmup5-cosine-labelsmooth-seed42-attempt-rerun";

async function runningJob(server: Server): Promise<string> {
  const id = await server.submit(
    `name: ${LONG}\ntime_limit: 12h\nrun: |\n  seq -f 'step %.0f loss 0.5' 1 60\n  sleep 600\n`,
  );
  await server.waitFor(id, "running");
  return id;
}

const words = {
  zh: {
    more: "更多操作",
    limit: "设定工作时长",
    command: "复制为命令",
    token: "创建令牌",
    user: "创建用户",
    columns: "列与密度",
    advanced: "高级搜索",
    bell: /^通知/,
    menu: "菜单",
    theme: "主题",
  },
  en: {
    more: "More actions",
    limit: "Set time limit",
    command: "Copy as command",
    token: "Create token",
    user: "Create user",
    columns: "Columns and density",
    advanced: "Advanced search",
    bell: /^Notifications/,
    menu: "Menu",
    theme: "Theme",
  },
};

const looks: Array<Required<Choice> & { width: number }> = [
  { language: "zh", theme: "dark", width: 1280 },
  { language: "en", theme: "dark", width: 390 },
  { language: "zh", theme: "light", width: 360 },
];
for (const { width, ...choice } of looks) {
  test.describe(`in ${choice.language}, ${choice.theme}, ${width} px`, () => {
    test.use({ choice, viewport: { width, height: 800 } });
    test("what opens above a page has no barriers and stays inside the window", async ({ signedIn: page, server }) => {
      const id = await runningJob(server);
      const say = words[choice.language];
      const press = (name: string | RegExp) =>
        page
          .getByRole("button", { name, exact: typeof name === "string" })
          .first()
          .click();
      const opened: Array<[string, string, () => Promise<void>]> = [
        [
          `/jobs/${id}`,
          say.limit,
          async () => {
            await press(say.more);
            await page.getByRole("menuitem", { name: say.limit }).click();
          },
        ],
        [
          `/jobs/${id}`,
          say.command,
          async () => {
            await press(say.more);
            await page.getByRole("menuitem", { name: say.command }).click();
          },
        ],
        ["/me/tokens", say.token, () => press(say.token)],
        ["/admin/settings", say.user, () => press(say.user)],
        ["/jobs", say.columns, () => press(say.columns)],
        ["/jobs", "inbox", () => press(say.bell)],
        ["/jobs", "palette", () => page.keyboard.press("Control+k")],
      ];
      for (const [path, name, open] of opened) {
        await page.goto(server.url + path);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
        await open();
        await expect(page.getByRole("dialog")).toBeVisible();
        await expectNoBarriers(page, name);
        const box = await page.getByRole("dialog").boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= width, `${name} is inside the window`).toBe(true);
        expect(await sideways(page), name).toBeLessThanOrEqual(0);
      }
      await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
    });
  });
}

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 800 } });

  test("every tab of a job with a long name fits, and the open tab is in view", async ({ signedIn: page, server }) => {
    const id = await runningJob(server);
    for (const tab of ["", "/tasks", "/logs", "/curves", "/monitor", "/events", "/config"]) {
      await page.goto(`${server.url}/jobs/${id}${tab}`);
      await expect(page.getByRole("heading", { name: LONG })).toBeVisible();
      await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
      await expect(page.getByRole("navigation", { name: "作业详情" }).locator("[aria-current=page]")).toBeInViewport({
        ratio: 1,
      });
      expect(await sideways(page), tab).toBeLessThanOrEqual(0);
    }
    await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
  });

  test("the advanced search pushes the list down instead of lying on the toolbar", async ({
    signedIn: page,
    server,
  }) => {
    const id = await server.submit("name: below-the-search\nrun: echo\n");
    await server.waitFor(id, "succeeded");
    await page.goto(`${server.url}/jobs`);
    await page.getByRole("button", { name: "高级搜索" }).click();
    const panel = page.getByRole("region", { name: "高级搜索" });
    await expect(panel).toBeVisible();
    const bottom = async (name: string) => {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      return box ? box.y + box.height : Infinity;
    };
    expect((await panel.boundingBox())?.y).toBeGreaterThanOrEqual(await bottom("高级搜索"));
    expect((await page.locator("#job-search").boundingBox())?.y).toBeGreaterThanOrEqual(await bottom("刷新"));
  });

  test("buttons are as tall as a thumb needs", async ({ signedIn: page, server }) => {
    await page.goto(`${server.url}/me/tokens`);
    const box = await page.getByRole("button", { name: "创建令牌" }).boundingBox();
    expect(box?.height).toBeGreaterThanOrEqual(44);
  });
});

test("the last output of a failed job opens at its end", async ({ signedIn: page, server }) => {
  const id = await server.submit(
    "name: talkative\nrun: |\n  seq -f 'step %.0f' 1 40\n  echo 'ValueError: the last word'\n  exit 1\n",
  );
  await server.waitFor(id, "failed");
  await page.goto(`${server.url}/jobs/${id}`);
  const output = page.getByLabel("最后的输出", { exact: true });
  await expect(output).toContainText("the last word");
  await expect
    .poll(() => output.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop))
    .toBeLessThanOrEqual(1);
});

test("a time limit is shown as somebody would type it", async ({ signedIn: page, server }) => {
  const id = await runningJob(server);
  await page.goto(`${server.url}/jobs/${id}`);
  await page.getByRole("button", { name: "修改" }).click();
  await expect(page.getByRole("dialog").getByRole("textbox")).toHaveValue("12h");
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});
