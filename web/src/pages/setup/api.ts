import { queryOptions } from "@tanstack/react-query";
import { fetchText } from "@/api/client";

export const EVERY = 3000;

/** Whether the server can take jobs. */
export const readyQuery = queryOptions({
  queryKey: ["ready"],
  queryFn: () => fetchText("/readyz"),
  retry: false,
  refetchInterval: EVERY,
});
