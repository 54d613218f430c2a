import { queryOptions } from "@tanstack/react-query";
import { api, type JobSummary } from "@/api/client";
import { keys } from "@/api/queries";

const LATEST = 200;

/** My latest jobs, in one workspace or in all. */
export const mineQuery = (workspace: string) =>
  queryOptions({
    queryKey: [...keys.jobs, "mine", workspace],
    queryFn: async () => {
      const query = { owner: "me", limit: LATEST, ...(workspace ? { workspace } : {}) };
      return ((await api.GET("/api/v1/jobs", { params: { query } })).data?.jobs ?? []) as JobSummary[];
    },
  });
