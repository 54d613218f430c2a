import { expect, it } from "vitest";
import type { Node } from "@/api/nodes";
import { freeGpus, totalsOf } from "./totals";

it("counts what is used, free and broken", () => {
  const nodes = [
    {
      name: "a",
      healthy: true,
      cpus: 8,
      cpus_used: 2,
      memory: 10,
      memory_used: 4,
      gpus: [
        { index: 0, type: "A100", used: true },
        { index: 1, type: "A100", used: false },
      ],
    },
    {
      name: "b",
      healthy: false,
      cpus: 8,
      cpus_used: 0,
      memory: 10,
      memory_used: 0,
      gpus: [{ index: 0, type: "T4", used: false }],
    },
  ] as Node[];
  expect(totalsOf(nodes)).toEqual({
    nodes: 2,
    down: 1,
    cpus: 16,
    cpusUsed: 2,
    memory: 20,
    memoryUsed: 4,
    gpus: [
      { type: "A100", all: 2, used: 1, down: 0 },
      { type: "T4", all: 1, used: 0, down: 1 },
    ],
  });
  expect(nodes.map(freeGpus)).toEqual([1, 0]);
});
