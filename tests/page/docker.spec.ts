import { spawn, type ChildProcess } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, expectNoBarriers, remember, test } from "./fixtures";
import { Server } from "./server";

/** A real Docker and a registry that takes its time, for as long as this file runs. */
let helper: ChildProcess;
let docker: { socket: string; image: string };
let server: Server;

test.beforeAll(async () => {
  test.setTimeout(180_000);
  helper = spawn("/usr/bin/python3", [join(__dirname, "../support/docker_for_page.py")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: helper.stdout as NodeJS.ReadableStream });
  docker = JSON.parse(
    await new Promise<string>((done, fail) => {
      lines.once("line", done);
      helper.once("exit", (code) => fail(new Error(`no Docker for the page: exit code ${code}`)));
    }),
  ) as typeof docker;
  const subnets = `10.${64 + Math.floor(Math.random() * 180)}.0.0/16`;
  server = await new Server("docker", {
    TRAINYARD_DOCKER__SOCKET: docker.socket,
    TRAINYARD_DOCKER__SUBNETS: subnets,
  }).start();
});

test.afterAll(async () => {
  test.setTimeout(180_000);
  await server?.destroy();
  if (helper?.exitCode === null) {
    const gone = new Promise((done) => helper.once("exit", done));
    helper.stdin?.end();
    await gone;
  }
});

test("a container job by the form: the pull is shown as it goes on, then the log out of the image", async ({
  page,
}) => {
  test.setTimeout(240_000);
  await remember(page, {});
  await page.context().addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
  await page.goto(`${server.url}/jobs/new?mode=basic`);
  await page.getByLabel("作业名称").fill("in-a-container");
  await page.getByRole("textbox", { name: "运行命令" }).fill("ls /weights && hostname && echo out of the image");
  await page.getByRole("combobox", { name: "镜像" }).fill(docker.image);
  await expect(page.getByText(/现在可以开始/)).toBeVisible();
  await page.getByRole("button", { name: "提交", exact: true }).click();
  await expect(page.getByRole("heading", { name: "in-a-container" })).toBeVisible();
  const getting = page.getByRole("region", { name: "正在准备" });
  await expect(getting).toContainText(`正在拉取 ${docker.image}`, { timeout: 60_000 });
  await expectNoBarriers(page, "an image on its way");
  await expect(getting).toBeHidden({ timeout: 120_000 });
  const id = new URL(page.url()).pathname.split("/")[2] ?? "";
  await server.waitFor(id, "succeeded");
  await expect(page.getByLabel("最新日志", { exact: true }).first()).toContainText("out of the image");
  await page.goto(`${server.url}/admin/settings`);
  await expect(page.getByText("本机 · Docker 容器")).toBeVisible();
});

test("an image that is not there says so, and what to do", async ({ page }) => {
  test.setTimeout(240_000);
  await remember(page, {});
  await page.context().addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
  const image = docker.image.replace("team/slow", "no/such");
  const id = await server.submit(`name: no-such-image\nimage: ${image}\nretry: 0\nrun: echo never\n`);
  await server.waitFor(id, "failed");
  await page.goto(`${server.url}/jobs/${id}`);
  const why = page.getByRole("region", { name: "为什么失败" });
  await expect(why).toContainText(`无法拉取 ${image}`);
  await expect(why).toContainText("检查名称和标签");
  await expect(why.getByRole("link", { name: "打开日志" })).toBeVisible();
});
