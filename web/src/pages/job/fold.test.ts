import { expect, test } from "vitest";
import { fold, type Event } from "./fold";

const event = (id: number, kind: string, data: object): Event =>
  ({ id, kind, data, actor: "trainyard", job: "j", at: new Date(id * 1000).toISOString() }) as Event;

test("the same again is one row with a count, whatever counts up beside it", () => {
  const rows = fold([
    event(1, "job.queued", {}),
    event(2, "task.restarted", { task: "main-0", exit_code: 6, try: 1, wait_s: 0 }),
    event(3, "task.restarted", { task: "main-0", exit_code: 6, try: 2, wait_s: 1 }),
    event(4, "task.restarted", { task: "main-1", exit_code: 6, try: 1, wait_s: 0 }),
    event(5, "job.queued", {}),
  ]);
  expect(rows.map((row) => [row.event.id, row.count])).toEqual([
    [5, 1],
    [4, 1],
    [3, 2],
    [1, 1],
  ]);
  expect(rows[2]?.first).toBe(new Date(2000).toISOString());
});
