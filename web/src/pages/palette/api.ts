import { queryOptions } from "@tanstack/react-query";
import { api, type Job, type JobSummary } from "@/api/client";
import { keys } from "@/api/queries";

/** Jobs that answer to what was typed: by name, by `@owner`, by `#label`, and by the beginning of an id. */
export const foundQuery = (asked: string, prefix: string) =>
  queryOptions({
    queryKey: [...keys.jobs, "palette", asked, prefix],
    queryFn: async (): Promise<JobSummary[]> => {
      const field = { "@": "owner", "#": "label" }[prefix] ?? "name";
      const query = { limit: 8, ...(asked ? { [field]: asked } : {}) };
      const byName = prefix === ":" ? [] : ((await api.GET("/api/v1/jobs", { params: { query } })).data?.jobs ?? []);
      if (!/^[a-z0-9]{4,32}$/.test(asked)) return byName;
      try {
        const byId = (await api.GET("/api/v1/jobs/{id}", { params: { path: { id: asked } } })).data as Job;
        return [byId, ...byName.filter((job) => job.id !== byId.id)];
      } catch {
        return byName;
      }
    },
  });
