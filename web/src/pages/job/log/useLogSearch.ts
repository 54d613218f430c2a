import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { thrown, type Sentence } from "@/shared/messages";
import { plainText } from "../ansi";
import { searchLines } from "../api";
import type { LogSource } from "./types";

const MOST = 1000;

export interface Hit {
  /** Place from 0. */
  index: number;
  text: string;
}

export interface LogSearch {
  hits: Hit[];
  /** There are more than are listed. */
  more: boolean;
  busy: boolean;
  fault: Sentence | null;
  pattern: RegExp | null;
}

/** The browser's own idea of the pattern, to mark hits with; RE2 knows some signs that it does not. */
export function browserPattern(text: string, ignoreCase: boolean): RegExp | null {
  if (!text) return null;
  try {
    return new RegExp(text.replace(/^\(\?i\)/, ""), ignoreCase || text.startsWith("(?i)") ? "gi" : "g");
  } catch {
    return null;
  }
}

/** Searches one task's whole log on the server, or what is loaded of a merged view here. */
export function useLogSearch(
  place: { job: string; task: string; attempt?: number },
  text: string,
  ignoreCase: boolean,
  merged: boolean,
  source: LogSource,
): LogSearch {
  const [hits, setHits] = useState<Hit[]>([]);
  const [more, setMore] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<Sentence | null>(null);
  const pattern = useMemo(() => browserPattern(text, ignoreCase), [text, ignoreCase]);
  const { job, task, attempt } = place;

  const search = useCallback(
    async (signal: AbortSignal) => {
      const found: Hit[] = [];
      for (let from: number | undefined; found.length < MOST;) {
        const page = await searchLines({ job, task, attempt }, { q: text, ignore_case: ignoreCase, from }, signal);
        found.push(...page.hits.map((hit) => ({ index: hit.line - 1, text: plainText(hit.text) })));
        setHits([...found]);
        setMore(page.next !== null);
        if (page.next === null) return;
        from = page.next;
      }
    },
    [job, task, attempt, text, ignoreCase],
  );

  useEffect(() => {
    setFault(null);
    setHits([]);
    setMore(false);
    if (!text || merged) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      setBusy(true);
      search(stop.signal)
        .catch((error: unknown) => {
          if (!stop.signal.aborted) setFault(thrown(error));
        })
        .finally(() => setBusy(false));
    }, 250);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, merged, search]);

  const latest = useRef(source);
  latest.current = source;
  useEffect(() => {
    if (!text || !merged) return;
    if (!pattern) {
      setHits([]);
      return;
    }
    const found: Hit[] = [];
    const lines = latest.current;
    for (let index = 0; index < lines.total && found.length < MOST; index += 1) {
      const line = lines.get(index);
      if (line && plainText(line.text).search(pattern) >= 0) found.push({ index, text: plainText(line.text) });
    }
    setHits(found);
  }, [text, merged, pattern, source.version]);

  return { hits, more, busy, fault, pattern };
}
