import { useSyncExternalStore } from "react";
import { onEvents, type ServerEvent } from "@/api/events";
import { fetchMyNames } from "@/api/jobs";
import { recallJson, remember } from "@/shared/preferences";

/** What a person wants to hear about their own jobs. */
const TOLD = new Set(["job.running", "job.succeeded", "job.failed", "job.cancelled", "job.paused"]);
const KEPT = 200;

export interface Notice {
  id: number;
  at: string;
  kind: string;
  job: string;
  actor: string;
  name: string;
  read: boolean;
}

let notices: Notice[] = recallJson<Notice[]>("inbox", []);
const listeners = new Set<() => void>();

function keep(next: Notice[]): void {
  notices = next.slice(0, KEPT);
  remember("inbox", JSON.stringify(notices));
  for (const listener of listeners) listener();
}

/** Events that are news, newest first; the same event heard by several tabs counts once. */
export function noticesFrom(events: ServerEvent[], known: Notice[], nameOf: (job: string) => string): Notice[] {
  const seen = new Set(known.map((notice) => notice.id));
  return events
    .filter((event) => TOLD.has(event.kind) && !seen.has(event.id))
    .map((event) => ({
      id: event.id,
      at: event.at,
      kind: event.kind,
      job: event.job,
      actor: event.actor,
      name: nameOf(event.job),
      read: false,
    }))
    .reverse();
}

const AGAIN = 2000;
let mine = new Map<string, string>();
let asked = 0;

/** Names of my latest jobs; one question every two seconds at most, however much happens to others' jobs. */
async function myJobs(wanted: string[]): Promise<Map<string, string>> {
  if (wanted.every((id) => mine.has(id)) || Date.now() - asked < AGAIN) return mine;
  asked = Date.now();
  mine = await fetchMyNames();
  return mine;
}

/** Fills the inbox from the event stream, from now on. */
export function collectNotices(): () => void {
  let waiting: ServerEvent[] = [];
  let due: ReturnType<typeof setTimeout> | undefined;
  const work = async () => {
    due = undefined;
    const told = waiting;
    waiting = [];
    const names = await myJobs(told.map((event) => event.job)).catch(() => mine);
    const known = recallJson<Notice[]>("inbox", notices);
    const fresh = noticesFrom(
      told.filter((event) => names.has(event.job)),
      known,
      (job) => names.get(job) ?? job,
    );
    if (fresh.length) keep([...fresh, ...known]);
  };
  return onEvents((events) => {
    waiting.push(...events.filter((event) => TOLD.has(event.kind)));
    if (waiting.length) due ??= setTimeout(() => void work(), AGAIN);
  });
}

export function markRead(ids?: number[]): void {
  keep(notices.map((notice) => (ids === undefined || ids.includes(notice.id) ? { ...notice, read: true } : notice)));
}

export function clearInbox(): void {
  keep([]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useInbox(): Notice[] {
  return useSyncExternalStore(subscribe, () => notices);
}

export function useUnread(): number {
  return useSyncExternalStore(subscribe, () => notices.reduce((sum, notice) => sum + (notice.read ? 0 : 1), 0));
}
