import { expect, expectNoBarriers, remember, test } from "./fixtures";
import { Server } from "./server";

test("first run: the one-time link leads to a password, then to the overview, and works once", async ({ page }) => {
  const server = await new Server().start();
  try {
    const link = await server.firstLink();
    await page.goto(link);
    await expect(page.getByRole("heading", { name: "开始使用" })).toBeVisible();
    expect(page.url()).not.toContain("tyl_");
    await expectNoBarriers(page, "set-up");
    await page.getByRole("button", { name: "下一步" }).click();
    await page.getByLabel("新密码").fill("correct horse battery");
    await page.getByLabel("再次输入").fill("correct horse batter");
    await page.keyboard.press("Enter");
    await expect(page.getByText("两遍输入的密码不一样。")).toBeVisible();
    await page.getByLabel("再次输入").fill("correct horse battery");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "检查与示例" })).toBeVisible();
    await page.getByRole("button", { name: "去概览" }).click();
    await expect(page.getByRole("heading", { name: "从这里开始" })).toBeVisible();

    await page.getByRole("button", { name: /的菜单$/ }).click();
    await page.getByRole("menuitem", { name: "退出登录" }).click();
    await expect(page.getByRole("button", { name: "登录", exact: true })).toBeVisible();
    await page.goto(link);
    await page.reload(); // the same document with another hash does not load anew
    await expect(page.getByText("这个链接已经用过或已过期。")).toBeVisible();
  } finally {
    await server.destroy();
  }
});

test("sign-in by password: one neutral refusal, the account kept, and back to where it was asked", async ({
  page,
  server,
}) => {
  await server.user("zhangsan", "a good long password");
  await remember(page, {});
  await page.goto(`${server.url}/queue`);
  await expect(page).toHaveURL(/\/signin\?from=%2Fqueue$/);
  await expectNoBarriers(page, "sign-in");
  await page.getByLabel("账号").fill("zhangsan");
  await page.getByLabel("密码", { exact: true }).fill("wrong");
  await page.keyboard.press("Enter");
  await expect(page.getByText("账号或密码不对。")).toBeVisible();
  await expect(page.getByLabel("账号")).toHaveValue("zhangsan");
  await page.getByLabel("密码", { exact: true }).fill("a good long password");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "队列", exact: true })).toBeVisible();
  await expect(page).toHaveURL(`${server.url}/queue`);
});

test("a foreign address after sign-in is not followed", async ({ page, server }) => {
  await server.user("lisi", "a good long password");
  await remember(page, { language: "en" });
  await page.goto(`${server.url}/signin?from=https%3A%2F%2Fexample.com%2F`);
  await page.getByLabel("Account").fill("lisi");
  await page.getByLabel("Password", { exact: true }).fill("a good long password");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page).toHaveURL(`${server.url}/`);
});

test("language and theme change at once and survive a reload", async ({ signedIn: page, server }) => {
  await page.goto(`${server.url}/jobs`);
  await expect(page.getByRole("heading", { name: "作业管理" })).toBeVisible();
  await page.getByRole("button", { name: "EN: switch to English" }).click();
  await expect(page.getByRole("heading", { name: "Jobs" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await page.getByRole("button", { name: "Theme" }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(page.getByRole("heading", { name: "Jobs" })).toBeVisible();
});
