import { expect, test } from "vitest";
import type { JobSummary } from "@/api/client";
import type { ServerEvent } from "@/api/event_reader";
import { patchedRows } from "./patch";

const job = (id: string, state: JobSummary["state"]): JobSummary => ({
  id,
  state,
  name: id,
  handle: id,
  owner: "ann",
  workspace: "default",
  dialect: "native",
  reason: "waits",
  priority: 10,
  attempt: 0,
  tasks: 1,
  gpus: 0,
  created_at: "2026-11-15T06:00:00Z",
});
const event = (id: string, kind: string): ServerEvent => ({
  id: 1,
  at: "2026-11-15T06:39:00Z",
  kind,
  job: id,
  actor: "",
  data: {},
});

test("rows change where they stand", () => {
  const rows = [job("a", "queued"), job("b", "running"), job("c", "failed")];
  const next = patchedRows(rows, [event("a", "job.placed"), event("a", "job.running"), event("b", "job.succeeded")]);
  expect(next.map((row) => row.state)).toEqual(["running", "succeeded", "failed"]);
  expect(next[0]).toMatchObject({ started_at: "2026-11-15T06:39:00Z", reason: "" });
  expect(next[1]?.ended_at).toBe("2026-11-15T06:39:00Z");
  expect(next[2]).toBe(rows[2]);
});

test("deleted ones go, and strangers change nothing", () => {
  const rows = [job("a", "failed"), job("b", "running")];
  expect(patchedRows(rows, [event("a", "job.deleted")])).toEqual([rows[1]]);
  expect(patchedRows(rows, [event("z", "job.running"), event("b", "task.started")])).toBe(rows);
});
