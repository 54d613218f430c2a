import { Button } from "antd";
import { lazy, Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link, NavLink, useNavigate, useParams } from "react-router-dom";
import { ApiError, type Job } from "@/api/client";
import { JobMenu, useMayChange } from "@/shared/job/JobMenu";
import { hasEnded, mayStop } from "@/shared/job/states";
import { useJobActions } from "@/shared/job/useJobActions";
import { CopyText } from "@/shared/ui/CopyText";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { StateTag } from "@/shared/ui/StateTag";
import { useJob } from "./api";
import { Timeline } from "./Timeline";
import { showState } from "./tab_icon";
import "@/shared/ui/Page.css";
import "./job.css";

const tabs = {
  overview: lazy(() => import("./OverviewTab")),
  tasks: lazy(() => import("./TasksTab")),
  logs: lazy(() => import("./LogsTab")),
  curves: lazy(() => import("./curves/CurvesTab")),
  monitor: lazy(() => import("./monitor/MonitorTab")),
  events: lazy(() => import("./EventsTab")),
  config: lazy(() => import("./ConfigTab")),
};
type TabName = keyof typeof tabs;
const order = Object.keys(tabs) as TabName[];

export function Component() {
  const { t } = useTranslation("job");
  const { id: ref = "", tab = "overview" } = useParams();
  const navigate = useNavigate();
  const job = useJob(ref);

  // A link by name, or by the first characters of the id, becomes the one that always works.
  const id = job.data?.id;
  useEffect(() => {
    if (id && id !== ref)
      navigate(`/jobs/${id}${tab === "overview" ? "" : `/${tab}`}${location.search}`, { replace: true });
  }, [id, ref, tab, navigate]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        (event.target as HTMLElement).closest("input, textarea, [contenteditable], [role=grid]")
      )
        return;
      const wanted = order[Number(event.key) - 1];
      if (wanted) navigate(`/jobs/${ref}${wanted === "overview" ? "" : `/${wanted}`}`);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [ref, navigate]);

  if (job.error && !job.data) {
    const gone = job.error instanceof ApiError && job.error.status === 404;
    return (
      <div className="page">
        {gone ? (
          <Face title={<h1>{t("gone")}</h1>} icon="search" actions={<Link to="/jobs">{t("all_jobs")}</Link>}>
            {t("gone_text")}
          </Face>
        ) : (
          <ErrorFace error={job.error} retry={() => void job.refetch()} />
        )}
      </div>
    );
  }
  if (!job.data)
    return (
      <div className="page">
        <LoadingFace lines={8} />
      </div>
    );
  return <Detail job={job.data} tab={tab in tabs ? (tab as TabName) : "overview"} />;
}

function Detail({ job, tab }: { job: Job; tab: TabName }) {
  const { t } = useTranslation("job");
  const { t: shared } = useTranslation("shared");
  const navigate = useNavigate();
  const actions = useJobActions();
  const mayChange = useMayChange()(job);
  const Tab = tabs[tab];
  const word = shared(`state.${job.state}`);
  useEffect(() => showState(job.state, `${word} ${job.handle}`), [job.state, job.handle, word]);
  const toList = () => navigate("/jobs");
  // On a phone the tabs are wider than the screen: the open one is brought into view.
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // In braces: newer browsers answer with a promise, which is no way to clean up.
    bar.current?.querySelector(".active")?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [tab]);
  return (
    <div className={`page job${tab === "logs" ? " page-fill" : ""}`}>
      <header className="job-head">
        <div className="job-title">
          <div className="job-name-line">
            <StateTag state={job.state} />
            <h1 className="whole-name" title={job.handle}>
              {job.handle}
            </h1>
            <CopyText text={job.id} shown={job.id.slice(0, 8)} />
            <span className="quiet job-from">
              {job.workspace} · {job.owner} · {t(`dialect.${job.dialect}`)}
            </span>
          </div>
          <div className="page-actions">
            <Button onClick={() => actions.clone(job)}>{t("clone")}</Button>
            {hasEnded(job.state) ? (
              <Button onClick={() => actions.retry(job)}>{shared("action.retry")}</Button>
            ) : (
              <Button
                danger
                disabled={!mayStop(job.state) || !mayChange}
                title={mayChange ? undefined : shared("action.not_yours")}
                onClick={() => actions.stop(job)}
              >
                {shared("action.stop")}
              </Button>
            )}
            <JobMenu job={job} actions={actions} onRemoved={toList} label={t("more")} />
          </div>
        </div>
        <Timeline job={job} onLimit={mayChange && !hasEnded(job.state) ? () => actions.setLimit(job) : undefined} />
      </header>
      <nav ref={bar} className="tabs" aria-label={t("tabs")}>
        {order.map((name) => (
          <NavLink key={name} end to={`/jobs/${job.id}${name === "overview" ? "" : `/${name}`}`} className="tab">
            {t(`tab.${name}`)}
            {name === "tasks" && <span className="tab-count numbers">{job.tasks}</span>}
          </NavLink>
        ))}
      </nav>
      <Suspense fallback={<LoadingFace />}>
        <Tab job={job} />
      </Suspense>
      <p className="visually-hidden" role="status" aria-live="polite">
        {job.handle}: {word}
      </p>
      {actions.dialogs}
    </div>
  );
}
