import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { keys } from "@/api/queries";
import type { JobsPage } from "@/shared/job/lists";

/** The filters in the words of the API. */
export type ListQuery = Record<string, string>;

const PAGE = 200;

export async function fetchPage(query: ListQuery, cursor: string, limit: number, signal?: AbortSignal) {
  const words = { ...query, limit, cursor: cursor || undefined };
  const { data } = await api.GET("/api/v1/jobs", { params: { query: words as never }, signal });
  return data as JobsPage;
}

/** The newest part of a list; asked for again when something happened. */
export const headQuery = (query: ListQuery) =>
  queryOptions({
    queryKey: [...keys.head, query],
    queryFn: ({ signal }) => fetchPage(query, "", PAGE, signal),
  });

/** A list as far as somebody scrolled; events and its head keep it true, so nothing asks for all of it again. */
export const listQuery = (query: ListQuery) =>
  infiniteQueryOptions({
    queryKey: [...keys.list, query],
    staleTime: "static",
    initialPageParam: "",
    getNextPageParam: (last: JobsPage) => last.next_cursor || undefined,
    queryFn: async ({ pageParam, signal, client }) => {
      const page = await fetchPage(query, pageParam, PAGE, signal);
      if (!pageParam) client.setQueryData(headQuery(query).queryKey, page);
      return page;
    },
  });
