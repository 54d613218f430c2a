import { expect, test } from "vitest";
import { adviceOn } from "./advice";
import type { TaskMetrics } from "./usage";

const GiB = 2 ** 30;
const ran = (minutes: number, memory: number, loads: number[], asked = 32 * GiB): TaskMetrics => ({
  task: "main-0",
  attempt: 0,
  try: 0,
  cpus: 1,
  memory: asked,
  latest: null,
  points: [0, minutes].map(
    (minute) =>
      ({
        at: new Date(1e12 + minute * 60_000).toISOString(),
        memory,
        gpus: loads.map((load_percent, index) => ({ index, load_percent, memory_used: 0 })),
      }) as TaskMetrics["points"][number],
  ),
});

test("GPUs that stood still and memory that lay idle are named with figures", () => {
  expect(adviceOn([ran(30, 2 * GiB, [90, 1, 0])], false)).toEqual([
    { kind: "gpus", asked: 3, idle: 2 },
    { kind: "memory", asked: 32 * GiB, most: 2 * GiB },
  ]);
});

test("nothing is said too early, about little, or about what is used", () => {
  expect(adviceOn([ran(5, GiB, [0])], false)).toEqual([]);
  expect(adviceOn([ran(30, 20 * GiB, [50])], false)).toEqual([]);
  expect(adviceOn([ran(30, GiB / 8, [], GiB)], false)).toEqual([]);
  expect(adviceOn([], false)).toEqual([]);
});

test("a short run that is over has shown what it needs", () => {
  expect(adviceOn([ran(1, GiB, [0])], true)).toEqual([
    { kind: "gpus", asked: 1, idle: 1 },
    { kind: "memory", asked: 32 * GiB, most: GiB },
  ]);
  expect(adviceOn([ran(0.2, GiB, [0])], true)).toEqual([]);
});
