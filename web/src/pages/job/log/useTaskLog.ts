import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Schemas } from "@/api/client";
import { fetchLines, type LogPlace as Place } from "../api";
import { followBell } from "./bell";
import type { Line, LogSource } from "./types";

const BLOCK = 200;
const KEPT = 12_000;
const CALM = 100; // milliseconds between two questions about new lines

/** The number of the first line written at or after a moment. */
export async function lineAt(place: Place, at: string): Promise<{ line: number; total: number }> {
  const found = await fetchLines(place, { at, count: 1 });
  return { line: Math.min(found.first, Math.max(1, found.total)), total: found.total };
}

/** One task's log, by line number: what is looked at is loaded, the rest is not, however long it is. */
export function useTaskLog(place: Place, live: boolean, wanted: boolean): LogSource {
  const key = `${place.job} ${place.task} ${place.attempt ?? ""}`;
  const lines = useRef(new Map<number, Line>());
  const asked = useRef(new Set<number>());
  const current = useRef(key);
  const [total, setTotal] = useState(0);
  const [version, setVersion] = useState(0);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);

  const take = useCallback((answer: Schemas["LogLines"]) => {
    const kept = lines.current;
    answer.lines.forEach((line, index) => {
      const number = answer.first + index;
      kept.set(number, { number, at: line.at, task: answer.task, text: line.text, cut: line.cut });
    });
    if (kept.size > KEPT) {
      // Far from what was just asked for is forgotten first.
      const far = [...kept.keys()].sort((a, b) => Math.abs(b - answer.first) - Math.abs(a - answer.first));
      for (const number of far.slice(0, kept.size - KEPT + 2000)) {
        kept.delete(number);
        asked.current.delete(Math.floor((number - 1) / BLOCK));
      }
    }
    setTotal(answer.total);
    setVersion((before) => before + 1);
  }, []);

  const tail = useCallback(async () => {
    const answer = await fetchLines(place, { count: BLOCK });
    if (current.current === key) take(answer);
    // `place` is made anew with each draw; its key is what counts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, take]);

  useEffect(() => {
    current.current = key;
    lines.current = new Map();
    asked.current = new Set();
    setTotal(0);
    setError(null);
    if (!wanted) return;
    setLoading(true);
    tail()
      .catch((fault: unknown) => {
        if (current.current === key) setError(fault);
      })
      .finally(() => {
        if (current.current === key) setLoading(false);
      });
  }, [key, wanted, tail, round]);

  useEffect(() => {
    if (!wanted) return undefined;
    if (!live) {
      // It may have written its last words between our last look and its end.
      void tail().catch(() => undefined);
      return undefined;
    }
    const stop = new AbortController();
    let due: ReturnType<typeof setTimeout> | undefined;
    let again = false;
    let busy = false;
    const look = async () => {
      due = undefined;
      busy = true;
      again = false;
      try {
        await tail();
      } catch {
        again = true;
      }
      busy = false;
      if (again && !stop.signal.aborted) due = setTimeout(() => void look(), CALM);
    };
    const ring = () => {
      again = true;
      if (!busy && due === undefined) due = setTimeout(() => void look(), CALM);
    };
    void followBell(place, ring, stop.signal);
    return () => {
      stop.abort();
      clearTimeout(due);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key, live, wanted, tail]);

  const want = useCallback(
    (from: number, to: number) => {
      for (let block = Math.floor(from / BLOCK); block <= Math.floor(to / BLOCK); block += 1) {
        if (asked.current.has(block)) continue;
        const first = block * BLOCK + 1;
        let whole = true;
        for (let number = first; whole && number < first + BLOCK && number <= to + 1; number += 1)
          whole = lines.current.has(number);
        if (whole) continue;
        asked.current.add(block);
        void fetchLines(place, { first, count: BLOCK })
          .then((answer) => {
            if (current.current !== key) return;
            take(answer);
            // The last block is not whole yet: it will be asked for again as it grows.
            if (answer.lines.length < BLOCK) asked.current.delete(block);
          })
          .catch((fault: unknown) => {
            asked.current.delete(block);
            if (current.current === key) setError(fault);
          });
      }
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [key, take],
  );

  return useMemo(
    () => ({
      total,
      get: (index: number) => lines.current.get(index + 1),
      want,
      loading,
      error,
      retry: () => setRound((before) => before + 1),
      version,
    }),
    [total, want, loading, error, version],
  );
}
