import type { Page, Response } from "@playwright/test";
import { expect, remember, test } from "./fixtures";

/** Compressed bytes by kind of what a page loads on a first visit. */
async function weigh(
  page: Page,
  address: string,
  settled: () => Promise<void>,
): Promise<{ script: number; style: number; requests: number }> {
  const answers: Response[] = [];
  page.on("response", (answer) => {
    if (answer.url().includes("/assets/")) answers.push(answer);
  });
  await page.goto(address);
  await settled();
  let script = 0;
  let style = 0;
  for (const answer of answers) {
    const bytes = (await answer.request().sizes()).responseBodySize;
    expect(answer.headers()["content-encoding"], answer.url()).toBe("br");
    if (answer.url().endsWith(".js")) script += bytes;
    if (answer.url().endsWith(".css")) style += bytes;
  }
  return { script, style, requests: answers.length };
}

const KB = 1000;

test("first visit to the job list", async ({ signedIn: page, server }) => {
  const weight = await weigh(page, `${server.url}/jobs`, () => expect(page.getByRole("searchbox")).toBeVisible());
  test.info().annotations.push({ type: "weight", description: JSON.stringify(weight) });
  console.log("job list:", weight);
  expect(weight.script).toBeLessThanOrEqual(260 * KB);
  expect(weight.style).toBeLessThanOrEqual(25 * KB);
});

test("first visit to the overview", async ({ signedIn: page, server }) => {
  const weight = await weigh(page, server.url, () =>
    expect(page.getByRole("region", { name: "集群负载" })).toBeVisible(),
  );
  console.log("overview:", weight);
  expect(weight.script).toBeLessThanOrEqual(340 * KB);
});

test("first visit to the sign-in page", async ({ page, server }) => {
  // Before it begins to fetch the rest ahead of time.
  const weight = await weigh(page, `${server.url}/signin`, () =>
    expect(page.getByRole("button", { name: /^(登录|Sign in)$/ })).toBeVisible(),
  );
  console.log("sign-in:", weight);
  expect(weight.script).toBeLessThanOrEqual(80 * KB);
});

test("10,000 jobs: few rows in the document, and scrolling loads more", async ({ signedIn: page, server }) => {
  test.setTimeout(300_000);
  // The server side of a million jobs is measured elsewhere; here the list is fed at the wire.
  const total = 10_000;
  const job = (n: number) => ({
    id: String(n).padStart(32, "0"),
    name: `job-${n}`,
    handle: `job-${n}`,
    owner: "admin",
    workspace: "default",
    dialect: "native",
    state: "succeeded",
    reason: "",
    priority: 10,
    attempt: 0,
    tasks: 1,
    gpus: n % 9,
    created_at: new Date(1.79e12 - n * 1000).toISOString(),
    started_at: new Date(1.79e12 - n * 1000).toISOString(),
    decided_at: null,
    ended_at: new Date(1.79e12).toISOString(),
    time_limit: null,
  });
  await page.route("**/api/v1/jobs?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    const from = Number(query.get("cursor") ?? 0);
    const limit = Number(query.get("limit") ?? 50);
    const jobs = Array.from({ length: Math.min(limit, total - from) }, (_, i) => job(from + i));
    return route.fulfill({ json: { jobs, next_cursor: from + limit < total ? String(from + limit) : "" } });
  });
  await page.goto(`${server.url}/jobs`);
  const grid = page.getByRole("grid");
  await expect(page.getByRole("row", { name: "job-0", exact: true })).toBeVisible();
  await expect(async () => {
    await grid.evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
    await expect(page.getByText("共 10000 个作业")).toBeVisible({ timeout: 50 });
  }).toPass({ timeout: 200_000, intervals: [10] });
  await grid.evaluate((box) => box.scrollTo({ top: box.scrollHeight }));
  await expect(page.getByRole("row", { name: "job-9999" })).toBeVisible();
  expect(await grid.getByRole("row").count()).toBeLessThan(80);
  await expect(grid).toHaveAttribute("aria-rowcount", "10001");
});

