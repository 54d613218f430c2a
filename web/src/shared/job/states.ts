import type { JobState } from "@/api/client";

export const jobStates: JobState[] = [
  "queued",
  "starting",
  "running",
  "stopping",
  "paused",
  "succeeded",
  "failed",
  "cancelled",
];
const ended = new Set<JobState>(["succeeded", "failed", "cancelled"]);

export const hasEnded = (state: JobState): boolean => ended.has(state);
export const mayStop = (state: JobState): boolean => !ended.has(state) && state !== "stopping";
export const waits = (state: JobState): boolean => state === "queued" || state === "paused";
