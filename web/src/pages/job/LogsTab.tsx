import { Button } from "antd";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { useAddress } from "@/shared/hooks/useAddress";
import { usePreference } from "@/shared/preferences";
import { hasEnded } from "@/shared/job/states";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { Menu } from "@/shared/ui/Menu";
import { StateShape } from "@/shared/ui/StateTag";
import { useAttempts, useTries } from "./api";
import { AttemptChoice } from "./AttemptChoice";
import { levelOf } from "./ansi";
import { LogList, type LogHandle } from "./log/LogList";
import { lineAt, useTaskLog } from "./log/useTaskLog";
import { useLogSearch } from "./log/useLogSearch";
import { useMergedLog } from "./log/useMergedLog";
import "./log/log.css";

const ALL = "*";

/** Which log to open first: the one that decided a failure, the only one, or all of them. */
function usualTask(job: Job): string {
  const names = job.roles.flatMap((role) => role.tasks ?? []).map((task) => task.name ?? "");
  if (job.state === "failed" && job.decision?.task) return job.decision.task;
  if (job.tasks === 1) return names[0] ?? `${job.roles[0]?.name ?? "main"}-0`;
  return ALL;
}

export default function LogsTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const { t: shared } = useTranslation("shared");
  const [query, put] = useAddress();
  const task = query.get("task") ?? usualTask(job);
  const merged = task === ALL;
  const attempt = query.get("attempt") === null ? undefined : Number(query.get("attempt"));
  const line = query.get("line") === null ? null : Number(query.get("line"));
  const latest = attempt === undefined || attempt === job.attempt;
  const live = latest && !hasEnded(job.state);
  const [wrapText, setWrap] = usePreference("log.wrap", "off");
  const [timesText, setTimes] = usePreference("log.times", "off");
  const wrap = wrapText === "on";
  const times = timesText === "on";
  const [follow, setFollow] = useState(line === null && live);
  const [search, setSearch] = useState(query.get("q") ?? "");
  const [ignoreCase, setIgnoreCase] = useState(true);
  const [at, setAt] = useState(0);
  const [seen, setSeen] = useState(0);
  const handle = useRef<LogHandle>(null);
  const eager = useRef(false);
  const attempts = useAttempts(job.id);
  const tries = useTries(job.id, attempt !== undefined);
  const place = { job: job.id, task: merged ? "" : task, attempt };
  const one = useTaskLog(place, live, !merged);
  const all = useMergedLog(job.id, attempt, live, merged);
  const source = merged ? all : one;
  const found = useLogSearch(place, search, ignoreCase, merged, source);

  const names = useMemo(() => {
    const present = job.roles.flatMap((role) => role.tasks ?? []);
    return present.map((item) => ({ name: item.name ?? "", state: item.state ?? ("unknown" as const) }));
  }, [job.roles]);

  // Opens at the line of the link, at the end of a live log, or at the first error of a failed one.
  const opened = useRef("");
  const key = `${task} ${attempt ?? ""}`;
  useEffect(() => {
    if (opened.current === key || source.total === 0 || source.loading) return;
    opened.current = key;
    setSeen(source.total);
    if (line !== null) handle.current?.toLine(Math.max(0, line - 1));
    else {
      handle.current?.toEnd();
      if (job.state === "failed" && !merged) {
        for (let index = Math.max(0, source.total - 200); index < source.total; index += 1) {
          if (levelOf(source.get(index)?.text ?? "") === "error") {
            handle.current?.toLine(index);
            break;
          }
        }
      }
    }
  }, [key, source, line, job.state, merged]);
  useEffect(() => {
    if (follow) setSeen(source.total);
  }, [follow, source.total]);
  useEffect(() => {
    if (!live) setFollow(false);
  }, [live]);

  const go = (index: number, more: Record<string, string | null> = {}) => {
    setFollow(false);
    handle.current?.toLine(index);
    put(merged ? more : { ...more, line: String(index + 1) });
  };
  const hit = (step: number) => {
    const kept = { q: search || null };
    eager.current = !found.hits.length;
    if (eager.current) return put(kept);
    const next = (at + step + found.hits.length) % found.hits.length;
    setAt(next);
    return go(found.hits[next]?.index ?? 0, kept);
  };
  // Enter came before the answer: go there once it is known where.
  const first = found.hits[0]?.index;
  useEffect(() => {
    if (first === undefined || !eager.current) return;
    eager.current = false;
    go(first, { q: search || null });
    // Only the arrival of a first hit counts.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [first]);
  const nextError = () => {
    const from = line ?? 0;
    for (let index = from; index < source.total && index < from + 12_000; index += 1) {
      if (levelOf(source.get(index)?.text ?? "") === "error") return go(index);
    }
    return undefined;
  };
  const step = (by: number) => {
    const order = [...(job.tasks > 1 ? [ALL] : []), ...names.map((item) => item.name)];
    const next = order[(order.indexOf(task) + by + order.length) % order.length];
    if (next) choose(next);
  };
  const choose = (name: string) => {
    setFollow(live);
    put({ task: name, line: null }, false);
  };
  const address = (parameters: Record<string, string>) => {
    const parts = new URLSearchParams({ ...parameters, download: "true" });
    if (attempt !== undefined) parts.set("attempt", String(attempt));
    return `/api/v1/jobs/${job.id}/logs?${parts}`;
  };
  const download = (parameters: Record<string, string>) => location.assign(address(parameters));

  const keysNow = useRef<Record<string, () => void>>({});
  keysNow.current = {
    f: () => setFollow(!follow),
    w: () => setWrap(wrap ? "off" : "on"),
    t: () => setTimes(times ? "off" : "on"),
    d: () => download(merged ? { merged: "true" } : { task }),
    n: () => hit(1),
    N: () => hit(-1),
    e: nextError,
    "[": () => step(-1),
    "]": () => step(1),
    "/": () => document.getElementById("log-search")?.focus(),
  };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (event.target as HTMLElement).closest("input, textarea, select, [contenteditable], [role=dialog]")
      )
        return;
      const act = keysNow.current[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);

  const fresh = Math.max(0, source.total - seen);
  const phase =
    job.state === "queued" || job.state === "starting" || job.state === "paused"
      ? job.state
      : live
        ? "running"
        : "ended";
  return (
    <section className="card log" aria-label={t("tab.logs")}>
      <div className="log-tools">
        {names.length > 1 && (
          <select
            aria-label={t("task")}
            value={task}
            onChange={(event) => choose(event.target.value)}
            className="log-select"
          >
            <option value={ALL}>{t("all_merged")}</option>
            {names.map((item) => (
              <option key={item.name} value={item.name}>
                {item.name} · {shared(`state.${item.state}`)}
              </option>
            ))}
          </select>
        )}
        {!merged && names.length > 1 && (
          <StateShape state={names.find((item) => item.name === task)?.state ?? "unknown"} />
        )}
        <AttemptChoice
          attempts={attempts.data ?? []}
          latest={job.attempt}
          value={attempt}
          onChange={(next) => put({ attempt: next === undefined ? null : String(next), line: null }, false)}
        />
        <form
          className="search-box log-search"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            hit(search === query.get("q") ? 1 : 0);
          }}
        >
          <Icon name="search" />
          <input
            id="log-search"
            type="search"
            value={search}
            placeholder={t("search_log")}
            aria-label={t("search_log")}
            onChange={(event) => {
              setSearch(event.target.value);
              setAt(0);
            }}
          />
          <button
            type="button"
            className="icon-button"
            aria-pressed={!ignoreCase}
            aria-label={t("match_case")}
            title={t("match_case")}
            onClick={() => setIgnoreCase(!ignoreCase)}
          >
            Aa
          </button>
        </form>
        {search && (
          <span className="row numbers" role="status">
            {found.fault ? (
              <span className="fault">{found.fault}</span>
            ) : found.busy ? (
              t("searching")
            ) : (
              t(found.more ? "hits_more" : "hits", { at: found.hits.length ? at + 1 : 0, count: found.hits.length })
            )}
            <button type="button" className="icon-button" aria-label={t("previous_hit")} onClick={() => hit(-1)}>
              <Icon name="up" />
            </button>
            <button type="button" className="icon-button" aria-label={t("next_hit")} onClick={() => hit(1)}>
              <Icon name="bottom" />
            </button>
          </span>
        )}
        <div className="log-tools-end">
          {live && <Toggle icon="bottom" word={t("follow")} on={follow} onClick={() => setFollow(!follow)} />}
          <Toggle icon="wrap" word={t("wrap")} on={wrap} onClick={() => setWrap(wrap ? "off" : "on")} />
          {!merged && (
            <Toggle icon="clock" word={t("times")} on={times} onClick={() => setTimes(times ? "off" : "on")} />
          )}
          {!merged && (
            <JumpToTime onJump={(moment) => void lineAt(place, moment).then((there) => go(there.line - 1))} />
          )}
          <Menu
            items={[
              {
                key: "one",
                label: t("download_task", { name: merged ? t("all_merged") : task }),
                onClick: () => download(merged ? { merged: "true" } : { task }),
              },
              ...(job.tasks > 1 && !merged
                ? [{ key: "all", label: t("download_all"), onClick: () => download({ merged: "true" }) }]
                : []),
              ...(search
                ? [
                    {
                      key: "hits",
                      label: t("download_hits"),
                      onClick: () =>
                        download({
                          ...(merged ? { merged: "true" } : { task }),
                          grep: search,
                          ignore_case: String(ignoreCase),
                        }),
                    },
                  ]
                : []),
            ]}
          >
            <Button icon={<Icon name="download" />}>{t("download")}</Button>
          </Menu>
          {!merged && (
            <Button
              onClick={() => {
                setFollow(false);
                handle.current?.toLine(0);
                put({ line: "1" });
              }}
            >
              {t("full_record")}
            </Button>
          )}
        </div>
      </div>
      <div className="log-main">
        {source.error ? (
          <ErrorFace error={source.error} retry={source.retry} />
        ) : source.total === 0 ? (
          source.loading ? (
            <LoadingFace />
          ) : (
            <div className="log-none" role="status">
              <Face
                icon="log"
                title={attempt !== undefined && tries.data?.length === 0 ? t("no_log.ended") : t(`no_log.${phase}`)}
                actions={phase === "queued" ? <Link to={`/jobs/${job.id}`}>{t("why.waiting")}</Link> : undefined}
              />
            </div>
          )
        ) : (
          <LogList
            handle={handle}
            source={source}
            follow={follow}
            onFollow={setFollow}
            wrap={wrap}
            times={times}
            merged={merged}
            marked={line}
            pattern={search ? found.pattern : null}
            onMark={(number) => put({ line: String(number) })}
          />
        )}
        {search && found.hits.length > 0 && (
          <ol className="log-hits" aria-label={t("hit_list")} tabIndex={0}>
            {found.hits.slice(0, 500).map((item, index) => (
              <li key={item.index}>
                <button
                  type="button"
                  aria-current={index === at}
                  onClick={() => {
                    setAt(index);
                    go(item.index);
                  }}
                >
                  <span className="numbers quiet">{item.index + 1}</span> {item.text.slice(0, 200)}
                </button>
              </li>
            ))}
          </ol>
        )}
        {!follow && live && fresh > 0 && (
          <button type="button" className="pill log-pill" onClick={() => setFollow(true)}>
            {t("new_lines", { count: fresh })} ↓
          </button>
        )}
      </div>
      <p className="log-foot quiet numbers">{t(merged ? "merged_count" : "line_count", { count: source.total })}</p>
      <Announcer total={source.total} live={live && follow} />
    </section>
  );
}

