import { expect, test } from "vitest";
import { LogCurves, place, usualAxis, WHOLE } from "./log_curves";

/** A log in memory, and how many of its lines were asked for. */
function logOf(lines: string[]) {
  const asked = { lines: 0, questions: 0 };
  const ask = async ({ first = 1, count }: { first?: number; count: number }) => {
    const part = lines.slice(first - 1, first - 1 + count);
    asked.lines += part.length;
    asked.questions += 1;
    return {
      task: "main-0",
      attempt: 0,
      total: lines.length,
      first,
      lines: part.map((text, i) => ({ at: new Date(1e12 + (first + i) * 1000).toISOString(), text, cut: false })),
    };
  };
  return { lines, ask, asked };
}

test("reads a log whole, and then only what is new", async () => {
  const log = logOf(["hello", "step 1 loss 2.0 acc 0.1", "\u001b[32mstep 2\u001b[0m loss 1.0 acc 0.2"]);
  const curves = new LogCurves(log.ask);
  await curves.advance();
  expect([...curves.curves.keys()]).toEqual(["loss", "acc"]);
  log.lines.push("step 3 loss 0.5 acc 0.3");
  const before = log.asked.lines;
  await curves.advance();
  expect(log.asked.lines - before).toBe(1);
  expect(curves.curves.get("loss")?.map((mark) => [mark.line, mark.step, mark.value])).toEqual([
    [2, 1, 2],
    [3, 2, 1],
    [4, 3, 0.5],
  ]);
  expect(curves.sampled).toBe(false);
});

test("of a very long log only a bounded part is read, from its beginning to its end", async () => {
  const log = logOf(Array.from({ length: 1_500_000 }, (_, i) => `step ${i} loss ${1 / (i + 1)}`));
  const curves = new LogCurves(log.ask);
  await curves.advance();
  expect(curves.sampled).toBe(true);
  expect(log.asked.lines).toBeLessThan(WHOLE);
  expect(log.asked.questions).toBeLessThan(80);
  const loss = curves.curves.get("loss") ?? [];
  expect(loss[0]?.step).toBe(0);
  expect(loss.at(-1)?.step).toBe(1_499_999);
  expect(
    loss.every((mark, i) => i === 0 || mark.line > (loss[i - 1]?.line ?? 0)),
    "in order",
  ).toBe(true);
  expect(usualAxis(curves.curves.values())).toBe("step");
});

test("a curve keeps a bounded number of marks, however many there are", async () => {
  const log = logOf([]);
  const curves = new LogCurves(log.ask);
  for (let round = 0; round < 10; round += 1) {
    for (let i = 0; i < 3000; i += 1) log.lines.push(`loss=${round * 3000 + i}`);
    await curves.advance();
  }
  expect(curves.curves.get("loss")?.length).toBeLessThanOrEqual(8_000);
  expect(curves.curves.get("loss")?.at(-1)?.value).toBe(29_999);
});

test("the axis that tells most", () => {
  const mark = (step: number | null, epoch: number | null, at: number | null = 0) => ({
    line: 1,
    at,
    step,
    epoch,
    value: 1,
  });
  expect(usualAxis([[mark(1, 1), mark(2, 1)]])).toBe("step");
  expect(usualAxis([[mark(1, 1), mark(1, 2)]])).toBe("epoch");
  expect(usualAxis([[mark(null, null, 5), mark(null, null, 6)]])).toBe("elapsed");
  expect(usualAxis([[mark(null, null, null), mark(null, null, null)]])).toBe("line");
  expect(place(mark(7, null, 5000), "elapsed", 2000)).toBe(3);
});
