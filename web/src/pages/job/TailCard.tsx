import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { useAtEnd } from "@/shared/hooks/useAtEnd";
import { hasEnded } from "@/shared/job/states";
import { ErrorFace } from "@/shared/ui/Face";
import { tailQuery } from "./api";
import { plainText } from "./ansi";

const LINES = 12;

/** The last lines of the log, as they come. */
export function TailCard({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const live = !hasEnded(job.state);
  const log = useQuery({
    ...tailQuery(job.id, LINES),
    refetchInterval: live && job.started_at ? 1000 : false,
    retry: false,
  });
  const { refetch } = log;
  // The last lines are often written in the last moment.
  useEffect(() => void refetch(), [job.state, refetch]);
  const text = plainText(log.data ?? "").trimEnd();
  const box = useAtEnd<HTMLPreElement>(text);
  return (
    <section className="card panel tail" aria-label={t("latest_log")}>
      <div className="row">
        <h2 className="grow">{t("latest_log")}</h2>
        <Link to={`/jobs/${job.id}/logs`}>{t("open_log")}</Link>
      </div>
      {log.error ? (
        <ErrorFace error={log.error} retry={() => void log.refetch()} />
      ) : text ? (
        <pre ref={box} tabIndex={0} aria-label={t("latest_log")}>
          {text}
        </pre>
      ) : (
        <p className="quiet">{t(live ? `no_log.${job.state}` : "no_log.ended")}</p>
      )}
    </section>
  );
}
