import { useEffect, useMemo, useRef, useState } from "react";
import { openMerged } from "../api";
import type { Line, LogSource } from "./types";

const KEPT = 20_000;
const FIRST = 5_000;
const DRAW = 120;

/** `worker-1 | text` as the server merges it. */
export function readMerged(line: string): Line {
  const bar = line.indexOf(" | ");
  const named = bar > 0 && bar < 80;
  return {
    number: 0,
    at: null,
    task: named ? line.slice(0, bar).trim() : "",
    text: named ? line.slice(bar + 3) : line,
    cut: false,
  };
}

/** All tasks in order of time: the last lines, and what comes after them. */
export function useMergedLog(job: string, attempt: number | undefined, live: boolean, wanted: boolean): LogSource {
  const lines = useRef<Line[]>([]);
  const [version, setVersion] = useState(0);
  const [loading, setLoading] = useState(true);
  const [error, setError] = useState<unknown>(null);
  const [round, setRound] = useState(0);

  useEffect(() => {
    if (!wanted) return undefined;
    const stop = new AbortController();
    lines.current = [];
    setLoading(true);
    setError(null);
    let due: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      due = undefined;
      if (lines.current.length > KEPT) lines.current = lines.current.slice(-KEPT);
      setLoading(false);
      setVersion((before) => before + 1);
    };
    const read = async () => {
      const lasting = await openMerged({ job, attempt }, { tail: FIRST, follow: live }, stop.signal);
      const reader = lasting?.getReader();
      let rest = "";
      for (;;) {
        const piece = await reader?.read();
        if (!piece || piece.done) break;
        const parts = (rest + piece.value).split("\n");
        rest = parts.pop() ?? "";
        for (const part of parts) lines.current.push(readMerged(part));
        due ??= setTimeout(draw, DRAW);
      }
      if (rest) lines.current.push(readMerged(rest));
    };
    // A job that has just been submitted may have nothing to say for a long time.
    const settle = setTimeout(() => setLoading(false), 1500);
    read()
      .catch((fault: unknown) => {
        if (!stop.signal.aborted) setError(fault);
      })
      .finally(() => {
        if (!stop.signal.aborted) draw();
      });
    return () => {
      stop.abort();
      clearTimeout(due);
      clearTimeout(settle);
    };
  }, [job, attempt, live, wanted, round]);

  return useMemo(
    () => ({
      total: lines.current.length,
      get: (index: number) => lines.current[index],
      want: () => undefined,
      loading,
      error,
      retry: () => setRound((before) => before + 1),
      version,
    }),
    // The lines themselves are in a ref; `version` tells when they changed.
    [version, loading, error],
  );
}
