import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import type { Language } from "@/shared/language";
import { Chart } from "@/shared/chart/Chart";
import { bytes } from "@/shared/format/bytes";
import { exactTime } from "@/shared/format/time";
import { useAddress } from "@/shared/hooks/useAddress";
import { useNodes } from "@/api/nodes";
import { hasEnded } from "@/shared/job/states";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { useAttempts, useUsage } from "../api";
import { AttemptChoice } from "../AttemptChoice";
import { Advice } from "./Advice";
import {
  busiest,
  gpuMemoryOf,
  highest,
  latest,
  limitOf,
  linesOf,
  resources,
  together,
  unitOf,
  withGaps,
  type Resource,
} from "./usage";

const ranges = { "15m": 15, "1h": 60, "6h": 360, all: 0 } as const;
type Range = keyof typeof ranges;
const SHOWN = 10;
const LOOK = 5_000;
const ALL_POINTS = 20_000;
const GROUP = "monitor";

const round = (value: number): string =>
  String(value >= 100 ? Math.round(value) : Number(value >= 1 ? value.toPrecision(3) : value.toFixed(3)));

/** What its tasks use and have used: every figure the machine can tell, the limits beside them. */
export default function MonitorTab({ job }: { job: Job }) {
  const { t, i18n } = useTranslation("job");
  const language = i18n.language as Language;
  const [query, put] = useAddress();
  const asked = query.get("range") ?? "all";
  const range: Range = asked in ranges ? (asked as Range) : "all";
  const attempt = query.get("attempt") === null ? undefined : Number(query.get("attempt"));
  const sum = query.get("by") === "sum" && job.tasks > 1;
  const attempts = useAttempts(job.id);
  const live = !hasEnded(job.state) && (attempt === undefined || attempt === job.attempt);
  // Many tasks share the points, so that a gang of a thousand loads as quickly as a single one.
  const points = Math.max(20, Math.min(500, Math.floor(ALL_POINTS / Math.max(1, job.tasks))));
  const every = live && (job.tasks > 50 ? LOOK * 6 : LOOK);
  const usage = useUsage(job, { points, attempt, minutes: live ? ranges[range] : 0 }, every);

  const nodes = useNodes();
  // Where the tasks of an earlier attempt ran is not known here.
  const gpuMemory = attempt === undefined || attempt === job.attempt ? gpuMemoryOf(job, nodes.data ?? [], sum) : null;

  const text: Record<(typeof unitOf)[Resource], (value: number) => string> = useMemo(
    () => ({
      cores: (value) => t("monitor.cores", { count: Number(round(value)), value: round(value) }),
      bytes,
      percent: (value) => `${round(value)} %`,
      rate: (value) => `${bytes(Math.round(value))}/s`,
      count: round,
    }),
    [t],
  );
  const charts = useMemo(() => {
    const tasks = usage.data ?? [];
    return resources.flatMap((resource) => {
      const each = linesOf(tasks, resource).map((line) => ({ ...line, points: withGaps(line.points) }));
      if (!each.some((line) => line.points.some((point) => point[1] !== null))) return [];
      const mean = resource === "gpu_load";
      const whole = sum
        ? [together(each, t(mean ? "monitor.mean" : "monitor.sum"), mean)]
        : busiest(each, SHOWN, t(mean ? "monitor.others_mean" : "monitor.others"), mean);
      return [
        {
          resource,
          lines: whole,
          total: together(each, "", mean).points,
          limit: resource === "gpu_memory" ? gpuMemory : limitOf(tasks, resource, sum),
        },
      ];
    });
  }, [usage.data, gpuMemory, sum, t]);

  if (usage.error && !usage.data) return <ErrorFace error={usage.error} retry={() => void usage.refetch()} />;
  if (usage.isPending) return <LoadingFace lines={8} />;
  return (
    <>
      <div className="chart-tools">
        <div className="segments" role="group" aria-label={t("monitor.range")}>
          {(Object.keys(ranges) as Range[]).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={range === name}
              disabled={!live && name !== "all"}
              onClick={() => put({ range: name === "all" ? null : name })}
            >
              {t(`monitor.ranges.${name}`)}
            </button>
          ))}
        </div>
        {job.tasks > 1 && (
          <div className="segments" role="group" aria-label={t("monitor.by")}>
            <button type="button" aria-pressed={!sum} onClick={() => put({ by: null })}>
              {t("monitor.by_task")}
            </button>
            <button type="button" aria-pressed={sum} onClick={() => put({ by: "sum" })}>
              {t("monitor.by_sum")}
            </button>
          </div>
        )}
        <AttemptChoice
          attempts={attempts.data ?? []}
          latest={job.attempt}
          value={attempt}
          onChange={(next) => put({ attempt: next === undefined ? null : String(next) })}
        />
        {charts.length > 0 && <span className="quiet">{t("monitor.how")}</span>}
      </div>
      <Advice job={job} tasks={usage.data} ended={!live} />
      {charts.length > 0 ? (
        <div className="charts">
          {charts.map(({ resource, lines, total, limit }) => {
            const say = text[unitOf[resource]];
            const [now, most] = [latest(total), highest(total)];
            const title = t(`monitor.resource.${resource}`);
            return (
              <Chart
                key={resource}
                title={title}
                summary={t(limit === null ? "monitor.summary" : "monitor.summary_limit", {
                  name: title,
                  now: now === null ? "–" : say(now),
                  most: most === null ? "–" : say(most),
                  limit: limit === null ? "" : say(limit),
                })}
                now={now === null ? undefined : live ? say(now) : t("monitor.most", { value: say(most ?? 0) })}
                lines={lines}
                limit={limit === null ? null : { name: t("monitor.limit", { value: say(limit) }), value: limit }}
                time
                xName={t("time")}
                xText={(x) => exactTime(x, language)}
                text={say}
                group={GROUP}
                fromZero
                top={unitOf[resource] === "percent" ? 100 : undefined}
                whole={unitOf[resource] === "count"}
                binary={unitOf[resource] === "bytes" || unitOf[resource] === "rate"}
              />
            );
          })}
        </div>
      ) : (
        <div className="card">
          <Face
            title={t(`monitor.none.${job.started_at ? (live ? "soon" : "ended") : "waiting"}`)}
            actions={<Link to={`/jobs/${job.id}`}>{t("tab.overview")}</Link>}
          >
            {job.started_at && t("monitor.none.why")}
          </Face>
        </div>
      )}
    </>
  );
}
