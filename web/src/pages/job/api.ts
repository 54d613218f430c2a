import { useQuery } from "@tanstack/react-query";
import { api, fetchText, type Job, type Schemas } from "@/api/client";
import { keys } from "@/app/queries";
import type { Spec } from "@/shared/job/spec";
import { whyQuery } from "@/shared/reason/why";

/** Everything about one job lies under its id, so that an event about it renews all of it. */
export function useJob(ref: string) {
  return useQuery({
    queryKey: keys.job(ref),
    queryFn: async () => (await api.GET("/api/v1/jobs/{id}", { params: { path: { id: ref } } })).data as Job,
    // How far an image has come is no event: it is looked at while somebody waits for it.
    refetchInterval: (query) => (query.state.data?.state === "starting" ? 1000 : false),
  });
}

/** What its file means. */
export function useMeaning(id: string) {
  return useQuery({
    queryKey: [...keys.job(id), "meaning"],
    queryFn: async () => JSON.parse(await fetchText(`/api/v1/jobs/${id}/spec?format=json`)) as Spec,
    staleTime: Infinity,
  });
}

export function useWhy(id: string, wanted: boolean) {
  return useQuery({ ...whyQuery(id), enabled: wanted, refetchInterval: 10_000 });
}

export function useAttempts(id: string) {
  return useQuery({
    queryKey: [...keys.job(id), "attempts"],
    queryFn: async () =>
      ((await api.GET("/api/v1/jobs/{id}/attempts", { params: { path: { id } } })).data?.attempts ??
        []) as Schemas["Attempt"][],
  });
}

export function useTries(id: string, wanted = true) {
  return useQuery({
    queryKey: [...keys.job(id), "tries"],
    enabled: wanted,
    queryFn: async () =>
      ((await api.GET("/api/v1/jobs/{id}/tasks", { params: { path: { id } } })).data?.tries ?? []) as Schemas["Try"][],
  });
}

export function useJobEvents(id: string) {
  return useQuery({
    queryKey: [...keys.job(id), "events"],
    queryFn: async () => {
      const all: Schemas["Event"][] = [];
      for (let after = 0; ;) {
        const { data } = await api.GET("/api/v1/jobs/{id}/events", {
          params: { path: { id }, query: { after, limit: 1000 } },
        });
        all.push(...(data?.events ?? []));
        if (!data?.more || all.length >= 10_000) return all;
        after = data.seen ?? after;
      }
    },
  });
}
