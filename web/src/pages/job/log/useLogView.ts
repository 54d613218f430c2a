import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { Job, TaskState } from "@/api/client";
import { useAddress } from "@/shared/hooks/useAddress";
import { isShortcut, useKeys } from "@/shared/hooks/useKeys";
import { hasEnded } from "@/shared/job/states";
import { usePreference } from "@/shared/preferences";
import { levelOf } from "../ansi";
import { downloadAddress } from "../api";
import type { LogHandle } from "./LogList";
import type { LogSource } from "./types";
import { useLogSearch, type LogSearch } from "./useLogSearch";
import { useMergedLog } from "./useMergedLog";
import { lineAt, useTaskLog } from "./useTaskLog";

/** All tasks together, in order of time. */
export const ALL = "*";
/** How far the next error is looked for, in lines. */
const FAR = 12_000;
/** At the end of a failed log these many lines are looked through for what went wrong. */
const LAST = 200;

/** Which log to open first: the one that decided a failure, the only one, or all of them. */
function usualTask(job: Job): string {
  const names = job.roles.flatMap((role) => role.tasks).map((task) => task.name);
  if (job.state === "failed" && job.decision?.task) return job.decision.task;
  if (job.tasks === 1) return names[0] ?? `${job.roles[0]?.name ?? "main"}-0`;
  return ALL;
}

const isErrorAt = (source: LogSource, index: number) => levelOf(source.get(index)?.text ?? "") === "error";

export interface LogView {
  task: string;
  merged: boolean;
  attempt: number | undefined;
  /** It may still grow. */
  live: boolean;
  /** The line of the link. */
  line: number | null;
  tasks: Array<{ name: string; state: TaskState | "unknown" }>;
  source: LogSource;
  handle: RefObject<LogHandle | null>;
  follow: boolean;
  setFollow: (follow: boolean) => void;
  /** Lines that came while nobody followed. */
  unread: number;
  wrap: boolean;
  toggleWrap: () => void;
  times: boolean;
  toggleTimes: () => void;
  search: { text: string; ignoreCase: boolean; at: number; found: LogSearch };
  setSearch: (text: string) => void;
  toggleCase: () => void;
  /** To the next hit or the one before; 0: to the one at hand. */
  goHit: (step: number) => void;
  enterSearch: () => void;
  openHit: (at: number) => void;
  choose: (task: string) => void;
  chooseAttempt: (attempt: number | undefined) => void;
  mark: (line: number) => void;
  toStart: () => void;
  toMoment: (moment: string) => void;
  download: (what: "shown" | "all" | "hits") => void;
}

