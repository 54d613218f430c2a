import { useEffect, useRef, useSyncExternalStore } from "react";
import { followEvents, type ServerEvent, type StreamReport, type StreamState } from "./event_reader";

export type { ServerEvent };

export interface LiveState {
  state: StreamState;
  retryAt: number;
  /** Since when there has been no stream; 0 while there is one. */
  lostSince: number;
}

let live: LiveState = { state: "connecting", retryAt: 0, lostSince: Date.now() };
const stateListeners = new Set<() => void>();
const eventListeners = new Set<(events: ServerEvent[]) => void>();
const gapListeners = new Set<() => void>();
let retry: () => void = () => undefined;
let started = false;

function take(report: StreamReport): void {
  if (report.state) {
    const lostSince = report.state === "live" ? 0 : live.lostSince || Date.now();
    live = { state: report.state, retryAt: report.retryAt ?? 0, lostSince };
    for (const listener of stateListeners) listener();
  }
  if (report.gap) for (const listener of gapListeners) listener();
  if (report.events) for (const listener of eventListeners) listener(report.events);
}

/** Begins to listen, once for the whole page. */
export function startEvents(): void {
  if (started) return;
  started = true;
  if (typeof SharedWorker === "function") {
    const worker = new SharedWorker(new URL("./events.worker.ts", import.meta.url), { type: "module", name: "events" });
    worker.port.onmessage = (message) => take(message.data as StreamReport);
    retry = () => worker.port.postMessage("retry");
    addEventListener("pagehide", () => worker.port.postMessage("bye"));
    worker.port.start();
  } else {
    const stream = followEvents(take);
    retry = stream.retry;
  }
  addEventListener("online", () => retry());
}

export const retryEvents = (): void => retry();

/** How the event stream stands. */
export function useLive(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => live,
  );
}

/** Calls back with what has happened, at most four times a second. */
export function useEvents(listener: (events: ServerEvent[]) => void): void {
  const kept = useRef(listener);
  kept.current = listener;
  useEffect(() => onEvents((events) => kept.current(events)), []);
}

export function onEvents(listener: (events: ServerEvent[]) => void): () => void {
  eventListeners.add(listener);
  return () => void eventListeners.delete(listener);
}

/** Calls back when the stream is back after a while without: everything may have changed. */
export function onGap(listener: () => void): () => void {
  gapListeners.add(listener);
  return () => void gapListeners.delete(listener);
}
