import { expect, expectNoBarriers, test } from "./fixtures";

test("a job from start to end on its page: state, tasks, log and the browser's tab", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit("name: watched\nrun: |\n  for i in $(seq 1 30); do echo line $i; sleep 0.15; done\n");
  await page.goto(`${server.url}/jobs/${id}/logs`);
  await expect(page.getByRole("log")).toContainText("line 3");
  await expect(page.getByRole("log")).toContainText("line 30");
  await expect(page.getByText("30 行", { exact: true })).toBeVisible();
  await expect(page).toHaveTitle(/✓ 成功 watched/);
  await page.keyboard.press("2");
  await expect(page.getByRole("table").getByRole("row", { name: /main-0/ })).toContainText("成功");
  await page.keyboard.press("1");
  await expect(page.getByRole("region", { name: "最新日志" }).getByText("line 30")).toBeVisible();
});

test("why it failed: the cause, whose it is, the first failing task and its last words", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit(
    "name: broken\nrun: |\n  echo starting\n  echo 'RuntimeError: no such file /data/train.csv' >&2\n  exit 7\n",
  );
  await server.waitFor(id, "failed");
  await page.goto(`${server.url}/jobs/${id}`);
  const why = page.getByRole("region", { name: "为什么失败" });
  await expect(why).toContainText("main-0 失败：退出码 7");
  await expect(why).toContainText("你的程序");
  await expect(why.getByRole("link", { name: "main-0", exact: true })).toBeVisible();
  await expect(why).toContainText("RuntimeError: no such file /data/train.csv");
  await expectNoBarriers(page, "failed job");
});

test("why it failed: what its log is known to mean, in the reader's language, and the line that says so", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit(
    "name: too-large\nrun: |\n  seq 1 300\n  echo 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB'\n  exit 1\n",
  );
  await server.waitFor(id, "failed");
  await page.goto(`${server.url}/jobs/${id}`);
  const clue = page.getByRole("region", { name: "可能的原因" });
  await expect(clue).toContainText("显存不足");
  await page.getByRole("button", { name: /switch to English/ }).click();
  await expect(page.getByRole("region", { name: "Likely cause" })).toContainText("the GPU ran out of memory");
  await expectNoBarriers(page, "a failed job with a known cause");
  await page.getByRole("link", { name: "main-0, line 301" }).click();
  await expect(page).toHaveURL(/\/logs\?task=main-0&line=301/);
  await expect(page.getByRole("log").getByText("CUDA out of memory. Tried to allocate")).toBeVisible();
});

test("why it waits: the truth with numbers", async ({ signedIn: page, server }) => {
  const id = await server.submit('name: too-big\ncpus: 900\nrun: "true"\n');
  await page.goto(`${server.url}/jobs/${id}`);
  const why = page.getByRole("region", { name: "为什么在等" });
  await expect(why).toContainText("900");
  await expect(why).toContainText("永远无法满足");
});

test("search in the whole log: hits with their lines, next and previous, link to a line", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit("name: long-log\nrun: seq -f 'step %.0f loss' 1 60000\n");
  await server.waitFor(id, "succeeded");
  await page.goto(`${server.url}/jobs/${id}/logs`);
  await expect(page.getByText("60000 行", { exact: true })).toBeVisible();
  await expect(page.getByRole("log")).toContainText("step 60000 loss");
  await page.keyboard.press("/");
  await page.keyboard.type("step 4242[0-4] ");
  await expect(page.getByText("1/5")).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/line=42420/);
  await expect(page.getByRole("log")).toContainText("step 42420 loss");
  await page.getByRole("button", { name: "下一处" }).click();
  await expect(page).toHaveURL(/line=42421/);
  await page.reload();
  await expect(page.getByRole("log")).toContainText("step 42421 loss");
  await page.getByRole("button", { name: "观看完整的记录" }).click();
  await expect(page.getByRole("log")).toContainText("step 1 loss");
  expect(await page.getByRole("log").locator(".log-line").count(), "lines in the document").toBeLessThan(400);
  await expectNoBarriers(page, "log with hits");
});

test("a log that is scrolled stops following and says how much is new", async ({ signedIn: page, server }) => {
  const id = await server.submit("name: chatty\nrun: for i in $(seq 1 100000); do echo chat $i; sleep 0.02; done\n");
  await page.goto(`${server.url}/jobs/${id}/logs`);
  const log = page.getByRole("log");
  await expect(log).toContainText("chat 60");
  await log.hover();
  await page.mouse.wheel(0, -400);
  await expect(page.getByRole("button", { name: "跟随" })).toHaveAttribute("aria-pressed", "false");
  await page.getByRole("button", { name: /行新日志/ }).click();
  await expect(page.getByRole("button", { name: "跟随" })).toHaveAttribute("aria-pressed", "true");
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});