function Toggle({ icon, word, on, onClick }: { icon: IconName; word: string; on: boolean; onClick: () => void }) {
  return (
    <button type="button" className="log-toggle" aria-pressed={on} onClick={onClick}>
      <Icon name={icon} />
      {word}
    </button>
  );
}

function JumpToTime({ onJump }: { onJump: (moment: string) => void }) {
  const { t } = useTranslation("job");
  const [open, setOpen] = useState(false);
  return open ? (
    <input
      type="datetime-local"
      step={1}
      autoFocus
      aria-label={t("jump")}
      className="log-select"
      onKeyDown={(event) => {
        if (event.key === "Escape") setOpen(false);
        if (event.key === "Enter" && event.currentTarget.value) {
          onJump(new Date(event.currentTarget.value).toISOString());
          setOpen(false);
        }
      }}
      onBlur={(event) => {
        if (event.currentTarget.value) onJump(new Date(event.currentTarget.value).toISOString());
        setOpen(false);
      }}
    />
  ) : (
    <button type="button" className="log-toggle" onClick={() => setOpen(true)}>
      {t("jump")}
    </button>
  );
}

/** A screen reader hears how much is new, not every line. */
function Announcer({ total, live }: { total: number; live: boolean }) {
  const { t } = useTranslation("job");
  const [said, setSaid] = useState("");
  const now = useRef(total);
  now.current = total;
  useEffect(() => {
    if (!live) return undefined;
    let before = now.current;
    const timer = setInterval(() => {
      if (now.current > before) setSaid(t("new_lines", { count: now.current - before }));
      before = now.current;
    }, 10_000);
    return () => clearInterval(timer);
  }, [live, t]);
  return (
    <p className="visually-hidden" role="status">
      {said}
    </p>
  );
}
