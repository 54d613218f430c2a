import { describe, expect, it } from "vitest";
import { planFor } from "./plan";

const gpus = (type: string, count: number, used: number) => Array.from({ length: count }, (_, index) => ({ index, type, used: index < used }));
const nodes = [
  { name: "n1", healthy: true, cpus: 16, cpus_used: 4, memory: 64e9, memory_used: 0, gpus: gpus("A100", 8, 6) },
  { name: "n2", healthy: true, cpus: 16, cpus_used: 0, memory: 64e9, memory_used: 0, gpus: gpus("T4", 4, 3) },
];
const job = (count: number, each: number, type?: string) => ({ roles: [{ name: "w", count, resources: { cpu_milli: 1000, memory: 1e9, gpus: each, gpu_types: type ? [type] : [] } }] });

describe("whether a job finds room", () => {
  it("starts at once where it fits", () => {
    expect(planFor(job(1, 2, "a100"), nodes, 0)).toEqual({ kind: "now", nodes: ["n1"] });
    expect(planFor(job(3, 1), nodes, 0)).toEqual({ kind: "now", nodes: ["n1", "n2"] });
  });
  it("waits for what is in use and for those before it", () => {
    expect(planFor(job(1, 4, "A100"), nodes, 0)).toEqual({ kind: "waits", ahead: 0, free: 3, asked: 4 });
    expect(planFor(job(1, 1), nodes, 2)).toMatchObject({ kind: "waits", ahead: 2 });
  });
  it("says what no machine has", () => {
    expect(planFor(job(1, 16), nodes, 0)).toEqual({ kind: "never", reason: "gpus", asked: 16, largest: 8, type: "GPU" });
    expect(planFor({ roles: [{ name: "w", resources: { cpu_milli: 99000 } }] }, nodes, 0)).toMatchObject({ kind: "never", reason: "cpus", largest: 16 });
    expect(planFor(job(1, 1, "H100"), nodes, 0)).toMatchObject({ kind: "never", reason: "gpus", largest: 0 });
  });
});
