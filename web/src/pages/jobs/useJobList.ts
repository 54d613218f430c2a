import { useCallback, useEffect, useRef, useState } from "react";
import { api, type JobSummary } from "@/api/client";
import { onGap, useEvents, useLive } from "@/api/events";
import { patchedRows } from "@/shared/job/patch";

const PAGE = 200;
const AGAIN = 1000;

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

async function fetchPage(query: Record<string, string>, cursor: string, signal?: AbortSignal) {
  const { data } = await api.GET("/api/v1/jobs", {
    params: { query: { ...query, limit: PAGE, cursor: cursor || undefined } as never },
    signal,
  });
  return data as { jobs: JobSummary[]; next_cursor: string };
}

/** Later rows win; nobody appears twice. */
function merged(first: JobSummary[], rest: JobSummary[]): JobSummary[] {
  const seen = new Set(first.map((row) => row.id));
  return [...first, ...rest.filter((row) => !seen.has(row.id))];
}

/**
 * A list that grows by cursor pages and follows the event stream: known rows change in place at once, the first page
 * is asked for again at most once a second, and jobs that are new wait until the reader is at the top.
 */
export function useJobList(query: Record<string, string>, atTop: boolean): JobList {
  const key = JSON.stringify(query);
  const [rows, setRows] = useState<JobSummary[]>([]);
  const [cursor, setCursor] = useState("");
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const [waiting, setWaiting] = useState<JobSummary[]>([]);
  const busy = useRef(false);
  const top = useRef(atTop);
  top.current = atTop;
  const current = useRef(key);
  current.current = key;
  const live = useLive();

  const load = useCallback(async () => {
    setLoading(true);
    try {
      const page = await fetchPage(JSON.parse(key) as Record<string, string>, "");
      if (current.current !== key) return;
      setRows(page.jobs);
      setCursor(page.next_cursor);
      setWaiting([]);
      setError(null);
    } catch (fault) {
      if (current.current === key) setError(fault);
    } finally {
      if (current.current === key) setLoading(false);
    }
  }, [key]);
  useEffect(() => void load(), [load]);

  const loadMore = useCallback(() => {
    if (busy.current || !cursor) return;
    busy.current = true;
    void fetchPage(JSON.parse(key) as Record<string, string>, cursor)
      .then((page) => {
        if (current.current !== key) return;
        setRows((before) => merged(before, page.jobs));
        setCursor(page.next_cursor);
      })
      .catch((fault: unknown) => setError(fault))
      .finally(() => {
        busy.current = false;
      });
  }, [key, cursor]);

  const renew = useCallback(async () => {
    try {
      const page = await fetchPage(JSON.parse(key) as Record<string, string>, "");
      if (current.current !== key) return;
      setError(null);
      setRows((before) => {
        const known = new Map(before.map((row) => [row.id, row]));
        const fresh = page.jobs.filter((row) => !known.has(row.id));
        const now = new Map(page.jobs.map((row) => [row.id, row]));
        const updated = before.map((row) => now.get(row.id) ?? row);
        // A page that is all there is also tells which rows no longer belong here.
        const kept = page.next_cursor === "" ? updated.filter((row) => now.has(row.id)) : updated;
        if (top.current || before.length === 0) {
          setWaiting([]);
          return page.next_cursor === "" ? page.jobs : merged(page.jobs, kept);
        }
        setWaiting(fresh);
        return kept;
      });
      setCursor((before) => (before === "" && page.next_cursor !== "" ? page.next_cursor : before));
    } catch {
      // The strip at the top says that the connection is lost; the rows stay readable.
    }
  }, [key]);

  const due = useRef<ReturnType<typeof setTimeout>>(undefined);
  const soon = useCallback(() => {
    if (due.current !== undefined) return;
    due.current = setTimeout(() => {
      due.current = undefined;
      void renew();
    }, AGAIN);
  }, [renew]);
  useEffect(() => () => clearTimeout(due.current), []);
  useEffect(() => {
    clearTimeout(due.current);
    due.current = undefined;
  }, [renew]);
  useEvents((events) => {
    setRows((before) => patchedRows(before, events));
    soon();
  });
  useEffect(() => onGap(() => void renew()), [renew]);
  useEffect(() => {
    if (live.state === "live") return undefined;
    const timer = setInterval(() => void renew(), 10_000);
    return () => clearInterval(timer);
  }, [live.state, renew]);

  return {
    rows,
    more: cursor !== "",
    loading,
    error,
    waiting: waiting.length,
    loadMore,
    reload: () => void load(),
    showWaiting: () => {
      setRows((before) => merged(waiting, before));
      setWaiting([]);
    },
  };
}
