import type { InfiniteData, QueryClient } from "@tanstack/react-query";
import type { JobState, JobSummary } from "@/api/client";
import type { ServerEvent } from "@/api/event_reader";
import { keys } from "@/api/queries";

/** A part of a list, and where the next one begins; no cursor: there is none. */
export interface JobsPage {
  jobs: JobSummary[];
  next_cursor: string;
}
/** A list as far as it has been read. */
export type JobPages = InfiniteData<JobsPage>;

/** What each event says about a job's state. Others leave it as it is. */
const states: Record<string, JobState> = {
  "job.queued": "queued",
  "job.placed": "starting",
  "job.running": "running",
  "job.stopping": "stopping",
  "job.paused": "paused",
  "job.succeeded": "succeeded",
  "job.failed": "failed",
  "job.cancelled": "cancelled",
};
const ends = new Set<JobState>(["succeeded", "failed", "cancelled"]);

/** A row of a list as it is after an event: at once, without asking the server. */
export function patched(job: JobSummary, event: ServerEvent): JobSummary {
  const state = states[event.kind];
  if (!state || state === job.state) return job;
  const next: JobSummary = { ...job, state };
  if (state === "running" && !job.started_at) next.started_at = event.at;
  if (ends.has(state)) next.ended_at = event.at;
  if (state === "starting" || state === "running") next.reason = "";
  return next;
}

/** The rows of a list after some events: changed in place, deleted ones gone, order untouched. */
export function patchedRows(rows: JobSummary[], events: ServerEvent[]): JobSummary[] {
  const byJob = new Map<string, ServerEvent[]>();
  for (const event of events) byJob.set(event.job, [...(byJob.get(event.job) ?? []), event]);
  let changed = false;
  const next: JobSummary[] = [];
  for (const row of rows) {
    const heard = byJob.get(row.id);
    if (!heard) {
      next.push(row);
      continue;
    }
    if (heard.some((event) => event.kind === "job.deleted")) {
      changed = true;
      continue;
    }
    const after = heard.reduce(patched, row);
    changed ||= after !== row;
    next.push(after);
  }
  return changed ? next : rows;
}

const changedPage = (page: JobsPage, events: ServerEvent[]): JobsPage => {
  const jobs = patchedRows(page.jobs, events);
  return jobs === page.jobs ? page : { ...page, jobs };
};

let missed: ServerEvent[] = [];

/** Says to every list that is kept what has happened. */
export function changeLists(queries: QueryClient, events: ServerEvent[]): void {
  const isReading = queries.isFetching({ queryKey: keys.list }) > 0;
  // Never an old event after a newer one: what nobody caught up with is said before what is new.
  const told = isReading ? events : [...missed, ...events];
  missed = isReading ? [...missed, ...events] : [];
  apply(queries, told);
}

function apply(queries: QueryClient, events: ServerEvent[]): void {
  queries.setQueriesData<JobsPage>({ queryKey: keys.head }, (page) => page && changedPage(page, events));
  queries.setQueriesData<JobPages>(
    { queryKey: keys.list },
    (list) => list && { ...list, pages: list.pages.map((page) => changedPage(page, events)) },
  );
}

/** A part that was on its way joins the list as it was when it was asked for: what came meanwhile is said once more. */
export function catchUp(queries: QueryClient): void {
  const events = missed;
  missed = [];
  if (events.length) apply(queries, events);
}

/** All rows that are known, nobody twice: who moved meanwhile stands in two parts. */
export function rowsOf(list: JobPages | undefined): JobSummary[] {
  const rows = new Map<string, JobSummary>();
  for (const page of list?.pages ?? []) for (const job of page.jobs) if (!rows.has(job.id)) rows.set(job.id, job);
  return [...rows.values()];
}

/**
 * The list after a fresh look at its beginning. Unless the reader is `atTop`, jobs that are new are left out: nothing
 * moves under the pointer.
 */
export function renewed(list: JobPages, head: JobsPage, atTop: boolean): JobPages {
  const now = new Map(head.jobs.map((job) => [job.id, job]));
  const rows = rowsOf(list);
  const onlyKnown = (jobs: JobSummary[]) => jobs.map((job) => now.get(job.id) ?? job);
  const one = (page: JobsPage): JobPages => ({ pages: [page], pageParams: [""] });
  // A look that shows all there is also tells who no longer belongs here.
  if (!head.next_cursor)
    return one(atTop || rows.length === 0 ? head : { ...head, jobs: onlyKnown(rows).filter((job) => now.has(job.id)) });
  const met = rows.some((job) => now.has(job.id));
  if (atTop && !met) return one(head);
  const [first, ...rest] = list.pages.map((page) => ({ ...page, jobs: onlyKnown(page.jobs) }));
  if (!first) return one(head);
  const top = atTop ? [...head.jobs, ...first.jobs.filter((job) => !now.has(job.id))] : first.jobs;
  // It was one page and is more by now.
  const next_cursor = rest.length === 0 && !first.next_cursor ? head.next_cursor : first.next_cursor;
  return { ...list, pages: [{ jobs: top, next_cursor }, ...rest] };
}

/** Jobs at the beginning that the list does not show yet. */
export function unseen(list: JobPages | undefined, head: JobsPage | undefined): number {
  if (!list || !head) return 0;
  const known = new Set(list.pages.flatMap((page) => page.jobs.map((job) => job.id)));
  return head.jobs.reduce((count, job) => count + (known.has(job.id) ? 0 : 1), 0);
}
