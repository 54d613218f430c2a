import type { JobState, JobSummary } from "@/api/client";
import type { ServerEvent } from "@/api/event_reader";

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
