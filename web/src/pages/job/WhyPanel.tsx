import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job, Why } from "@/api/client";
import { languageNow } from "@/shared/language";
import { shortTime } from "@/shared/format/time";
import { hasEnded } from "@/shared/job/states";
import { stated, useSaid } from "@/shared/messages";
import { ErrorFace } from "@/shared/ui/Face";
import { Moment } from "@/shared/ui/Time";
import { useWhy } from "./api";
import { plainText } from "./ansi";
import { Evidence } from "./Evidence";

/** Why it waits, or why it failed: the cause in one sentence, the numbers, and what would change it. */
export function WhyPanel({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  const wanted =
    job.state === "queued" ||
    job.state === "paused" ||
    job.state === "failed" ||
    job.state === "cancelled" ||
    Boolean(job.not_before);
  const why = useWhy(job.id, wanted);
  if (job.state === "starting") return <Starting job={job} />;
  if (!wanted) return null;
  if (why.error) return <ErrorFace error={why.error} retry={() => void why.refetch()} />;
  if (!why.data || !why.data.text) return null;
  const kind = hasEnded(job.state) ? (job.state === "failed" ? "failed" : "stopped") : "waiting";
  return (
    <section className={`card why why-${kind}`} aria-label={t(`why.${kind}`)}>
      <h2>{t(`why.${kind}`)}</h2>
      <p className="why-text">{said(why.data, "text")}</p>
      {kind === "waiting" ? <Waiting why={why.data} job={job} /> : <Ended job={job} why={why.data} />}
    </section>
  );
}

/** What tasks wait for before their command begins, where that takes long; tasks that wait for the same say it once. */
function Starting({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  const waiting = new Map<string, number>();
  for (const task of job.roles.flatMap((role) => role.tasks)) {
    const why = task.state === "starting" ? said(task) : "";
    if (why) waiting.set(why, (waiting.get(why) ?? 0) + 1);
  }
  if (waiting.size === 0) return null;
  return (
    <section className="card why why-starting" aria-label={t("why.starting")}>
      <h2>{t("why.starting")}</h2>
      <ul className="why-reasons">
        {[...waiting].map(([why, count]) => (
          <li key={why}>
            {why} {count > 1 && <span className="quiet">{t("task_count", { count })}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Waiting({ why, job }: { why: Why; job: Job }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  const language = languageNow();
  const estimate = why.estimate;
  return (
    <>
      <dl className="facts">
        {why.verdict && (
          <>
            <dt>{t("verdict")}</dt>
            <dd className={why.verdict === "impossible" ? "fault" : undefined}>{t(`verdicts.${why.verdict}`)}</dd>
          </>
        )}
        {why.position !== undefined && (
          <>
            <dt>{t("position")}</dt>
            <dd className="numbers">
              {t("position_of", { position: why.position, waiting: why.waiting ?? why.position })}
            </dd>
          </>
        )}
        {estimate?.likely && (
          <>
            <dt>{t("estimate")}</dt>
            <dd className="numbers">
              {t(
                shortTime(estimate.early, language) === shortTime(estimate.late, language)
                  ? "estimate_around"
                  : "estimate_band",
                {
                  likely: shortTime(estimate.likely, language),
                  early: shortTime(estimate.early, language),
                  late: shortTime(estimate.late, language),
                },
              )}
            </dd>
          </>
        )}
        {job.not_before && (
          <>
            <dt>{t("not_before")}</dt>
            <dd>
              <Moment at={job.not_before} />
            </dd>
          </>
        )}
      </dl>
      {(why.reasons ?? []).length > 1 && (
        <ul className="why-reasons">
          {why.reasons?.map((reason, index) => (
            <li key={index}>{said(stated(reason))}</li>
          ))}
        </ul>
      )}
      {why.change?.text && (
        <p>
          <strong>{t("change_title")}</strong> {said(stated(why.change))}{" "}
          <Link to={`/jobs/new?from=${job.id}`}>{t("clone_and_change")}</Link>
        </p>
      )}
    </>
  );
}

function Ended({ job, why }: { job: Job; why: Why }) {
  const { t } = useTranslation("job");
  const decision = job.decision;
  const first = decision?.task ?? undefined;
  const task = job.roles.flatMap((role) => role.tasks).find((one) => one.name === first);
  return (
    <>
      <dl className="facts">
        {decision?.class && (
          <>
            <dt>{t("whose")}</dt>
            <dd>{t(`class.${decision.class}`, { defaultValue: decision.class })}</dd>
          </>
        )}
        {first && (
          <>
            <dt>{t("first_task")}</dt>
            <dd>
              <Link to={`/jobs/${job.id}/logs?task=${first}`}>{first}</Link>
              {task?.node && <> · {task.node}</>}
              {task?.ended_at && (
                <>
                  {" · "}
                  <Moment at={task.ended_at} />
                </>
              )}
            </dd>
          </>
        )}
        {(decision?.exit_code ?? job.exit_code) !== null && (decision?.exit_code ?? job.exit_code) !== undefined && (
          <>
            <dt>{t("exit_code")}</dt>
            <dd className="numbers">{decision?.exit_code ?? job.exit_code}</dd>
          </>
        )}
      </dl>
      {job.state === "failed" && (
        <>
          {why.clue && <Clue job={job} clue={why.clue} />}
          <Evidence job={job} task={first} />
          <div className="row">
            <Link to={`/jobs/new?from=${job.id}`}>
              <Button tabIndex={-1}>{t("clone_and_change")}</Button>
            </Link>
            <Link to={`/jobs/${job.id}/logs${first ? `?task=${first}` : ""}`}>{t("open_log")}</Link>
          </div>
        </>
      )}
    </>
  );
}

/** The cause the log speaks of, with the line that does, in the reader's language. */
function Clue({ job, clue }: { job: Job; clue: NonNullable<Why["clue"]> }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  return (
    <section className="clue" aria-label={t("clue.title")}>
      <p>
        <strong>{t("clue.title")}</strong> {said(clue, "text")}
      </p>
      <p>
        <Link to={`/jobs/${job.id}/logs?task=${encodeURIComponent(clue.task)}&line=${clue.line}`}>
          {t("clue.place", clue)}
        </Link>{" "}
        <code>{plainText(clue.said)}</code>
      </p>
    </section>
  );
}
