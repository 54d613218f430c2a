import { expect, test } from "vitest";
import type { Schemas } from "@/api/client";
import { planMove } from "./plan_move";

type Entry = Schemas["QueueEntry"];
const line = ["a", "b", "c"].map((id, index) => ({ id, name: id, position: index + 1 }) as Entry);
const entry = (id: string) => line.find((one) => one.id === id) ?? ({} as Entry);

test("moves are said as who goes right before whom", () => {
  expect(planMove(line, entry("c"), "up")).toMatchObject({ job: "c", before: "b", to: 2 });
  expect(planMove(line, entry("c"), "front")).toMatchObject({
    job: "c",
    before: null,
    to: 1,
    back: [{ id: "a" }, { id: "b" }],
  });
  // Down is the next one going up.
  expect(planMove(line, entry("a"), "down")).toMatchObject({ job: "b", before: "a", to: 2 });
  expect(planMove(line, entry("a"), "up")).toBeNull();
  expect(planMove(line, entry("c"), "down")).toBeNull();
});