test("charts: loaded when one is drawn, within their budget, and not a byte before", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit("name: drawn\nrun: for i in 1 2 3; do echo step $i loss 0.$i; done\n");
  await server.waitFor(id, "succeeded");
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.goto(`${server.url}/jobs/${id}`);
  await expect(page.getByRole("region", { name: "训练曲线" })).toBeVisible();
  expect(loaded.filter((url) => /assets\/drawing-/.test(url))).toEqual([]);
  const coming = page.waitForResponse(
    (answer) => /assets\/drawing-.*\.js$/.test(answer.url()) && Number(answer.headers()["content-length"]) > 10 * KB,
  );
  await page.getByRole("link", { name: "打开曲线" }).click();
  await expect(page.getByRole("region", { name: "loss", exact: true }).locator("canvas").first()).toBeVisible();
  const bytes = (await (await coming).request().sizes()).responseBodySize;
  console.log("charts:", bytes);
  expect(bytes).toBeLessThanOrEqual(185 * KB);
});

// Figures of time are for a machine that gives the browser a core of its own. How much of one a busy process gets at this
// moment is measured beside every visit, and the limit stretched by it; on a quiet machine it stays what it says. The best
// of several visits counts: one that was held up by something else says nothing about the page.
const VISITS = 8;

/** The part of a core that a process gets which does nothing but compute. */
function shareOfACore(): number {
  const from = { wall: performance.now(), used: process.cpuUsage() };
  while (performance.now() - from.wall < 100);
  const used = process.cpuUsage(from.used);
  return Math.min(1, (used.user + used.system) / 1000 / (performance.now() - from.wall));
}

/** Repeats a visit until one is quick enough; fails with all of them. */
async function expectWithin(limit: number, what: string, visit: () => Promise<number>): Promise<void> {
  const seen: string[] = [];
  for (let count = 0; count < VISITS; count += 1) {
    const before = shareOfACore();
    const took = await visit();
    const share = Math.min(before, shareOfACore());
    seen.push(`${Math.round(took)} ms with ${share.toFixed(2)} of a core`);
    if (took <= limit / share) {
      console.log(`${what}:`, seen.at(-1));
      return;
    }
  }
  expect(seen, `${what} within ${limit} ms`).toEqual([]);
}

test("the job list can be used within a second of a first visit", async ({ browser, server }) => {
  test.setTimeout(180_000);
  for (let n = 0; n < 3; n += 1) await server.submit(`name: listed-${n}\nrun: echo hi\n`);
  // From the start of the navigation, with nothing cached, until rows and search box are drawn and the page's thread has
  // come to rest after drawing them: from then on it hears keys and clicks.
  await expectWithin(1000, "first visit to the job list", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    try {
      const page = await context.newPage();
      await remember(page, {});
      await context.addCookies([{ name: "trainyard_session", value: server.token, url: server.url }]);
      await page.addInitScript(() => {
        const watch = new MutationObserver(() => {
          if (
            document.querySelectorAll("[role=grid] [role=row]").length < 2 ||
            !document.querySelector("main input[type=search]")
          )
            return;
          watch.disconnect();
          requestAnimationFrame(() => setTimeout(() => Object.assign(window, { usableAt: performance.now() })));
        });
        watch.observe(document, { childList: true, subtree: true });
      });
      await page.goto(`${server.url}/jobs`);
      const took = await page.waitForFunction(() => (window as unknown as { usableAt?: number }).usableAt);
      // It is what it claims to be: a key pressed now finds the list.
      await page.getByRole("main").getByRole("searchbox").fill("listed-1");
      await expect(page.getByRole("row", { name: "listed-2" })).toBeHidden();
      return (await took.jsonValue()) as number;
    } finally {
      await context.close();
    }
  });
});

test("going from page to page takes a blink once their parts are there", async ({ signedIn: page, server }) => {
  test.setTimeout(240_000);
  const places = [
    { link: /^队列/, heading: "队列" },
    { link: /^节点与显卡/, heading: "节点与显卡" },
    { link: /^作业管理/, heading: "作业管理" },
    { link: /^访问令牌/, heading: "访问令牌" },
  ];
  await page.goto(server.url);
  for (const { link, heading } of places) {
    await page.getByRole("link", { name: link }).first().click();
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeVisible();
  }
  for (const { link, heading } of places) {
    await expectWithin(300, `route change to ${heading}`, async () => {
      await page.getByRole("link", { name: "概览" }).first().click();
      await expect(page.getByRole("region", { name: "集群负载" })).toBeVisible();
      // From the click until the new page's title is drawn.
      return page
        .getByRole("link", { name: link })
        .first()
        .evaluate(
          (target, wanted) =>
            new Promise<number>((done) => {
              const from = performance.now();
              const watch = new MutationObserver(() => {
                if (document.querySelector("main h1")?.textContent?.startsWith(wanted) !== true) return;
                watch.disconnect();
                requestAnimationFrame(() => setTimeout(() => done(performance.now() - from)));
              });
              watch.observe(document.body, { childList: true, subtree: true, characterData: true });
              (target as HTMLElement).click();
            }),
          heading,
        );
    });
  }
});

