// @vitest-environment jsdom
import { QueryClient, type QueryKey } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { JobSummary } from "@/api/client";
import type { ServerEvent } from "@/api/event_reader";
import { keys } from "@/api/queries";
import { catchUp, changeLists, patchedRows, renewed, rowsOf, unseen, type JobPages, type JobsPage } from "./lists";

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
  queued_at: "2026-11-15T06:00:00Z",
  ending_as: null,
  reason_code: "",
  exit_code: null,
  not_before: null,
  started_at: null,
  decided_at: null,
  ended_at: null,
  time_limit: null,
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

const page = (next_cursor: string, ...ids: string[]): JobsPage => ({
  jobs: ids.map((id) => job(id, "running")),
  next_cursor,
});
const list = (...pages: JobsPage[]): JobPages => ({ pages, pageParams: pages.map((_, index) => String(index)) });
const ids = (pages: JobPages | undefined) => rowsOf(pages).map((row) => row.id);

test("at the top new jobs join the list; elsewhere they wait", () => {
  const before = list(page("x", "c", "d"), page("y", "e", "f"));
  const head = page("z", "a", "c");
  expect(unseen(before, head)).toBe(1);
  expect(ids(renewed(before, head, false))).toEqual(["c", "d", "e", "f"]);
  const after = renewed(before, head, true);
  expect(ids(after)).toEqual(["a", "c", "d", "e", "f"]);
  expect(unseen(after, head)).toBe(0);
  expect(after.pages.at(-1)?.next_cursor).toBe("y");
});

test("known rows are renewed wherever the reader is", () => {
  const head = { jobs: [job("c", "succeeded")], next_cursor: "z" };
  expect(rowsOf(renewed(list(page("x", "c", "d")), head, false))[0]?.state).toBe("succeeded");
});

test("a look that shows everything takes away who left", () => {
  const before = list(page("", "a", "b", "c"));
  expect(ids(renewed(before, page("", "n", "b"), false))).toEqual(["b"]);
  expect(ids(renewed(before, page("", "n", "b"), true))).toEqual(["n", "b"]);
});

test("a list that was one page can grow on, and one that nothing connects begins anew", () => {
  expect(renewed(list(page("", "a")), page("z", "b", "a"), true).pages[0]?.next_cursor).toBe("z");
  expect(ids(renewed(list(page("x", "d"), page("y", "e")), page("z", "a", "b"), true))).toEqual(["a", "b"]);
});

test("who stands in two parts is one row", () => {
  expect(ids(list(page("x", "a", "b"), page("", "b", "c")))).toEqual(["a", "b", "c"]);
});

test("events reach every list that is kept, also one that is just being read on", async () => {
  const queries = new QueryClient();
  const key: QueryKey = [...keys.list, {}];
  const read = () => rowsOf(queries.getQueryData<JobPages>(key)).map((row) => row.state);
  queries.setQueryData(key, list(page("x", "a")));
  changeLists(queries, [event("a", "job.succeeded")]);
  expect(read()).toEqual(["succeeded"]);

  let arrive: (page: JobsPage) => void = () => undefined;
  const more = queries.fetchInfiniteQuery({
    queryKey: key,
    staleTime: 0,
    pages: 1,
    initialPageParam: "",
    getNextPageParam: () => undefined,
    queryFn: () => new Promise<JobsPage>((answer) => (arrive = answer)),
  });
  await Promise.resolve();
  changeLists(queries, [event("a", "job.failed")]);
  arrive(page("x", "a"));
  await more;
  expect(read()).toEqual(["running"]);
  catchUp(queries);
  expect(read()).toEqual(["failed"]);
});

test("an event that was heard while a list was read never undoes a later one", async () => {
  const queries = new QueryClient();
  const key: QueryKey = [...keys.list, {}];
  let arrive: (page: JobsPage) => void = () => undefined;
  const first = queries.fetchInfiniteQuery({
    queryKey: key,
    initialPageParam: "",
    getNextPageParam: () => undefined,
    queryFn: () => new Promise<JobsPage>((answer) => (arrive = answer)),
  });
  await Promise.resolve();
  changeLists(queries, [event("a", "job.running")]);
  arrive(page("x", "a"));
  await first;
  changeLists(queries, [event("a", "job.succeeded")]);
  catchUp(queries);
  expect(rowsOf(queries.getQueryData<JobPages>(key)).map((row) => row.state)).toEqual(["succeeded"]);
});
