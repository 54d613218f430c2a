import { expect, it } from "vitest";
import { readMetrics, sumOf } from "./metrics";

it("reads Prometheus text", () => {
  const samples = readMetrics(
    '# HELP a b\n# TYPE a gauge\na 1\nhits{op="x",class="2xx"} 3\nhits{op="y",class="5xx"} 2\nbig 1e9\n',
  );
  expect(sumOf(samples, "a")).toBe(1);
  expect(sumOf(samples, "hits")).toBe(5);
  expect(sumOf(samples, "hits", (labels) => labels.class === "5xx")).toBe(2);
  expect(sumOf(samples, "big")).toBe(1e9);
  expect(sumOf(samples, "none")).toBeUndefined();
});
