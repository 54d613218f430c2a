import { expect, test } from "vitest";
import type { Job, Schemas } from "@/api/client";
import { busiest, gpuMemoryOf, highest, latest, limitOf, linesOf, together, withGaps, type TaskMetrics } from "./usage";

const at = (second: number) => new Date(1e12 + second * 1000).toISOString();
const x = (second: number) => 1e12 + second * 1000;
const task = (
  name: string,
  points: Array<Partial<Schemas["UsagePoint"]>>,
  more: Partial<TaskMetrics> = {},
): TaskMetrics => ({
  task: name,
  attempt: 0,
  try: 0,
  cpus: 2,
  memory: 1 << 30,
  latest: null,
  points: points as TaskMetrics["points"],
  ...more,
});

test("what is counted since the start becomes a rate; a counter begun anew is no negative one", () => {
  const one = task("main-0", [
    { at: at(0), network_received: 0, gpus: [] },
    { at: at(2), network_received: 2048, gpus: [] },
    { at: at(4), network_received: 48, gpus: [] },
    { at: at(6), network_received: null, gpus: [] },
  ]);
  expect(linesOf([one], "network_in")).toEqual([
    {
      name: "main-0",
      points: [
        [x(2), 1024],
        [x(4), 0],
      ],
    },
  ]);
});

test("what a machine cannot tell has no line", () => {
  expect(linesOf([task("main-0", [{ at: at(0), cpus: null, memory: 5, gpus: [] }])], "cpus")).toEqual([]);
  expect(linesOf([task("main-0", [])], "gpu_load")).toEqual([]);
});

test("every GPU of a task has its own line", () => {
  const one = task("main-0", [
    {
      at: at(0),
      gpus: [
        { index: 3, load_percent: 50, memory_used: 7 },
        { index: 1, load_percent: null, memory_used: 8 },
      ],
    },
  ]);
  expect(linesOf([one], "gpu_load")).toEqual([
    { name: "main-0 GPU 1", points: [[x(0), null]] },
    { name: "main-0 GPU 3", points: [[x(0), 50]] },
  ]);
});

test("together: sums what runs at the same time, each looked at in its own rhythm", () => {
  const a = {
    name: "a",
    points: [
      [0, 1],
      [10, 2],
      [20, 2],
    ] as [number, number][],
  };
  const b = {
    name: "b",
    points: [
      [5, 10],
      [15, 20],
    ] as [number, number][],
  };
  expect(together([a, b], "sum").points).toEqual([
    [0, 1],
    [5, 11],
    [10, 12],
    [15, 22],
    [20, 2],
  ]);
  expect(together([a, b], "mean", true).points[1]).toEqual([5, 5.5]);
});

test("a stretch in which nothing was measured is a gap; looks that become rarer are none", () => {
  const often = [0, 2, 4].map((s): [number, number] => [s * 1000, 1]);
  expect(withGaps([...often, [600_000, 1], [602_000, 1]]).filter((point) => point[1] === null)).toHaveLength(1);
  expect(
    withGaps([
      [0, 1],
      [2000, 1],
      [12_000, 1],
      [40_000, 1],
      [100_000, 1],
    ]).some((point) => point[1] === null),
  ).toBe(false);
});

test("many tasks: the busiest, and the others as one", () => {
  const lines = Array.from({ length: 30 }, (_, i) => ({ name: `w-${i}`, points: [[0, i]] as [number, number][] }));
  const shown = busiest(lines, 10, "others");
  expect(shown).toHaveLength(11);
  expect(shown[0]?.name).toBe("w-20");
  expect(shown.at(-1)).toEqual({ name: "others", points: [[0, 190]] });
});

test("limits: of one, of all, or none where tasks differ", () => {
  const same = [task("a", []), task("b", [])];
  expect(limitOf(same, "cpus", false)).toBe(2);
  expect(limitOf(same, "cpus", true)).toBe(4);
  expect(limitOf([...same, task("c", [], { cpus: 1 })], "cpus", false)).toBeNull();
  expect(limitOf(same, "processes", false)).toBeNull();
});

test("the highest and the latest that are known", () => {
  expect(
    highest([
      [0, null],
      [1, 3],
      [2, 2],
    ]),
  ).toBe(3);
  expect(
    latest([
      [0, 1],
      [1, null],
    ]),
  ).toBe(1);
  expect(latest([])).toBeNull();
});

test("the memory of its GPUs is known as long as their machine is", () => {
  const job = {
    roles: [
      {
        tasks: [
          { node: "a", gpus: [0, 1] },
          { node: "b", gpus: [0] },
        ],
      },
    ],
  } as unknown as Job;
  const node = (name: string, ...memory: number[]) =>
    ({ name, gpus: memory.map((bytes, index) => ({ index, memory: bytes })) }) as Schemas["Node"];
  expect(gpuMemoryOf(job, [node("a", 80, 80), node("b", 80)], false)).toBe(80);
  expect(gpuMemoryOf(job, [node("a", 80, 80), node("b", 40)], false)).toBeNull();
  expect(gpuMemoryOf(job, [node("a", 80, 80), node("b", 40)], true)).toBe(200);
  expect(gpuMemoryOf(job, [node("a", 80, 80)], true)).toBeNull();
  expect(gpuMemoryOf({ roles: [] } as unknown as Job, [], true)).toBeNull();
});
