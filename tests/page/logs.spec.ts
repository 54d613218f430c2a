import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";

/** Counts from now on what makes a page stutter: tasks of the main thread that take longer than 50 ms. */
async function watchTasks(page: Page): Promise<() => Promise<{ share: number; longest: number }>> {
  await page.evaluate(() => {
    const seen = { since: performance.now(), busy: 0, longest: 0 };
    (window as unknown as { seen: typeof seen }).seen = seen;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) {
        seen.busy += task.duration;
        seen.longest = Math.max(seen.longest, task.duration);
      }
    }).observe({ type: "longtask" });
  });
  return () =>
    page.evaluate(() => {
      const { since, busy, longest } = (window as unknown as { seen: { since: number; busy: number; longest: number } })
        .seen;
      return { share: busy / (performance.now() - since), longest };
    });
}

// Half of the time for long tasks is a page one can still use; on a quiet machine it is a twentieth.
const SHARE = 0.5;
const DRAWN = 400;
const drawn = (page: Page) => page.locator(".log-line").count();

test("a log of 100 MB opens at its end, goes to any line, and is searched", async ({ signedIn: page, server }) => {
  test.setTimeout(300_000);
  const lines = 1_500_000;
  const id = await server.submit(
    `name: hundred-megabytes\nrun: awk 'BEGIN { for (i = 1; i <= ${lines}; i++) printf "%07d step loss 0.%06d some words to fill a line of seventy\\n", i, i }'\n`,
  );
  await server.waitFor(id, "succeeded");
  let bytes = 0;
  page.on("requestfinished", (request) => {
    if (request.url().includes("/logs")) void request.sizes().then((sizes) => (bytes += sizes.responseBodySize));
  });
  await page.goto(`${server.url}/jobs/${id}/logs`);
  const log = page.getByRole("log");
  await expect(log).toContainText(String(lines));
  await expect(page.getByText(`${lines} 行`)).toBeVisible();
  const heap = () =>
    page.evaluate(() => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize);
  const before = await heap();
  await page.goto(`${server.url}/jobs/${id}/logs?line=750000`);
  await expect(log).toContainText("0750000 step");
  expect(await drawn(page)).toBeLessThanOrEqual(DRAWN);
  const tasks = await watchTasks(page);
  for (let step = 0; step < 30; step += 1) {
    await log.evaluate((box) => box.scrollBy(0, 4000));
    await page.waitForTimeout(30);
  }
  await expect(log).toContainText(/07[56]\d{4} step/);
  expect(await drawn(page)).toBeLessThanOrEqual(DRAWN);
  await page.getByRole("searchbox", { name: /搜索日志/ }).fill("^0?1234567 ");
  await page.keyboard.press("Enter");
  await expect(page.getByText("1/1", { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(log).toContainText("1234567 step");
  const { share, longest } = await tasks();
  console.log("100 MB log:", { share, longest, bytes, heap: (await heap()) - before });
  expect(share).toBeLessThanOrEqual(SHARE);
  expect(bytes, "what was loaded of it").toBeLessThanOrEqual(8_000_000);
  expect((await heap()) - before, "more heap than before").toBeLessThanOrEqual(60_000_000);
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});

test("a log that grows by 5,000 lines a second is followed without a stutter", async ({ signedIn: page, server }) => {
  test.setTimeout(180_000);
  const program =
    "import sys,time\nfor i in range(100):\n  sys.stdout.write(''.join('%07d step loss 0.5 and some more words\\n' % (i * 500 + n) for n in range(500))); sys.stdout.flush(); time.sleep(0.1)\nprint('the very end', flush=True)\ntime.sleep(600)";
  const id = await server.submit(`name: five-thousand-a-second\nrun: [python3, -c, ${JSON.stringify(program)}]\n`);
  await server.waitFor(id, "running");
  await page.goto(`${server.url}/jobs/${id}/logs`);
  const log = page.getByRole("log");
  await expect(log).toContainText("step loss");
  const tasks = await watchTasks(page);
  let most = 0;
  await expect(async () => {
    most = Math.max(most, await drawn(page));
    await expect(log).toContainText("the very end", { timeout: 100 });
  }).toPass({ timeout: 90_000, intervals: [200] });
  const { share, longest } = await tasks();
  console.log("5,000 lines a second:", { share, longest, most });
  expect(most).toBeLessThanOrEqual(DRAWN);
  expect(share).toBeLessThanOrEqual(SHARE);
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});
