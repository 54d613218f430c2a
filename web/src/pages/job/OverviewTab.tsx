import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job, Role } from "@/api/client";
import { bytes } from "@/shared/format/bytes";
import { Priority } from "@/shared/job/Priority";
import { WhyPanel } from "./WhyPanel";
import { CommandCard } from "./CommandCard";
import { CurveCard } from "./curves/CurveCard";
import { TailCard } from "./TailCard";
import { TaskStrip } from "./TaskStrip";

/** What it asked for, how it goes, and its last words. */
export default function OverviewTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const labels = Object.entries(job.labels);
  return (
    <>
      <WhyPanel job={job} />
      <div className="job-columns">
        <section className="card panel" aria-label={t("facts")}>
          <h2>{t("facts")}</h2>
          {job.description && <p>{job.description}</p>}
          <dl className="facts">
            <dt>{t("owner")}</dt>
            <dd>{job.owner}</dd>
            <dt>{t("workspace")}</dt>
            <dd>{job.workspace}</dd>
            <dt>{t("format")}</dt>
            <dd>{t(`dialect.${job.dialect}`)}</dd>
            <dt>{t("priority")}</dt>
            <dd>
              <Priority value={job.priority} />
            </dd>
            <dt>{t("retries")}</dt>
            <dd className="numbers">{Object.values(job.retries).reduce((sum, count) => sum + count, 0)}</dd>
            {labels.length > 0 && (
              <>
                <dt>{t("labels")}</dt>
                <dd>
                  {labels.map(([key, value]) => (
                    <Link key={key} to={`/jobs?tag=${encodeURIComponent(`${key}=${value}`)}`} className="label">
                      {value ? `${key}=${value}` : key}
                    </Link>
                  ))}
                </dd>
              </>
            )}
          </dl>
          {job.roles.map((role) => (
            <RoleFacts key={role.name} role={role} job={job} />
          ))}
        </section>
        <div className="job-side">
          {job.started_at && <CurveCard job={job} />}
          {job.state !== "failed" && job.started_at && <TailCard job={job} />}
          <CommandCard job={job} />
        </div>
      </div>
    </>
  );
}

function RoleFacts({ role, job }: { role: Role; job: Job }) {
  const { t } = useTranslation("job");
  return (
    <section className="role" aria-label={role.name}>
      <h3>
        {role.name} <span className="quiet">{t("task_count", { count: role.count })}</span>
      </h3>
      {role.tasks.length > 1 && <TaskStrip job={job} role={role} />}
      <dl className="facts">
        <dt>{t("image")}</dt>
        <dd>
          {role.image ? <span className="mono">{role.image}</span> : <span className="quiet">{t("no_image")}</span>}
        </dd>
        <dt>{t("each")}</dt>
        <dd className="numbers">
          {t("cpus", { count: role.cpus })} · {bytes(role.memory)}
          {role.gpus ? ` · ${role.gpus}×${role.gpu_types.join("/") || "GPU"}` : ""}
          {role.shm ? ` · ${t("shm")} ${bytes(role.shm)}` : ""}
        </dd>
      </dl>
    </section>
  );
}
