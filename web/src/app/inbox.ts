import { useSyncExternalStore } from "react";
import { onEvents, type ServerEvent } from "@/api/events";
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
    .map((event) => ({ id: event.id, at: event.at, kind: event.kind, job: event.job, actor: event.actor, name: nameOf(event.job), read: false }))
    .reverse();
}

export function collectNotices(isMine: (job: string) => Promise<string | null>): () => void {
  return onEvents((events) => {
    void (async () => {
      const names = new Map<string, string>();
      const told = events.filter((event) => TOLD.has(event.kind));
      for (const job of new Set(told.map((event) => event.job))) {
        const name = await isMine(job);
        if (name !== null) names.set(job, name);
      }
      const mine = told.filter((event) => names.has(event.job));
      const known = recallJson<Notice[]>("inbox", notices);
      const fresh = noticesFrom(mine, known, (job) => names.get(job) ?? job);
      if (fresh.length) keep([...fresh, ...known]);
    })();
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
