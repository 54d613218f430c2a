import type { Page } from "@playwright/test";
import { expect, remember, test } from "./fixtures";

interface Says {
  code: string;
  data: Record<string, unknown>;
}

const isSays = (value: unknown): value is Says =>
  typeof value === "object" && value !== null && "code" in value && "data" in value;

/** A name or a number is the same in every language. */
const isSentence = (text: unknown): text is string => typeof text === "string" && /[a-z]{2,} [a-z]{2,}/.test(text);

/** A message and those inside it. */
const allOf = (says: Says): Says[] => [says, ...Object.values(says.data).flat().filter(isSays).flatMap(allOf)];

/** Everything the server says to a page: its sentences in English, their codes, and those that have none. */
class Heard {
  readonly sentences = new Set<string>();
  readonly plain = new Set<string>();
  readonly codes = new Set<string>();

  constructor(page: Page) {
    page.on("response", (answer) => {
      if (/json/.test(answer.headers()["content-type"] ?? "") && answer.url().includes("/api/v1/"))
        void answer.json().then(
          (json) => this.take(json),
          () => undefined, // the page was left before the answer had come
        );
    });
  }

  private take(json: unknown): void {
    if (Array.isArray(json)) for (const one of json) this.take(one);
    if (typeof json !== "object" || json === null || Array.isArray(json)) return;
    const fields = json as Record<string, unknown>;
    for (const [name, value] of Object.entries(fields)) {
      const says = fields[name === "message" ? "says" : `${name}_says`];
      if (typeof value === "string") this.keep(value, says);
      else if (Array.isArray(value) && Array.isArray(says)) value.forEach((text, at) => this.keep(text, says[at]));
      if (name !== "data") this.take(value);
    }
    // What the scheduler states, and what stands in events.
    if (isSays(fields)) this.keep(fields.text, fields);
    const told = fields.data as Record<string, unknown> | undefined;
    if (isSays(told?.says)) this.keep(told.message ?? told.text ?? told.why, told.says);
  }

  private keep(text: unknown, says: unknown): void {
    if (typeof text !== "string" || !isSays(says)) return;
    if (isSentence(text)) this.sentences.add(text);
    for (const { code, data } of allOf(says)) {
      this.codes.add(code);
      if (code === "plain" && isSentence(data.text)) this.plain.add(data.text);
    }
  }
}

/** Of what the server said something is on the page, and nothing of it in English. */
async function expectChinese(page: Page, heard: Heard, ...codes: string[]): Promise<void> {
  await expect.poll(() => codes.filter((code) => !heard.codes.has(code)), { message: "codes to be heard" }).toEqual([]);
  expect([...heard.plain], "sentences without a code").toEqual([]);
  await expect(async () => {
    const shown = await page.locator("body").innerText();
    expect([...heard.sentences].filter((sentence) => shown.includes(sentence))).toEqual([]);
  }).toPass();
}

test("a failed job: its reason, its tasks and its events", async ({ signedIn: page, server }) => {
  const heard = new Heard(page);
  const id = await server.submit("name: broken\nretry: { count: 1, backoff: 1s }\nrun: no-such-program-anywhere\n");
  const twice = await server.submit("name: twice\nretry: { count: 1, backoff: 1s }\nrun: exit 5\n");
  await server.waitFor(id, "failed");
  await server.waitFor(twice, "failed");
  await page.goto(`${server.url}/jobs/${id}`);
  const why = page.getByRole("region", { name: "为什么失败" });
  await expect(why).toContainText("main-0 失败：退出码 127：找不到命令；检查命令名和镜像");
  await expect(page.getByRole("region", { name: "可能的原因" })).toContainText("找不到命令：检查名称和路径");
  await expectChinese(page, heard, "task_failed_because", "command_not_found", "clue_missing_command");
  await page.goto(`${server.url}/jobs/${twice}/tasks`);
  await expect(page.getByRole("row", { name: /main-0/ }).first()).toContainText("退出码 5");
  await expectChinese(page, heard, "exit_code");
  await page.goto(`${server.url}/jobs/${twice}/events`);
  await expect(page.getByRole("row", { name: /失败：main-0 失败：退出码 5/ }).first()).toBeVisible();
  await expect(page.getByRole("row", { name: /第 2 次尝试重新排队：.*退出码 5/ })).toBeVisible();
  await expectChinese(page, heard);
  await page.goto(`${server.url}/jobs`);
  await expect(page.getByRole("row", { name: "broken" })).toContainText("退出码 127：找不到命令");
  await page.goto(server.url);
  await expect(page.getByRole("region", { name: "需要你处理" })).toContainText("退出码 5");
  await expectChinese(page, heard);
});