test("several tasks: merged by time, one by one, downloaded", async ({ signedIn: page, server }) => {
  const id = await server.submit(
    "name: pair\nroles:\n  worker: { count: 2, run: 'echo I am $TRAINYARD_INDEX; sleep 1; echo done' }\n",
  );
  await server.waitFor(id, "succeeded", "failed");
  await page.goto(`${server.url}/jobs/${id}/logs`);
  await expect(page.getByRole("log")).toContainText("worker-0");
  await expect(page.getByRole("log")).toContainText("worker-1");
  await page.getByLabel("任务", { exact: true }).selectOption("worker-1");
  await expect(page).toHaveURL(/task=worker-1/);
  await expect(page.getByText("2 行", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "下载" }).click();
  const coming = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "下载 worker-1" }).click();
  const path = await (await coming).path();
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(path, "utf8")).toContain("done\n");
});

test("the file as it was handed in, byte for byte", async ({ signedIn: page, server }) => {
  const file = "# my comment\nname:   odd-spacing\nrun: |\n  cat <<EOF\n  a  b\n  EOF\n";
  const id = await server.submit(file);
  await page.goto(`${server.url}/jobs/${id}/config`);
  const text = page.getByLabel("原文", { exact: true });
  await expect(text).toBeVisible();
  expect(await text.evaluate((box) => box.textContent)).toBe(file);
  await page.getByRole("button", { name: "解析结果", exact: true }).click();
  await expect(page.getByLabel("解析结果", { exact: true })).toContainText("odd-spacing");
});

test("the same job in every other format, with what could not be carried over", async ({ signedIn: page, server }) => {
  const id = await server.submit(
    JSON.stringify({
      jobName: "from_scm",
      image: "pai/py:1",
      taskRoles: [
        { name: "main", taskNumber: 1, cpuNumber: 1, memoryMB: 128, gpuNumber: 0, command: "echo $PAI_JOB_NAME" },
      ],
    }),
  );
  await page.goto(`${server.url}/jobs/${id}/config`);
  await expect(page.getByText(/OpenPAI v1/).first()).toBeVisible();
  await page.getByRole("button", { name: "Volcano" }).click();
  await expect(page).toHaveURL(/form=volcano/);
  await expect(page.getByLabel("Volcano", { exact: true })).toContainText("kind: Job");
  await expect(page.getByText(/处无法原样转换/)).toBeVisible();
  await expect(page.getByText(/写成 from-scm/)).toBeVisible();
  await expectNoBarriers(page, "converted file");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "保存文件" }).click();
  expect((await saved).suggestedFilename()).toBe("from_scm.volcano.yaml");
  await page.getByRole("button", { name: "解析结果" }).click();
  await expect(page.getByLabel("解析结果", { exact: true })).toContainText('"cpu_milli"');
});

test("why it failed is said in the reader's language", async ({ signedIn: page, server }) => {
  const id = await server.submit("name: no-such-command\nrun: no-such-program-anywhere\n");
  await server.waitFor(id, "failed");
  await page.goto(`${server.url}/jobs/${id}`);
  const why = page.getByRole("region", { name: "为什么失败" });
  await expect(why).toContainText("main-0 失败：退出码 127：找不到命令；检查命令名和镜像");
  await expect(why).toContainText("重试也没有用");
  await page.getByRole("button", { name: /switch to English/ }).click();
  await expect(page.getByRole("region", { name: "Why did it fail" })).toContainText("a command was not found");
});

test("the time limit is changed while it runs, and the end is shown", async ({ signedIn: page, server }) => {
  const id = await server.submit("name: limited\nrun: sleep 600\n");
  await server.waitFor(id, "running");
  await page.goto(`${server.url}/jobs/${id}`);
  await page.getByRole("button", { name: "修改" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/运行时限/).fill("tomorrow");
  await expect(dialog).toContainText("不是有效的时长");
  await dialog.getByRole("button", { name: "1h" }).click();
  await expectNoBarriers(page, "limit dialog");
  await dialog.getByRole("button", { name: "保存" }).click();
  await expect(page.getByText(/还剩 (59分|1小时)/)).toBeVisible();
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});

test("retried jobs: each attempt with its own log and reason", async ({ signedIn: page, server }) => {
  const id = await server.submit("name: stubborn\nretry: { count: 1, backoff: 1s }\nrun: echo attempt; exit 5\n");
  await server.waitFor(id, "failed");
  await page.goto(`${server.url}/jobs/${id}/logs`);
  await expect(page.getByLabel("尝试", { exact: true })).toBeVisible();
  await page.getByLabel("尝试", { exact: true }).selectOption("0");
  await expect(page).toHaveURL(/attempt=0/);
  await expect(page.getByRole("log")).toContainText("attempt");
  await page.goto(`${server.url}/jobs/${id}/tasks`);
  await expect(page.getByRole("region", { name: "更早的尝试" }).first()).toContainText("退出码 5");
});

test("an old portal's link by user and name leads to the job", async ({ signedIn: page, server }) => {
  const id = await server.submit('name: linked\nrun: "true"\n');
  await page.goto(`${server.url}/job-detail.html?username=admin&jobName=linked`);
  await expect(page).toHaveURL(`${server.url}/jobs/${id}`);
  await expect(page.getByRole("heading", { name: "linked" })).toBeVisible();
});
