import { useQuery } from "@tanstack/react-query";
import { keys } from "@/app/queries";
import { api, type Me } from "./client";

export async function fetchMe(): Promise<Me> {
  const { data } = await api.GET("/api/v1/users/me");
  return data as Me;
}

/** Who is signed in; the layout waits for it, so that pages always know. */
export function useMe(): Me {
  const { data } = useQuery({ queryKey: keys.me, queryFn: fetchMe, staleTime: 300_000 });
  return data ?? { name: "", administrator: false, scopes: [], workspaces: [] };
}
