import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import type { JobSummary } from "@/api/client";
import { languageNow } from "@/shared/language";
import { duration, shortTime } from "@/shared/format/time";
import { useNarrow } from "@/shared/hooks/useNarrow";
import { useNow } from "@/shared/hooks/useNow";

const PAD = { left: 44, right: 10, top: 8, bottom: 22 };
const MARKS = [10_000, 60_000, 600_000, 3_600_000, 36_000_000, 86_400_000];

/** One dot a job: when it was submitted, how long it ran, how it went. Plain SVG: a chart library is not worth its weight here. */
export function Dots({ jobs }: { jobs: JobSummary[] }) {
  const { t } = useTranslation("overview");
  const { t: shared } = useTranslation("shared");
  const navigate = useNavigate();
  const now = useNow(30_000);
  const language = languageNow();
  // Drawn in the size it is shown in, so that its words stay readable on a phone.
  const narrow = useNarrow();
  const width = narrow ? 340 : 640;
  const height = 160;
  const from = Math.max(
    now - 7 * 86_400_000,
    Math.min(...jobs.map((job) => new Date(job.created_at).getTime()), now - 600_000),
  );
  const took = (job: JobSummary) => {
    const start = job.started_at ?? job.created_at;
    return Math.max(1000, (job.ended_at ? new Date(job.ended_at).getTime() : now) - new Date(start).getTime());
  };
  const shown = jobs.filter((job) => new Date(job.created_at).getTime() >= from);
  const longest = Math.max(60_000, ...shown.map(took));
  const x = (at: number) => PAD.left + ((at - from) / Math.max(1, now - from)) * (width - PAD.left - PAD.right);
  const y = (ms: number) =>
    height - PAD.bottom - (Math.log(ms / 1000) / Math.log(longest / 1000)) * (height - PAD.top - PAD.bottom);
  const marks = MARKS.filter((mark) => mark <= longest);
  const parts = narrow ? 2 : 3;
  const ticks = Array.from({ length: parts + 1 }, (_, part) => from + ((now - from) * part) / parts);
  return (
    <section className="card overview-card overview-wide" aria-labelledby="dots">
      <h2 id="dots">{t("track")}</h2>
      <svg
        className="dots"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={t("track_text", { count: shown.length })}
      >
        {marks.map((mark) => (
          <g key={mark}>
            <line x1={PAD.left} x2={width - PAD.right} y1={y(mark)} y2={y(mark)} className="dots-line" />
            <text x={PAD.left - 6} y={y(mark) + 4} textAnchor="end">
              {duration(mark, language)}
            </text>
          </g>
        ))}
        {ticks.map((tick, index) => (
          <text
            key={index}
            x={x(tick)}
            y={height - 5}
            textAnchor={index === 0 ? "start" : index === parts ? "end" : "middle"}
          >
            {shortTime(tick, language)}
          </text>
        ))}
        {shown.map((job) => (
          <g
            key={job.id}
            className={`dot state-${job.state}`}
            transform={`translate(${x(new Date(job.created_at).getTime())} ${y(took(job))})`}
            onClick={() => navigate(`/jobs/${job.id}`)}
          >
            <title>{`${job.handle} · ${shared(`state.${job.state}`)} · ${duration(took(job), language)}`}</title>
            {job.state === "failed" ? (
              <path d="M-4 -4L4 4M4 -4L-4 4" />
            ) : job.state === "cancelled" ? (
              <rect x="-3.5" y="-3.5" width="7" height="7" />
            ) : (
              <circle r="4" fillOpacity={job.state === "queued" ? 0 : 0.75} />
            )}
          </g>
        ))}
      </svg>
    </section>
  );
}