test("twenty tasks of a thousand points are drawn in a blink", async ({ signedIn: page, server }) => {
  test.setTimeout(180_000);
  const id = await server.submit("name: drawn-fast\nrun: sleep 600\n");
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
      gpus: [],
    })),
  }));
  await page.route("**/metrics?*", (route) => route.fulfill({ json: { tasks } }));
  await page.goto(`${server.url}/jobs/${id}/monitor`);
  const canvas = page.getByRole("region", { name: "CPU", exact: true }).locator("canvas");
  await expect(canvas).toHaveCount(1);
  await expectWithin(300, "20 × 1,000 points", async () => {
    await page.getByRole("link", { name: "概况", exact: true }).click();
    await expect(canvas).toHaveCount(0);
    // From the click, with code and figures at hand, until the lines are on the canvas and the page's thread rests again.
    return page.getByRole("link", { name: "作业监控", exact: true }).evaluate(
      (tab) =>
        new Promise<number>((done) => {
          const from = performance.now();
          const look = () => {
            const drawn = document.querySelector<HTMLCanvasElement>("main canvas");
            const ink = drawn
              ?.getContext("2d")
              ?.getImageData(0, 0, drawn.width, drawn.height)
              .data.some((byte) => byte > 0);
            if (ink) setTimeout(() => done(performance.now() - from));
            else requestAnimationFrame(look);
          };
          (tab as HTMLElement).click();
          requestAnimationFrame(look);
        }),
    );
  });
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});

test("a list that is watched through a storm of events stays calm and keeps nothing", async ({
  signedIn: page,
  server,
}) => {
  test.setTimeout(240_000);
  await server.submit("name: calm\nrun: echo\n");
  await page.goto(`${server.url}/jobs`);
  await expect(page.getByRole("grid")).toBeVisible();
  const tools = await page.context().newCDPSession(page);
  await tools.send("Performance.enable");
  const measure = async (name: string) =>
    (await tools.send("Performance.getMetrics")).metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  const heap = async () => {
    await tools.send("HeapProfiler.collectGarbage");
    return measure("JSHeapUsedSize");
  };
  const storm = async (jobs: number) => {
    const ids = [];
    for (let n = 0; n < jobs; n += 10) {
      ids.push(
        ...(await Promise.all(
          Array.from({ length: 10 }, (_, i) => server.submit(`name: storm-${n + i}\nrun: echo ${n + i}\n`)),
        )),
      );
    }
    for (const id of ids) await server.waitFor(id, "succeeded");
  };
  // The first one fills caches: what is kept for good is not what grows.
  await storm(100);
  const before = await heap();
  await page.evaluate(() => {
    const changed = new Set<number>();
    const grid = document.querySelector("[role=grid]") as HTMLElement;
    new MutationObserver(() => changed.add(Math.round(performance.now()))).observe(grid, {
      childList: true,
      subtree: true,
      characterData: true,
    });
    Object.assign(window, { changed, from: performance.now() });
  });
  const busy = await measure("ScriptDuration");
  await storm(600);
  const seen = await page.evaluate(() => {
    const { changed, from } = window as unknown as { changed: Set<number>; from: number };
    return { seconds: (performance.now() - from) / 1000, times: changed.size };
  });
  const script = (await measure("ScriptDuration")) - busy;
  await expect(page.getByRole("row", { name: "storm-599", exact: true })).toBeVisible();
  const grown = ((await heap()) - before) / 1e6;
  console.log(
    `storm: ${seen.seconds.toFixed(1)} s, drawn ${(seen.times / seen.seconds).toFixed(1)} times a second, ${((100 * script) / seen.seconds).toFixed(1)} % script, heap ${grown.toFixed(1)} MB more`,
  );
  // Four times a second by the stream, and durations that count on by themselves once more.
  expect(seen.times / seen.seconds).toBeLessThanOrEqual(6);
  expect(grown).toBeLessThanOrEqual(20);
});
