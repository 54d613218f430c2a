import { useQueries } from "@tanstack/react-query";
import { api, type Why } from "@/api/client";
import { keys } from "@/app/queries";

/** Why a job waits, or ended as it did; the same answer for its own page, the lists and the queue. */
export const whyQuery = (id: string) => ({
  queryKey: [...keys.job(id), "why"],
  queryFn: async () => (await api.GET("/api/v1/jobs/{id}/why", { params: { path: { id } } })).data as Why,
  staleTime: 10_000,
});

/** The same for several; `every` so many milliseconds it is asked again. Who has no answer yet is left out. */
export function useWhys(ids: string[], every: number | false = false): Map<string, Why> {
  const answers = useQueries({ queries: ids.map((id) => ({ ...whyQuery(id), refetchInterval: every, retry: false })) });
  return new Map(ids.flatMap((id, index) => (answers[index]?.data ? [[id, answers[index].data] as const] : [])));
}
