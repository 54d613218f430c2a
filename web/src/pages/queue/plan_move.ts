import type { Schemas } from "@/api/client";

type Entry = Schemas["QueueEntry"];
export type Way = "front" | "up" | "down";

/** Who goes before whom: one call, and those who move back for it. The server knows only "right before another". */
export function planMove(
  entries: Entry[],
  entry: Entry,
  way: Way,
): { job: string; before: string | null; to: number; back: Entry[] } | null {
  const at = entries.findIndex((one) => one.id === entry.id);
  if (at < 0 || !entry.id) return null;
  if (way === "down") {
    const next = entries[at + 1];
    return next?.id ? { job: next.id, before: entry.id, to: at + 2, back: [entry] } : null;
  }
  if (at === 0) return null;
  if (way === "front") return { job: entry.id, before: null, to: 1, back: entries.slice(0, at) };
  const ahead = entries[at - 1];
  return ahead?.id ? { job: entry.id, before: ahead.id, to: at, back: [ahead] } : null;
}
