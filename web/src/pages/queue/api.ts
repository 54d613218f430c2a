import { queryOptions, useMutation } from "@tanstack/react-query";
import { api, type JobSummary, type Schemas } from "@/api/client";
import { keys, renew } from "@/api/queries";

export type Entry = Schemas["QueueEntry"];
/** As many as the server tells at once. */
export const MOST = 1000;

/** Who waits, in the order they will be looked at. */
export const queueQuery = queryOptions({
  queryKey: keys.queue,
  queryFn: async () => (await api.GET("/api/v1/queue", { params: { query: { limit: MOST } } })).data?.queue ?? [],
  refetchInterval: 10_000,
});

/** The waiting jobs that I may see, by id: the queue itself says only what everybody may know. */
export const waitingQuery = queryOptions({
  queryKey: [...keys.jobs, "queued"],
  queryFn: async () => {
    const query = { state: "queued", limit: 500 };
    const jobs = (await api.GET("/api/v1/jobs", { params: { query } })).data?.jobs ?? [];
    return Object.fromEntries(jobs.map((job) => [job.id, job])) as Record<string, JobSummary | undefined>;
  },
  refetchInterval: 10_000,
});

/** Puts a job before another one, or at the end; what the others wait for changes with it. */
export const useMoveJob = () =>
  useMutation({
    mutationFn: ({ job, before }: { job: string; before: string | null; others: Entry[] }) =>
      api.POST("/api/v1/jobs/{id}/move", { params: { path: { id: job } }, body: { before } }),
    onSettled: (_done, _error, { others }) => renew(keys.queue, ...others.map((one) => keys.job(one.id))),
  });
