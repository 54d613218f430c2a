import { useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import { keys } from "@/app/queries";

/** The machines and what is in use of them; looked at again every so many milliseconds, else when an event says so. */
export const useNodes = (refetchInterval?: number) =>
  useQuery({
    queryKey: keys.nodes,
    queryFn: async () => (await api.GET("/api/v1/nodes")).data?.nodes ?? [],
    refetchInterval,
  });
