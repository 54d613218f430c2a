import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./queries";

/** Which program this is and what it runs jobs with. */
export const versionQuery = queryOptions({
  queryKey: keys.version,
  queryFn: async () => (await api.GET("/api/v1/version")).data ?? null,
});
