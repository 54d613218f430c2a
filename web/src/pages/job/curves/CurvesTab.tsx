import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Job } from "@/api/client";
import type { Language } from "@/shared/language";
import { Chart, type ChartLine } from "@/shared/chart/Chart";
import { smooth, type Point } from "@/shared/chart/thin";
import { duration, exactTime } from "@/shared/format/time";
import { useAddress } from "@/shared/hooks/useAddress";
import { hasEnded } from "@/shared/job/states";
import { CopyText } from "@/shared/ui/CopyText";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { useAttempts } from "../api";
import { AttemptChoice } from "../AttemptChoice";
import { figure } from "./figure";
import { axes, place, usualAxis, type Axis } from "./log_curves";
import { MOST_LOGS, useCurves } from "./useCurves";

const GROUP = "curves";
const EXAMPLE = 'print(f"step {step} loss {loss:.4f} acc {acc:.4f}", flush=True)';

/** Loss, accuracy and whatever else the tasks print, as curves: read from the log, without a change to the code. */
export default function CurvesTab({ job }: { job: Job }) {
  const { t, i18n } = useTranslation("job");
  const language = i18n.language as Language;
  const [query, put] = useAddress();
  const names = useMemo(() => job.roles.flatMap((role) => role.tasks).map((task) => task.name), [job.roles]);
  const chosen = query.get("task");
  const attempt = query.get("attempt") === null ? undefined : Number(query.get("attempt"));
  const live = !hasEnded(job.state) && (attempt === undefined || attempt === job.attempt);
  const tasks = chosen && names.includes(chosen) ? [chosen] : names.slice(0, MOST_LOGS);
  const attempts = useAttempts(job.id);
  const read = useCurves(job, job.started_at ? tasks : [], attempt, live);
  const asked = query.get("x") as Axis | null;
  const all = read.logs.flatMap((log) => [...log.curves.values()]);
  const axis = asked && axes.includes(asked) ? asked : usualAxis(all);
  const weight = Math.min(0.99, Math.max(0, Number(query.get("smooth") ?? 0) || 0));
  const logarithmic = query.get("log") === "1";
  const started = Date.parse(job.started_at ?? "") || 0;
  const cards = new Map<string, { lines: ChartLine[]; raw: Point[] }>();
  for (const log of read.logs) {
    for (const [name, marks] of log.curves) {
      const points = marks
        .flatMap((mark): Point[] => {
          const x = place(mark, axis, started);
          return x === null || (logarithmic && mark.value !== null && mark.value <= 0) ? [] : [[x, mark.value]];
        })
        .sort((a, b) => a[0] - b[0]);
      if (!points.length) continue;
      const card = cards.get(name) ?? { lines: [], raw: [] };
      const like = card.lines.filter((line) => !line.faint).length;
      if (weight > 0) card.lines.push({ name: log.task, points, faint: true, like });
      card.lines.push({ name: log.task, points: smooth(points, weight), like });
      card.raw = points;
      cards.set(name, card);
    }
  }
  const xText = (x: number) =>
    axis === "time"
      ? exactTime(x, language)
      : axis === "elapsed"
        ? duration(x * 1000, language)
        : String(Number(x.toFixed(3)));
  if (read.error && !read.logs.length) return <ErrorFace error={read.error} retry={read.retry} />;
  if (read.pending && !read.logs.length && job.started_at) return <LoadingFace lines={8} />;
  return (
    <>
      <div className="chart-tools">
        {names.length > 1 && (
          <select
            className="log-select"
            aria-label={t("task")}
            value={chosen ?? ""}
            onChange={(event) => put({ task: event.target.value || null })}
          >
            <option value="">
              {t(names.length > MOST_LOGS ? "curves.first_tasks" : "curves.all_tasks", { count: MOST_LOGS })}
            </option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        <AttemptChoice
          attempts={attempts.data ?? []}
          latest={job.attempt}
          value={attempt}
          onChange={(next) => put({ attempt: next === undefined ? null : String(next) })}
        />
        {cards.size > 0 && (
          <>
            <label>
              {t("curves.x")}
              <select className="log-select" value={axis} onChange={(event) => put({ x: event.target.value })}>
                {axes.map((name) => (
                  <option key={name} value={name}>
                    {t(`curves.axis.${name}`)}
                  </option>
                ))}
              </select>
            </label>
            <label>
              {t("curves.smooth")}
              <input
                type="range"
                min={0}
                max={0.99}
                step={0.01}
                value={weight}
                onChange={(event) => put({ smooth: Number(event.target.value) ? event.target.value : null })}
              />
              <span className="numbers">{weight.toFixed(2)}</span>
            </label>
            <label>
              <input
                type="checkbox"
                checked={logarithmic}
                onChange={(event) => put({ log: event.target.checked ? "1" : null })}
              />
              {t("curves.log")}
            </label>
          </>
        )}
        {read.logs.some((log) => log.sampled) && <span className="quiet">{t("curves.sampled")}</span>}
      </div>
      {cards.size > 0 ? (
        <div className="charts">
          {[...cards].map(([name, { lines, raw }]) => {
            const known = raw.flatMap(([, y]) => (y === null ? [] : [y]));
            const last = known.at(-1);
            const words = {
              name,
              count: raw.length,
              last: figure(last),
              low: figure(Math.min(...known)),
              high: figure(Math.max(...known)),
            };
            return (
              <Chart
                key={name}
                title={name}
                summary={t("curves.summary", words)}
                now={figure(last)}
                lines={lines}
                time={axis === "time"}
                xName={t(`curves.axis.${axis}`)}
                xText={xText}
                text={figure}
                group={GROUP}
                logarithmic={logarithmic}
              />
            );
          })}
        </div>
      ) : (
        <div className="card">
          <Face icon="pulse" title={t(!job.started_at ? "curves.waiting" : live ? "curves.none_yet" : "curves.none")}>
            <p>{t("curves.what")}</p>
            <p>
              <CopyText text={EXAMPLE} />
            </p>
          </Face>
        </div>
      )}
    </>
  );
}
