import { expect, test } from "vitest";
import { withChange } from "./change";

test("a proposal of the scheduler is written where it belongs", () => {
  expect(withChange("run: x\ngpus: 4\n", { code: "fewer_gpus", data: { gpus: 2 } })).toBe("run: x\ngpus: 2\n");
  expect(withChange("run: x\n", { code: "less_memory", data: { to: 11 * 2 ** 30 } })).toBe("run: x\nmemory: 11GB\n");
  expect(withChange("roles: {w: {run: x, cpus: 9}}\n", { code: "fewer_cpus", data: { to: 2500 } })).toContain(
    "cpus: 2.5",
  );
  expect(withChange("run: x\n", { code: "shorten_time_limit", data: { limit: 7_200_000 } })).toBe(
    "run: x\ntime_limit: 2h\n",
  );
});

test("what takes a person's decision is left to one", () => {
  expect(withChange("run: x\n", { code: "stop_jobs", data: { jobs: "a" } })).toBeNull();
  expect(withChange("roles: {a: {run: x}, b: {run: y}}\n", { code: "fewer_gpus", data: { gpus: 1 } })).toBeNull();
});
