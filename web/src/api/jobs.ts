import { queryOptions, useMutation, useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { api, fetchRaw, newKey, type Job, type Why } from "./client";
import { keys, renew } from "./queries";

/** How many jobs are in which state; the same answer for the navigation, the overview and the list. */
export const countsQuery = queryOptions({
  queryKey: keys.counts,
  queryFn: async (): Promise<Record<string, number>> => (await api.GET("/api/v1/jobs/counts")).data?.states ?? {},
});

/** One job, by its id, the beginning of it, or its name. */
export const jobQuery = (ref: string) =>
  queryOptions({
    queryKey: keys.job(ref),
    queryFn: async () => (await api.GET("/api/v1/jobs/{id}", { params: { path: { id: ref } } })).data as Job,
  });

/** Why a job waits, or ended as it did; the same answer for its own page, the lists and the queue. */
export const whyQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.job(id), "why"],
    queryFn: async () => (await api.GET("/api/v1/jobs/{id}/why", { params: { path: { id } } })).data as Why,
    staleTime: 10_000,
  });

/** The same for several; `every` so many milliseconds it is asked again. Who has no answer yet is left out. */
export function useWhys(ids: string[], every: number | false = false): Map<string, Why> {
  const answers = useQueries({ queries: ids.map((id) => ({ ...whyQuery(id), refetchInterval: every, retry: false })) });
  return new Map(ids.flatMap((id, index) => (answers[index]?.data ? [[id, answers[index].data] as const] : [])));
}

/** Names of my latest jobs, by id. */
export async function fetchMyNames(): Promise<Map<string, string>> {
  const { data } = await api.GET("/api/v1/jobs", { params: { query: { owner: "me", limit: 500 } } });
  return new Map((data?.jobs ?? []).map((job) => [job.id, job.handle]));
}

/** What can be done to a job, each with its twin on the command line. */
export const jobApi = {
  stop: (id: string) => api.POST("/api/v1/jobs/{id}/stop", { params: { path: { id } } }),
  pause: (id: string) => api.POST("/api/v1/jobs/{id}/pause", { params: { path: { id } } }),
  resume: (id: string) => api.POST("/api/v1/jobs/{id}/resume", { params: { path: { id } } }),
  retry: (id: string) => api.POST("/api/v1/jobs/{id}/retry", { params: { path: { id } } }),
  remove: (id: string, force = false) =>
    api.DELETE("/api/v1/jobs/{id}", { params: { path: { id }, query: { force } } }),
  limit: (id: string, time_limit: string | null) =>
    api.POST("/api/v1/jobs/{id}/limit", { params: { path: { id } }, body: { time_limit } }),
};

/** After an action: what it touched is asked for again, also when the event stream is away. */
export const renewJobs = (ids: string[]) => renew(...ids.map(keys.job), keys.jobs);

/** Hands in a small job that never changes, once however often it is clicked. */
export function useSubmitOnce(file: string, done: (made: { id: string }) => void) {
  const [key] = useState(newKey);
  return useMutation({
    mutationFn: async () => {
      const headers = { "Idempotency-Key": key };
      return (await (await fetchRaw("/api/v1/jobs", { method: "POST", body: file, headers })).json()) as { id: string };
    },
    onSuccess: done,
  });
}
