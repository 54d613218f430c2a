import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { bytes } from "@/shared/format/bytes";
import { adviceOn, type Hint } from "./advice";
import type { TaskMetrics } from "./usage";

/** What the next run of this job could do without. */
export function Advice({ job, tasks, ended }: { job: Job; tasks: TaskMetrics[]; ended: boolean }) {
  const { t } = useTranslation("job");
  const say = (hint: Hint): string => {
    if (hint.kind === "memory") return t("monitor.spare_memory", { asked: bytes(hint.asked), most: bytes(hint.most) });
    return hint.asked === 1 ? t("monitor.idle_gpu") : t("monitor.idle_gpus", { asked: hint.asked, count: hint.idle });
  };
  const hints = useMemo(() => adviceOn(tasks, ended), [tasks, ended]);
  if (!hints.length) return null;
  return (
    <section className="card why" aria-label={t("monitor.advice")}>
      <h2>{t("monitor.advice")}</h2>
      {hints.map((hint) => (
        <p key={hint.kind}>{say(hint)}</p>
      ))}
      <p>
        <Link to={`/jobs/new?from=${job.id}`}>{t("clone_and_change")}</Link>
      </p>
    </section>
  );
}
