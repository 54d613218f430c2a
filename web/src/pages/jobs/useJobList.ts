import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import type { JobSummary } from "@/api/client";
import { catchUp, renewed, rowsOf, unseen } from "@/shared/job/lists";
import { headQuery, listQuery, type ListQuery } from "./api";

export interface JobList {
  rows: JobSummary[];
  more: boolean;
  loading: boolean;
  error: unknown;
  /** New jobs that wait above the first row, so that nothing moves under the pointer. */
  waiting: number;
  loadMore: () => void;
  reload: () => void;
  showWaiting: () => void;
}

/**
 * A list that grows by cursor pages and follows the event stream: known rows change in place at once (keep_fresh.ts),
 * its head is asked for again at most once a second, and jobs that are new wait until the reader is at the top.
 */
export function useJobList(query: ListQuery, atTop: boolean): JobList {
  const queries = useQueryClient();
  const list = useInfiniteQuery({ ...listQuery(query), placeholderData: keepPreviousData });
  const own = list.isSuccess && !list.isPlaceholderData;
  const head = useQuery({ ...headQuery(query), enabled: own });
  const rows = useMemo(() => rowsOf(list.data), [list.data]);
  const busy = list.isFetching;

  const hash = JSON.stringify(query);
  const join = useCallback(
    (fully: boolean) => {
      const asked = JSON.parse(hash) as ListQuery;
      const fresh = queries.getQueryData(headQuery(asked).queryKey);
      queries.setQueryData(listQuery(asked).queryKey, (before) => before && fresh && renewed(before, fresh, fully));
    },
    [queries, hash],
  );
  useEffect(() => {
    if (head.data && !busy) join(atTop);
  }, [head.data, busy, atTop, join]);

  const { fetchNextPage, hasNextPage, refetch } = list;
  const loadMore = useCallback(() => {
    if (hasNextPage) void fetchNextPage({ cancelRefetch: false }).then(() => catchUp(queries));
  }, [hasNextPage, fetchNextPage, queries]);
  const reload = () => {
    // Only as much as one sees at first; the rest comes with scrolling.
    queries.setQueryData(
      listQuery(query).queryKey,
      (before) => before && { pages: before.pages.slice(0, 1), pageParams: before.pageParams.slice(0, 1) },
    );
    void refetch();
  };
  return {
    rows,
    more: hasNextPage,
    loading: busy && !list.isFetchingNextPage,
    error: list.error,
    waiting: own ? unseen(list.data, head.data) : 0,
    loadMore,
    reload,
    showWaiting: () => join(true),
  };
}
