import type { components } from "./schema";

export type ServerEvent = components["schemas"]["Event"];

/** How the stream stands. `over`: the server no longer knows us. */
export type StreamState = "connecting" | "live" | "lost" | "over";

export interface StreamReport {
  state?: StreamState;
  /** When the next try is due, while lost. */
  retryAt?: number;
  events?: ServerEvent[];
  /** The server was away, or we were: what was shown may have gaps. */
  gap?: boolean;
}

/** Cuts the text of a server-sent event stream into its events; keeps an unfinished rest for the next piece. */
export class EventParser {
  private rest = "";

  push(piece: string): ServerEvent[] {
    this.rest += piece;
    const events: ServerEvent[] = [];
    for (let end; (end = this.rest.indexOf("\n\n")) >= 0;) {
      const block = this.rest.slice(0, end);
      this.rest = this.rest.slice(end + 2);
      const data = block
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice(5).trimStart())
        .join("\n");
      if (data) events.push(JSON.parse(data) as ServerEvent);
    }
    return events;
  }
}

const SILENCE = 40_000; // the server says something every 15 s
const FLUSH = 250; // at most four reports a second, however much happens

/**
 * Follows /api/v1/events for ever: reads, notices silence, comes back after the last event it saw. Runs in a worker
 * that all tabs share, or in the page where there is none.
 */
export function followEvents(report: (report: StreamReport) => void): { retry: () => void } {
  let last: number | null = null;
  let failures = 0;
  let wake: () => void = () => undefined;
  let queue: ServerEvent[] = [];
  let due: ReturnType<typeof setTimeout> | undefined;

  const flush = () => {
    due = undefined;
    const events = queue;
    queue = [];
    if (events.length) report({ events });
  };

  const readOnce = async (): Promise<"again" | "over"> => {
    const abort = new AbortController();
    let silence = setTimeout(() => abort.abort(), SILENCE);
    try {
      const response = await fetch(`/api/v1/events${last === null ? "" : `?after=${last}`}`, { signal: abort.signal });
      if (response.status === 401) return "over";
      if (!response.ok || !response.body) throw new Error(response.statusText);
      report({ state: "live", gap: failures > 0 });
      failures = 0;
      const parser = new EventParser();
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return "again";
        clearTimeout(silence);
        silence = setTimeout(() => abort.abort(), SILENCE);
        for (const event of parser.push(value)) {
          last = Math.max(last ?? 0, event.id);
          queue.push(event);
        }
        if (queue.length && due === undefined) due = setTimeout(flush, FLUSH);
      }
    } finally {
      clearTimeout(silence);
      abort.abort();
    }
  };

  const run = async () => {
    for (;;) {
      let next: "again" | "over";
      try {
        next = await readOnce();
      } catch {
        next = "again";
      }
      failures += 1;
      const wait = next === "over" ? 3_600_000 : Math.min(1000 * 2 ** (failures - 1), 15_000);
      report({ state: next === "over" ? "over" : "lost", retryAt: Date.now() + wait });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, wait);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      report({ state: "connecting" });
    }
  };
  report({ state: "connecting" });
  void run();
  return { retry: () => wake() };
}
