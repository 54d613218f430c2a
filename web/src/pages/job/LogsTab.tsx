import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { useAttempts, useTries } from "./api";
import { LogList } from "./log/LogList";
import { LogTools } from "./log/LogTools";
import { useLogView, type LogView } from "./log/useLogView";
import "./log/log.css";

export default function LogsTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const view = useLogView(job);
  const attempts = useAttempts(job.id);
  const { source, search } = view;
  return (
    <section className="card log" aria-label={t("tab.logs")}>
      <LogTools job={job} view={view} attempts={attempts.data ?? []} />
      <div className="log-main">
        {source.error ? (
          <ErrorFace error={source.error} retry={source.retry} />
        ) : source.total > 0 ? (
          <LogList
            handle={view.handle}
            source={source}
            follow={view.follow}
            onFollow={view.setFollow}
            wrap={view.wrap}
            times={view.times}
            merged={view.merged}
            marked={view.line}
            pattern={search.text ? search.found.pattern : null}
            onMark={view.mark}
          />
        ) : source.loading ? (
          <LoadingFace />
        ) : (
          <NoLog job={job} view={view} />
        )}
        {search.text && search.found.hits.length > 0 && <HitList view={view} />}
        {view.unread > 0 && (
          <button type="button" className="pill log-pill" onClick={() => view.setFollow(true)}>
            {t("new_lines", { count: view.unread })} ↓
          </button>
        )}
      </div>
      <p className="log-foot quiet numbers">
        {t(view.merged ? "merged_count" : "line_count", { count: source.total })}
      </p>
      <Announcer total={source.total} live={view.follow} />
    </section>
  );
}

/** Nothing was written: not yet, or not at all. */
function NoLog({ job, view }: { job: Job; view: LogView }) {
  const { t } = useTranslation("job");
  const tries = useTries(job.id, view.attempt !== undefined);
  const waits = job.state === "queued" || job.state === "starting" || job.state === "paused";
  const phase = waits ? job.state : view.live ? "running" : "ended";
  const never = view.attempt !== undefined && tries.data?.length === 0;
  return (
    <div className="log-none" role="status">
      <Face
        icon="log"
        title={t(`no_log.${never ? "ended" : phase}`)}
        actions={phase === "queued" ? <Link to={`/jobs/${job.id}`}>{t("why.waiting")}</Link> : undefined}
      />
    </div>
  );
}

const LISTED = 500;

function HitList({ view }: { view: LogView }) {
  const { t } = useTranslation("job");
  const { found, at } = view.search;
  return (
    <ol className="log-hits" aria-label={t("hit_list")} tabIndex={0}>
      {found.hits.slice(0, LISTED).map((item, index) => (
        <li key={item.index}>
          <button type="button" aria-current={index === at} onClick={() => view.openHit(index)}>
            <span className="numbers quiet">{item.index + 1}</span> {item.text.slice(0, 200)}
          </button>
        </li>
      ))}
    </ol>
  );
}

/** A screen reader hears how much is new, not every line. */
function Announcer({ total, live }: { total: number; live: boolean }) {
  const { t } = useTranslation("job");
  const [said, setSaid] = useState("");
  const now = useRef(total);
  useEffect(() => {
    now.current = total;
  }, [total]);
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
