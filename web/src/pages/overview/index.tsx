import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { JobSummary } from "@/api/client";
import { useMe } from "@/api/session";
import { useWorkspace } from "@/shared/hooks/useWorkspace";
import { useJobActions } from "@/shared/job/useJobActions";
import { JobMenu } from "@/shared/job/JobMenu";
import { hasEnded } from "@/shared/job/states";
import { useExplained } from "@/shared/job/useExplained";
import { useSaid } from "@/shared/messages";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";
import { Page } from "@/shared/ui/Page";
import { StateTag } from "@/shared/ui/StateTag";
import { Duration, Moment } from "@/shared/ui/Time";
import { mineQuery } from "./api";
import { Attention } from "./Attention";
import { ClusterCard } from "./ClusterCard";
import { Dots } from "./Dots";
import { StartHere } from "./StartHere";
import "./overview.css";

const SHOWN = 8;

/** "Are my jobs all right?", answered without a click. */
export function Component() {
  const { t } = useTranslation("overview");
  const me = useMe();
  const [workspace] = useWorkspace();
  const jobs = useQuery(mineQuery(workspace));
  const mine = jobs.data ?? [];
  const midnight = new Date().setHours(0, 0, 0, 0);
  const running = mine.filter((job) => ["starting", "running", "stopping"].includes(job.state)).length;
  const waiting = mine.filter((job) => job.state === "queued" || job.state === "paused").length;
  const failed = mine.filter(
    (job) => job.state === "failed" && new Date(job.ended_at ?? 0).getTime() >= midnight,
  ).length;
  return (
    <Page label={t("title")} title={t("greeting", { name: me.display_name || me.name })}>
      {jobs.error ? (
        <div className="card">
          <ErrorFace error={jobs.error} retry={() => void jobs.refetch()} />
        </div>
      ) : jobs.isPending ? (
        <div className="card">
          <LoadingFace lines={6} />
        </div>
      ) : mine.length === 0 ? (
        <div className="overview-grid">
          <StartHere />
          <ClusterCard />
        </div>
      ) : (
        <>
          <p className="overview-line numbers" role="status">
            {t("line", { running, waiting, failed })}
          </p>
          <div className="overview-grid">
            <MyJobs jobs={mine} />
            <Attention jobs={mine} />
            <ClusterCard />
            <Dots jobs={mine} />
          </div>
        </>
      )}
    </Page>
  );
}

function MyJobs({ jobs }: { jobs: JobSummary[] }) {
  const { t } = useTranslation("overview");
  const actions = useJobActions();
  // What still goes on first, then what ended last.
  const first = useMemo(
    () => [...jobs].sort((a, b) => Number(hasEnded(a.state)) - Number(hasEnded(b.state))).slice(0, SHOWN),
    [jobs],
  );
  const shown = useExplained(first);
  const said = useSaid();
  return (
    <section className="card overview-card overview-wide" aria-labelledby="my-jobs">
      <div className="row">
        <h2 id="my-jobs" className="grow">
          {t("my_jobs")}
        </h2>
        <Link to="/jobs?user=me">{t("all_jobs")}</Link>
      </div>
      <ul className="job-rows">
        {shown.map((job) => (
          <li key={job.id}>
            <span className="job-row-state">
              <StateTag state={job.state} />
            </span>
            <Link to={`/jobs/${job.id}`} className="cut job-row-name" title={job.handle}>
              {job.handle}
            </Link>
            <span className="quiet cut grow numbers">
              {job.gpus > 0 && job.state !== "queued" && `${t("gpus", { count: job.gpus })} · `}
              {job.reason && !["running", "starting", "cancelled"].includes(job.state) ? (
                <span title={said(job, "reason")}>{said(job, "reason")}</span>
              ) : job.started_at ? (
                <Duration from={job.started_at} to={job.ended_at} />
              ) : (
                <Moment at={job.created_at} />
              )}
            </span>
            <Link to={`/jobs/${job.id}/logs`} className="icon-button" aria-label={t("log_of", { name: job.handle })}>
              <Icon name="log" />
            </Link>
            <JobMenu job={job} actions={actions} />
          </li>
        ))}
      </ul>
      {actions.dialogs}
    </section>
  );
}
