import { expect, test } from "vitest";
import { best, score, synonyms } from "./match";

test("exact beats start beats middle beats scattered", () => {
  const scores = ["bert", "bert-01", "my-bert", "b-e-r-t"].map((text) => score(text, "bert"));
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(score("resnet", "bert")).toBe(0);
});

test("words of the older systems, and initials, find our pages", () => {
  expect(best(synonyms.queue ?? [], "虚拟集群")).toBe(100);
  expect(best(synonyms.jobs ?? [], "训练任务")).toBe(100);
  expect(best(synonyms.jobs ?? [], "zy")).toBe(100);
  expect(best(synonyms.nodes ?? [], "虚拟集群")).toBe(0);
});
