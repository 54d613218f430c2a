import type { Locator, Page } from "@playwright/test";
import { expect, expectNoBarriers, test } from "./fixtures";
import { eventually } from "./server";

/** Whether anything but the ground was drawn. */
const painted = (canvas: Locator): Promise<number> =>
  canvas.evaluate((element) => {
    const picture = element as HTMLCanvasElement;
    const data =
      picture.getContext("2d")?.getImageData(0, 0, picture.width, picture.height).data ?? new Uint8ClampedArray();
    let count = 0;
    for (let i = 3; i < data.length; i += 4) if ((data[i] ?? 0) > 0) count += 1;
    return count;
  });

const chart = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

/** As many numbers as there are rows in the table under a chart, newest first. */
async function figures(region: Locator, column = 1): Promise<string[]> {
  return region
    .getByRole("row")
    .evaluateAll((rows, at) => rows.slice(1).map((row) => row.children[at]?.textContent ?? ""), column);
}

test("what a log prints becomes curves, live, and their settings are in the address", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit(
    "name: learns\nrun: |\n  for i in $(seq 1 60); do echo \"step $i loss $(awk -v i=$i 'BEGIN { print 2 / i }') acc 0.$((10 + i))\"; sleep 0.2; done\n  sleep 600\n",
  );
  await page.goto(`${server.url}/jobs/${id}/curves`);
  const loss = chart(page, "loss");
  await expect(loss).toBeVisible();
  await expect(chart(page, "acc")).toBeVisible();
  await loss.getByRole("button", { name: "查看数据：loss" }).click();
  // It grows by itself, to its last point.
  await expect(loss.getByRole("cell", { name: "60", exact: true })).toBeVisible();
  const values = await figures(loss);
  expect(values).toHaveLength(60);
  expect(values.at(-1)).toBe("2");
  expect(values[0]).toBe("0.03333");
  await expect(loss.getByRole("img")).toHaveAttribute("aria-label", /60 个点，最新 0\.03333，最低 0\.03333，最高 2。/);
  await expect.poll(() => painted(loss.locator("canvas").first())).toBeGreaterThan(200);
  await expectNoBarriers(page, "curves");
  await page.getByLabel("横轴").selectOption("elapsed");
  await page.getByLabel("对数轴").click();
  await page.getByLabel("平滑").fill("0.6");
  await expect(page).toHaveURL(/x=elapsed/);
  await expect(page).toHaveURL(/log=1/);
  await expect(page).toHaveURL(/smooth=0\.6/);
  await page.reload();
  await expect(page.getByLabel("横轴")).toHaveValue("elapsed");
  await expect(page.getByLabel("对数轴")).toBeChecked();
  await expect(page.getByLabel("平滑")).toHaveValue("0.6");
  await loss.getByRole("button", { name: "查看数据：loss" }).click();
  await expect(loss.getByRole("table")).toBeVisible();
  const smoothed = await figures(loss);
  expect(smoothed).toHaveLength(60);
  expect(smoothed[0], "smoothed").not.toBe("0.03333");
  await server.call("DELETE", `/api/v1/jobs/${id}?force=true`);
});

test("the overview of a job shows its first curves beside its last lines", async ({ signedIn: page, server }) => {
  const id = await server.submit(
    'name: learnt\nrun: for i in 1 2 3 4 5; do echo "epoch $i/5 loss=0.$((9 - i)) val_acc=0.5$i"; done\n',
  );
  await server.waitFor(id, "succeeded");
  await page.goto(`${server.url}/jobs/${id}`);
  const card = page.getByRole("region", { name: "训练曲线" });
  await expect(card.getByRole("img", { name: /^loss：5 个点，最新 0\.4/ })).toBeVisible();
  await expect(card.getByRole("img", { name: /^val_acc：5 个点/ })).toBeVisible();
  await expectNoBarriers(page, "overview with curves");
  await card.getByRole("link", { name: "打开曲线" }).click();
  await expect(chart(page, "val_acc")).toBeVisible();
  await expect(page.getByLabel("横轴")).toHaveValue("epoch");
});

