import type { Schemas } from "@/api/client";

export type Event = Schemas["Event"];

export interface Folded {
  event: Event;
  first: string;
  count: number;
}

/** What differs each time although the same thing happens again. */
const FLEETING = new Set(["at", "attempt", "ran_ms", "try", "wait_s"]);

/** What repeats is one row with a count, at its latest time; newest first. */
export function fold(events: Event[]): Folded[] {
  const rows: Folded[] = [];
  const known = new Map<string, Folded>();
  for (const event of events) {
    const same = Object.entries(event.data).filter(([name]) => !FLEETING.has(name));
    const key = JSON.stringify([event.kind, event.actor, same]);
    const before = event.kind.startsWith("job.") ? undefined : known.get(key);
    if (before) {
      before.event = event;
      before.count += 1;
    } else {
      const row = { event, first: event.at, count: 1 };
      known.set(key, row);
      rows.push(row);
    }
  }
  return rows.sort((a, b) => b.event.id - a.event.id);
}