/** What of a job's logs is looked at, and how: task, attempt, place, search; in the address where a link should keep it. */
export function useLogView(job: Job): LogView {
  const [query, put] = useAddress();
  const task = query.get("task") ?? usualTask(job);
  const merged = task === ALL;
  const attempt = query.get("attempt") === null ? undefined : Number(query.get("attempt"));
  const line = query.get("line") === null ? null : Number(query.get("line"));
  const live = (attempt === undefined || attempt === job.attempt) && !hasEnded(job.state);
  const [wrap, setWrap] = usePreference("log.wrap", "off");
  const [times, setTimes] = usePreference("log.times", "off");
  const [wanted, setFollow] = useState(line === null && live);
  const follow = wanted && live;
  const [text, setText] = useState(query.get("q") ?? "");
  const [ignoreCase, setIgnoreCase] = useState(true);
  const [at, setAt] = useState(0);
  const [seen, setSeen] = useState(0);
  const handle = useRef<LogHandle>(null);

  const place = { job: job.id, task: merged ? "" : task, attempt };
  const one = useTaskLog(place, live, !merged);
  const all = useMergedLog(job.id, attempt, live, merged);
  const source = merged ? all : one;
  const found = useLogSearch(place, text, ignoreCase, merged, source);
  const tasks = useMemo(() => {
    const present = job.roles.flatMap((role) => role.tasks);
    return present.map((item) => ({ name: item.name, state: item.state }));
  }, [job.roles]);

  // Opens at the line of the link, at the end of a live log, or at the first error of a failed one.
  const opened = useRef("");
  const log = `${task} ${attempt ?? ""}`;
  useEffect(() => {
    if (opened.current === log || source.total === 0 || source.loading) return;
    opened.current = log;
    setSeen(source.total);
    if (line !== null) return handle.current?.toLine(Math.max(0, line - 1));
    handle.current?.toEnd();
    if (job.state !== "failed" || merged) return;
    for (let index = Math.max(0, source.total - LAST); index < source.total; index += 1)
      if (isErrorAt(source, index)) return handle.current?.toLine(index);
  }, [log, source, line, job.state, merged]);
  useEffect(() => {
    if (follow) setSeen(source.total);
  }, [follow, source.total]);

  const go = (index: number, more: Record<string, string | null> = {}) => {
    setFollow(false);
    handle.current?.toLine(index);
    put(merged ? more : { ...more, line: String(index + 1) });
  };
  // Enter may come before the answer: then the first hit is gone to once it is known.
  const eager = useRef(false);
  const goHit = (step: number) => {
    const kept = { q: text || null };
    eager.current = !found.hits.length;
    if (eager.current) return put(kept);
    const next = (at + step + found.hits.length) % found.hits.length;
    setAt(next);
    return go(found.hits[next]?.index ?? 0, kept);
  };
  const first = found.hits[0]?.index;
  const arrive = useRef(go);
  useEffect(() => {
    arrive.current = go;
  });
  useEffect(() => {
    if (first === undefined || !eager.current) return;
    eager.current = false;
    arrive.current(first, { q: text || null });
  }, [first, text]);

  const nextError = () => {
    const from = line ?? 0;
    for (let index = from; index < source.total && index < from + FAR; index += 1)
      if (isErrorAt(source, index)) return go(index);
    return undefined;
  };
  const choose = (name: string) => {
    setFollow(live);
    put({ task: name, line: null }, false);
  };
  const step = (by: number) => {
    const order = [...(job.tasks > 1 ? [ALL] : []), ...tasks.map((item) => item.name)];
    const next = order[(order.indexOf(task) + by + order.length) % order.length];
    if (next) choose(next);
  };
  const download: LogView["download"] = (what) => {
    const shown: Record<string, string> = merged || what === "all" ? { merged: "true" } : { task };
    const words = what === "hits" ? { ...shown, grep: text, ignore_case: String(ignoreCase) } : shown;
    location.assign(downloadAddress(job.id, attempt, words));
  };
  const toggleWrap = () => setWrap(wrap === "on" ? "off" : "on");
  const toggleTimes = () => setTimes(times === "on" ? "off" : "on");

  useKeys((event) => {
    if (!isShortcut(event)) return;
    const actions: Record<string, () => void> = {
      f: () => setFollow(!follow),
      w: toggleWrap,
      t: toggleTimes,
      d: () => download("shown"),
      n: () => goHit(1),
      N: () => goHit(-1),
      e: nextError,
      "[": () => step(-1),
      "]": () => step(1),
      "/": () => document.getElementById("log-search")?.focus(),
    };
    const act = actions[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  return {
    task,
    merged,
    attempt,
    live,
    line,
    tasks,
    source,
    handle,
    follow,
    setFollow,
    unread: !follow && live ? Math.max(0, source.total - seen) : 0,
    wrap: wrap === "on",
    toggleWrap,
    times: times === "on",
    toggleTimes,
    search: { text, ignoreCase, at, found },
    setSearch: (next) => {
      setText(next);
      setAt(0);
    },
    toggleCase: () => setIgnoreCase(!ignoreCase),
    goHit,
    enterSearch: () => goHit(text === query.get("q") ? 1 : 0),
    openHit: (next) => {
      setAt(next);
      go(found.hits[next]?.index ?? 0);
    },
    choose,
    chooseAttempt: (next) => put({ attempt: next === undefined ? null : String(next), line: null }, false),
    mark: (number) => put({ line: String(number) }),
    toStart: () => go(0),
    toMoment: (moment) => void lineAt(place, moment).then((there) => go(there.line - 1)),
    download,
  };
}
