import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { bytes } from "@/shared/format/bytes";
import { adviceOn } from "./advice";
import type { TaskMetrics } from "./usage";

/** What the next run of this job could do without. */
export function Advice({ job, tasks }: { job: Job; tasks: TaskMetrics[] }) {
  const { t } = useTranslation("job");
  const hints = useMemo(() => adviceOn(tasks), [tasks]);
  if (!hints.length) return null;
  return (
    <section className="card why" aria-label={t("monitor.advice")}>
      <h2>{t("monitor.advice")}</h2>
      {hints.map((hint) => (
        <p key={hint.kind}>{hint.kind === "gpus" ? t("monitor.idle_gpus", { asked: hint.asked, idle: hint.idle }) : t("monitor.spare_memory", { asked: bytes(hint.asked), most: bytes(hint.most) })}</p>
      ))}
      <p>
        <Link to={`/jobs/new?from=${job.id}`}>{t("clone_and_change")}</Link>
      </p>
    </section>
  );
}