test("a waiting job: why, in its page, the list and the queue", async ({ signedIn: page, server }) => {
  const heard = new Heard(page);
  const first = await server.submit("name: first\ncpus: 64\nrun: sleep 600\n");
  await server.waitFor(first, "running");
  const second = await server.submit("name: second\ncpus: 64\nrun: sleep 600\n");
  try {
    await page.goto(`${server.url}/jobs/${second}`);
    await expect(page.getByRole("region", { name: "为什么在等" })).toContainText("需要同时有 64 核 CPU");
    await expectChinese(page, heard, "none_free");
    await page.goto(`${server.url}/jobs`);
    await expect(page.getByRole("row", { name: "second" })).toContainText("需要同时有 64 核 CPU");
    await expectChinese(page, heard);
    await page.goto(`${server.url}/queue`);
    await expect(page.getByRole("row", { name: /second/ })).toContainText("需要同时有 64 核 CPU");
    await expectChinese(page, heard);
    // A refused action, in a toast.
    await server.call("DELETE", `/api/v1/jobs/${second}?force=true`);
    await page.route(`**/api/v1/jobs/${first}/stop`, (route) =>
      route.fulfill({
        status: 409,
        json: {
          ...{ code: "conflict", message: "exit code 3: a fault of the test", details: [], request_id: "r-1" },
          says: { code: "exit_code", data: { code: 3 } },
        },
      }),
    );
    await page.goto(`${server.url}/jobs/${first}`);
    await page.getByRole("button", { name: "停止" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "停止" }).click();
    await expect(page.getByText("退出码 3", { exact: true })).toBeVisible();
  } finally {
    await server.call("DELETE", `/api/v1/jobs/${first}?force=true`);
  }
});

test("a job file with faults is refused, and one that can never start is explained", async ({
  signedIn: page,
  server,
}) => {
  const heard = new Heard(page);
  await page.goto(`${server.url}/jobs/new?mode=editor`);
  const file = page.getByRole("textbox", { name: /^作业文件/ });
  await expect(file).toBeAttached({ timeout: 60_000 });
  const write = async (text: string) => {
    await file.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };
  const problems = page.getByRole("region", { name: "问题" });
  await write("name: wrong\nrun: echo\nmemroy: 3GB\ntime_limit: soon\n");
  await expect(problems).toContainText("未知的键；是不是 memory？");
  await expect(problems).toContainText("不是有效的时长");
  await page.getByRole("button", { name: "提交", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "没有提交" })).toContainText("未知的键；是不是 memory？");
  await expectChinese(page, heard, "unknown_key_near");
  await write("name: wrong\n\trun: echo\n");
  await expect(problems).toContainText("这一行用制表符缩进");
  await expect(problems.getByRole("button", { name: "制表符改为空格" })).toBeVisible();
  await expectChinese(page, heard);
  await write("name: large\nrun: echo\ncpus: 1000\n");
  await expect(page.getByRole("alert").filter({ hasText: "1000 核 CPU" })).toBeVisible();
  await expectChinese(page, heard);
});

test("what a conversion loses", async ({ signedIn: page, server }) => {
  const heard = new Heard(page);
  const id = await server.submit(
    'name: carried\nretry: { count: 1, backoff: 1s }\ntime_limit: 1h\nlabels: { team: vision }\nrun: "true"\n',
  );
  await page.goto(`${server.url}/jobs/${id}/config?form=ffdl`);
  await expect(page.getByText(/处无法原样转换/)).toBeVisible();
  await expectChinese(page, heard);
  expect(heard.sentences.size).toBeGreaterThan(0);
});

test("what is to be known about a machine", async ({ signedIn: page, server }) => {
  const heard = new Heard(page);
  await page.goto(`${server.url}/nodes`);
  await expect(page.getByText("任务作为这台机器上的进程运行，不使用镜像。")).toBeVisible();
  await expectChinese(page, heard, "tasks_are_processes");
});

test("a sign-in that is refused", async ({ page, server }) => {
  const heard = new Heard(page);
  await server.user("frozen", "a good long password");
  await remember(page, {});
  await page.goto(`${server.url}/signin`);
  await page.getByLabel("账号").fill("frozen");
  await page.getByLabel("密码", { exact: true }).fill("not that one");
  await page.getByRole("button", { name: "登录" }).click();
  await expect(page.getByRole("alert")).toHaveText("账号或密码不对。");
  await server.call("PUT", "/api/v1/users/frozen/disabled", { disabled: true });
  await page.getByLabel("密码", { exact: true }).fill("a good long password");
  await page.getByRole("button", { name: "登录" }).click();
  await expect(page.getByRole("alert")).toHaveText("账号 frozen 已冻结；请联系管理员");
  await expectChinese(page, heard, "account_disabled");
});

test("what the server does not take of a form", async ({ signedIn: page, server }) => {
  const heard = new Heard(page);
  await page.goto(`${server.url}/me/profile`);
  const refused = page.waitForResponse((answer) => answer.status() >= 400 && answer.url().includes("/api/v1/"));
  await page.getByLabel("仓库地址").fill("not a host name");
  await page.getByLabel("用户名").fill("somebody");
  await page.getByLabel("密码或访问令牌").fill("secret");
  await page.getByRole("button", { name: "保存登录" }).click();
  await refused;
  await expect(page.getByRole("alert")).toContainText(/[\u4e00-\u9fff]/);
  await expectChinese(page, heard);
});
