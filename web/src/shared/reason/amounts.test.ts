import { expect, test } from "vitest";
import { amountInChinese } from "./amounts";

test("amounts read as Chinese writes them", () => {
  expect(amountInChinese("16 H100")).toBe("16 块 H100");
  expect(amountInChinese("4 A100 or H100")).toBe("4 块 A100 或 H100");
  expect(amountInChinese("2 GPUs")).toBe("2 块 GPU");
  expect(amountInChinese("30 CPUs, 64 GB of memory")).toBe("30 核 CPU、64 GiB 内存");
  expect(amountInChinese("1 CPU")).toBe("1 核 CPU");
  expect(amountInChinese("23.5 GB")).toBe("23.5 GiB");
  expect(amountInChinese("GPUs")).toBe("块 GPU");
  expect(amountInChinese("2 jobs are")).toBe("2 个作业");
  expect(amountInChinese("node-01")).toBe("node-01");
});
