import { highest, linesOf, type TaskMetrics } from "./usage";

export type Hint = { kind: "gpus"; asked: number; idle: number } | { kind: "memory"; asked: number; most: number };

const LONG = 10 * 60_000;
const WHOLE_RUN = 30_000;
const IDLE = 5; // percent
const SPARE = 0.25;
const WORTH = 4 * 2 ** 30;

/** What was asked for and hardly used. While they run, silent about tasks younger than ten minutes: they may still be loading. */
export function adviceOn(tasks: TaskMetrics[], ended: boolean): Hint[] {
  const settled = tasks.filter((task) => {
    const points = task.points;
    return Date.parse(points.at(-1)?.at ?? "") - Date.parse(points[0]?.at ?? "") >= (ended ? WHOLE_RUN : LONG);
  });
  if (!settled.length) return [];
  const hints: Hint[] = [];
  const gpus = linesOf(settled, "gpu_load").filter((line) => line.points.some((point) => point[1] !== null));
  const idle = gpus.filter((line) => (highest(line.points) ?? 100) < IDLE).length;
  if (idle > 0) hints.push({ kind: "gpus", asked: gpus.length, idle });
  const asked = Math.max(...settled.map((task) => task.memory));
  const most = Math.max(...linesOf(settled, "memory").map((line) => highest(line.points) ?? 0), 0);
  if (most > 0 && asked >= WORTH && most < asked * SPARE) hints.push({ kind: "memory", asked, most });
  return hints;
}
