import type { Schemas } from "@/api/client";

type Node = Schemas["Node"];
export type Gpu = NonNullable<Node["gpus"]>[number] & {
  healthy?: boolean;
  problem?: string;
  model?: string;
  memory?: number;
};

export interface Totals {
  nodes: number;
  down: number;
  cpus: number;
  cpusUsed: number;
  memory: number;
  memoryUsed: number;
  gpus: Array<{ type: string; all: number; used: number; down: number }>;
}

export type CellState = "free" | "used" | "broken";

export function cellState(node: Node, gpu: Gpu): CellState {
  if (node.healthy === false || gpu.healthy === false) return "broken";
  return gpu.used ? "used" : "free";
}

export const usedGpus = (node: Node): number => node.gpus.filter((gpu) => gpu.used).length;
export const freeGpus = (node: Node): number => node.gpus.filter((gpu) => cellState(node, gpu) === "free").length;

/** Everything there is, everything in use, and what cannot be used. */
export function totalsOf(nodes: Node[]): Totals {
  const totals: Totals = { nodes: nodes.length, down: 0, cpus: 0, cpusUsed: 0, memory: 0, memoryUsed: 0, gpus: [] };
  const byType = new Map<string, Totals["gpus"][number]>();
  for (const node of nodes) {
    if (node.healthy === false) totals.down += 1;
    totals.cpus += node.cpus;
    totals.cpusUsed += node.cpus_used;
    totals.memory += node.memory;
    totals.memoryUsed += node.memory_used;
    for (const gpu of node.gpus) {
      const type = gpu.type;
      const sum = byType.get(type) ?? { type, all: 0, used: 0, down: 0 };
      sum.all += 1;
      const state = cellState(node, gpu);
      if (state === "used") sum.used += 1;
      if (state === "broken") sum.down += 1;
      byType.set(type, sum);
    }
  }
  totals.gpus = [...byType.values()].sort((a, b) => a.type.localeCompare(b.type));
  return totals;
}
