import { useTranslation } from "react-i18next";
import type { Job } from "@/api/client";
import { languageNow } from "@/shared/language";
import { duration, fullTime } from "@/shared/format/time";
import { useNow } from "@/shared/hooks/useNow";
import { hasEnded } from "@/shared/job/states";
import { Duration, Moment } from "@/shared/ui/Time";

const ms = (at: string | null | undefined) => (at ? new Date(at).getTime() : null);

/** Submitted, queued, ran, ended: how long each took, and when the limit comes. */
export function Timeline({ job, onLimit }: { job: Job; onLimit?: () => void }) {
  const { t } = useTranslation("job");
  const now = useNow(hasEnded(job.state) ? 0 : 1000);
  const language = languageNow();
  const created = ms(job.created_at) ?? now;
  const started = ms(job.started_at);
  const ended = ms(job.ended_at);
  const limit = job.time_limit && started ? started + job.time_limit * 1000 : null;
  return (
    <ol className="timeline numbers" aria-label={t("timeline")}>
      <li>
        <span className="quiet">{t("submitted")}</span> <Moment at={job.created_at} />
      </li>
      <li>
        <span className="quiet">{t("queued")}</span> {duration((started ?? ended ?? now) - created, language)}
      </li>
      {started && (
        <li>
          <span className="quiet">{t(ended ? "ran" : "running")}</span>{" "}
          <Duration from={job.started_at} to={job.ended_at} />
        </li>
      )}
      {ended && (
        <li>
          <span className="quiet">{t("ended")}</span> <Moment at={job.ended_at} />
        </li>
      )}
      {!ended && (
        <li>
          <span className="quiet">{t("limit")}</span>{" "}
          {limit ? (
            <time dateTime={new Date(limit).toISOString()} title={fullTime(limit, language)}>
              {t("limit_left", { time: duration(limit - now, language) })}
            </time>
          ) : job.time_limit ? (
            duration(job.time_limit * 1000, language)
          ) : (
            t("no_limit")
          )}
          {onLimit && (
            <button type="button" className="link-button" onClick={onLimit}>
              {t("change")}
            </button>
          )}
        </li>
      )}
      {job.gpus > 0 && <li>{t("gpus", { count: job.gpus })}</li>}
      {job.attempt > 0 && <li>{t("attempt", { count: job.attempt + 1 })}</li>}
    </ol>
  );
}
