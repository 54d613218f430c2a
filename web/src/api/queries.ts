import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./client";

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

/**
 * Keys of what the server keeps. Everything about one job begins with its id, so that an event renews all of it;
 * `jobs` begins all that an event makes worth asking for again.
 */
export const keys = {
  me: ["me"] as const,
  version: ["version"] as const,
  jobs: ["jobs"] as const,
  counts: ["jobs", "counts"] as const,
  /** The newest part of a list, renewed with `jobs`. */
  head: ["jobs", "head"] as const,
  /** A list of any length: events change it where it stands, see app/keep_fresh.ts. */
  list: ["list"] as const,
  job: (id: string) => ["job", id] as const,
  nodes: ["nodes"] as const,
  queue: ["queue"] as const,
  tokens: ["tokens"] as const,
  users: ["users"] as const,
};

export const renew = (...queryKeys: ReadonlyArray<readonly unknown[]>): Promise<unknown> =>
  Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
