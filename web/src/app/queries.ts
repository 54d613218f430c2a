import { QueryClient } from "@tanstack/react-query";
import { api, ApiError } from "@/api/client";
import { onEvents, onGap } from "@/api/events";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      refetchOnWindowFocus: false,
      // A refusal stays one; what did not get through may the second time.
      retry: (count, error) => count < 1 && (!(error instanceof ApiError) || error.status === 0 || error.status >= 502),
    },
  },
});

/** Keys of what the server keeps. Everything about one job begins with its id, so that an event renews all of it. */
export const keys = {
  me: ["me"] as const,
  workspaces: ["workspaces"] as const,
  version: ["version"] as const,
  jobs: ["jobs"] as const,
  counts: ["jobs", "counts"] as const,
  job: (id: string) => ["job", id] as const,
  nodes: ["nodes"] as const,
  queue: ["queue"] as const,
  tokens: ["tokens"] as const,
  users: ["users"] as const,
};

/** How many jobs are in which state; the same answer for the navigation and the overview. */
export const countsQuery = {
  queryKey: keys.counts,
  queryFn: async (): Promise<Record<string, number>> => (await api.GET("/api/v1/jobs/counts")).data?.states ?? {},
};

const SHARED = [keys.jobs, keys.queue, keys.nodes];
let due: ReturnType<typeof setTimeout> | undefined;

/** What lists many jobs is renewed at most once a second, however much happens. */
function renewLists(): void {
  if (due !== undefined) return;
  due = setTimeout(() => {
    due = undefined;
    for (const queryKey of SHARED) void queries.invalidateQueries({ queryKey });
  }, 1000);
}

/** Ties the cache to the event stream. */
export function keepFresh(): void {
  onEvents((events) => {
    for (const id of new Set(events.map((event) => event.job)))
      void queries.invalidateQueries({ queryKey: keys.job(id) });
    renewLists();
  });
  onGap(() => void queries.invalidateQueries());
}
