import { queryOptions } from "@tanstack/react-query";
import { ApiError, fetchText } from "@/api/client";
import { readMetrics } from "./metrics";

export const EVERY = 5000;

export interface Pulse {
  ready: boolean;
  said: string;
  took: number;
  /** Milliseconds the server's clock is ahead of this browser's. */
  ahead: number;
}

/** Whether the server is ready, and if not, what it says: a refusal is an answer here. */
export const pulseQuery = queryOptions({
  queryKey: ["health", "pulse"],
  queryFn: async ({ signal }): Promise<Pulse> => {
    const began = performance.now();
    const answer = await fetch("/readyz", { signal }).catch((error: unknown) => {
      throw ApiError.offline(error);
    });
    const took = performance.now() - began;
    const date = answer.headers.get("Date");
    const ahead = date ? new Date(date).getTime() - Date.now() : 0;
    return { ready: answer.ok, said: (await answer.text()).trim(), took, ahead };
  },
  refetchInterval: EVERY,
});

export const metricsQuery = queryOptions({
  queryKey: ["health", "metrics"],
  queryFn: async () => {
    const text = await fetchText("/metrics");
    return { text, samples: readMetrics(text) };
  },
  refetchInterval: EVERY,
});
