import { useQuery } from "@tanstack/react-query";
import { api, type Schemas } from "./client";
import { keys } from "./queries";

export type Node = Schemas["Node"];

/** The machines and what is in use of them; looked at again every so many milliseconds, else when an event says so. */
export const useNodes = (refetchInterval?: number) =>
  useQuery({
    queryKey: keys.nodes,
    queryFn: async () => (await api.GET("/api/v1/nodes")).data?.nodes ?? [],
    refetchInterval,
  });