test("a log without figures says what is looked for", async ({ signedIn: page, server }) => {
  const id = await server.submit("name: silent\nrun: echo Listening on port 8080\n");
  await server.waitFor(id, "succeeded");
  await page.goto(`${server.url}/jobs/${id}/curves`);
  await expect(page.getByText("日志里没有找到指标。")).toBeVisible();
  await expect(page.getByText(/print\(f"step/)).toBeVisible();
  await expectNoBarriers(page, "no curves");
});

test("what tasks use: charts with limits, one crosshair for all, a table, and still there after the end", async ({
  signedIn: page,
  server,
}) => {
  const id = await server.submit(
    "name: busy\nroles:\n  worker: { count: 2, cpus: 2, memory: 256Mi, run: 'head -c 30000000 /dev/zero | tail -c 30000000 >/dev/null; for i in $(seq 1 600); do dd if=/dev/zero of=out bs=64k count=16 conv=fsync 2>/dev/null; sleep 0.05; done; sleep 600' }\n",
  );
  await server.waitFor(id, "running");
  await page.goto(`${server.url}/jobs/${id}/monitor`);
  const measured = await eventually("some looks at each task", async () => {
    const { tasks } = await server.call<{ tasks: Array<{ points: Array<Record<string, number | null>> }> }>(
      "GET",
      `/api/v1/jobs/${id}/metrics?points=100`,
    );
    return tasks.length === 2 && tasks.every((task) => task.points.length > 2) && tasks[0]?.points[2];
  });
  const memory = chart(page, "内存");
  const cpu = chart(page, "CPU");
  await expect(memory.getByRole("img")).toHaveAttribute("aria-label", /内存：现在 .*，最高 .*，上限 256 MiB。/);
  await expect(cpu.getByRole("img")).toHaveAttribute("aria-label", /上限 2 核/);
  await expect(memory.getByText("上限 256 MiB")).toBeVisible();
  // Not every machine can tell everything; what it tells is drawn.
  const drawn = { processes: "进程（线程）", disk_written: "磁盘写", network_received: "网络接收" };
  for (const [figure, name] of Object.entries(drawn))
    await expect(chart(page, name)).toHaveCount(measured[figure] === null ? 0 : 1);
  await expect.poll(() => painted(cpu.locator("canvas").first())).toBeGreaterThan(200);
  // The pointer over one chart shows the same moment in the others.
  await expect(async () => {
    const box = await cpu.locator("canvas").first().boundingBox();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 100);
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2 + 3, (box?.y ?? 0) + 100);
    await expect(cpu.locator(".chart-tip")).toBeVisible({ timeout: 1000 });
    // In the first seconds there may be a moment that only one of them was looked at.
    await expect(memory.locator(".chart-tip")).toContainText("worker-1", { timeout: 1000 });
  }).toPass();
  await page.mouse.move(5, 5);
  await page.getByRole("button", { name: "合计" }).click();
  await expect(page).toHaveURL(/by=sum/);
  await expect(memory.getByText("上限 512 MiB")).toBeVisible();
  await memory.getByRole("button", { name: "查看数据：内存" }).click();
  await expect(memory.getByRole("row").nth(1)).toContainText("iB");
  await expectNoBarriers(page, "monitor");
  await server.call("POST", `/api/v1/jobs/${id}/stop`);
  await server.waitFor(id, "cancelled");
  await page.reload();
  await expect(memory.getByRole("img")).toHaveAttribute("aria-label", /上限 512 MiB。/);
  await expect(memory).toContainText("最高");
});

test("monitor of a job that waits, and of one whose figures cannot be had", async ({ signedIn: page, server }) => {
  const id = await server.submit('name: waits\ncpus: 900\nrun: "true"\n');
  await page.goto(`${server.url}/jobs/${id}/monitor`);
  await expect(page.getByText("作业开始以后，这里会显示它用了多少资源。")).toBeVisible();
  await page.route("**/metrics?*", (route) =>
    route.fulfill({ status: 500, json: { code: "internal", message: "broken", details: [], request_id: "r-1" } }),
  );
  await page.reload();
  await expect(page.getByRole("alert")).toContainText("r-1");
  await page.unroute("**/metrics?*");
  await page.getByRole("button", { name: "重试" }).click();
  await expect(page.getByText("作业开始以后，这里会显示它用了多少资源。")).toBeVisible();
});

test("a 100 MB log does not hold up its curves", async ({ signedIn: page, server }) => {
  test.setTimeout(240_000);
  const id = await server.submit(
    "name: endless\nrun: awk 'BEGIN { for (i = 1; i <= 1500000; i++) printf \"step %d of a long run, loss %.6f and on it goes with words\\n\", i, 1 / i }'\n",
  );
  await eventually("it has ended", async () => (await server.state(id)) === "succeeded", 120_000);
  let lines = 0;
  page.on("response", async (answer) => {
    if (answer.url().includes("/logs/lines"))
      lines += ((await answer.json().catch(() => ({ lines: [] }))) as { lines: unknown[] }).lines.length;
  });
  await page.goto(`${server.url}/jobs/${id}/curves`);
  await expect(chart(page, "loss").getByRole("img")).toHaveAttribute("aria-label", /最高 1。/);
  await expect(page.getByText("日志很长：曲线取自均匀抽取的行。")).toBeVisible();
  expect(lines, "lines read").toBeLessThan(20_000);
});
