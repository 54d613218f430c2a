import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { thin, type Point } from "@/shared/chart/thin";
import { hasEnded } from "@/shared/job/states";
import { figure } from "./figure";
import { useCurves } from "./useCurves";
import "./curves.css";

const SHOWN = 4;
const WIDE = 300;
const HIGH = 64;

/** The first curves that the log has, small, growing; nothing at all while it has none. */
export function CurveCard({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const first = job.roles.flatMap((role) => role.tasks)[0]?.name;
  const { logs } = useCurves(job, first ? [first] : [], undefined, !hasEnded(job.state));
  const curves = [...(logs[0]?.curves ?? [])]
    .filter(([, marks]) => marks.filter((mark) => mark.value !== null).length > 1)
    .slice(0, SHOWN);
  if (!curves.length) return null;
  return (
    <section className="card panel" aria-label={t("tab.curves")}>
      <div className="row">
        <h2 className="grow">{t("tab.curves")}</h2>
        <Link to={`/jobs/${job.id}/curves`}>{t("curves.open")}</Link>
      </div>
      <div className="curve-cards">
        {curves.map(([name, marks]) => {
          const points = marks.flatMap((mark, i): Point[] =>
            mark.value === null ? [] : [[mark.step ?? i, mark.value]],
          );
          return (
            <figure key={name} className="curve-small">
              <figcaption>
                <span className="cut">{name}</span> <strong className="numbers">{figure(points.at(-1)?.[1])}</strong>
              </figcaption>
              <Small
                points={points}
                label={t("curves.summary", {
                  name,
                  count: points.length,
                  last: figure(points.at(-1)?.[1]),
                  low: figure(Math.min(...points.map((p) => p[1] ?? 0))),
                  high: figure(Math.max(...points.map((p) => p[1] ?? 0))),
                })}
              />
            </figure>
          );
        })}
      </div>
    </section>
  );
}

/** One line in its box, low at the bottom. */
function Small({ points, label }: { points: Point[]; label: string }) {
  const drawn = thin(
    [...points].sort((a, b) => a[0] - b[0]),
    200,
  );
  const xs = drawn.map((point) => point[0]);
  const ys = drawn.map((point) => point[1] ?? 0);
  const [left, right, low, high] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const along = (x: number) => (right > left ? ((x - left) / (right - left)) * WIDE : WIDE / 2);
  const up = (y: number) => (high > low ? HIGH - 4 - ((y - low) / (high - low)) * (HIGH - 8) : HIGH / 2);
  return (
    <svg viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={label}>
      <polyline
        points={drawn.map(([x, y]) => `${along(x).toFixed(1)},${up(y ?? 0).toFixed(1)}`).join(" ")}
        fill="none"
        stroke="var(--primary)"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
