import type { Job, Schemas } from "@/api/client";
import type { Point } from "@/shared/chart/thin";

export type TaskMetrics = Schemas["TaskMetrics"];
type UsagePoint = Schemas["UsagePoint"];

export const resources = [
  "cpus",
  "memory",
  "gpu_load",
  "gpu_memory",
  "network_in",
  "network_out",
  "disk_read",
  "disk_written",
  "processes",
] as const;
export type Resource = (typeof resources)[number];
export const unitOf: Record<Resource, "cores" | "bytes" | "percent" | "rate" | "count"> = {
  cpus: "cores",
  memory: "bytes",
  gpu_load: "percent",
  gpu_memory: "bytes",
  network_in: "rate",
  network_out: "rate",
  disk_read: "rate",
  disk_written: "rate",
  processes: "count",
};

export interface UsageLine {
  name: string;
  points: Point[];
}

const known = (value: number | null | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;

/** What was used at each moment, from what is told at once. */
const told: Partial<Record<Resource, (point: UsagePoint) => number | null>> = {
  cpus: (point) => known(point.cpus),
  memory: (point) => known(point.memory),
  processes: (point) => known(point.processes),
};

/** What is only counted up since the start becomes a rate. */
const counted: Partial<Record<Resource, (point: UsagePoint) => number | null>> = {
  network_in: (point) => known(point.network_received),
  network_out: (point) => known(point.network_sent),
  disk_read: (point) => known(point.disk_read),
  disk_written: (point) => known(point.disk_written),
};

function rates(points: UsagePoint[], count: (point: UsagePoint) => number | null): Point[] {
  const line: Point[] = [];
  for (let i = 1; i < points.length; i += 1) {
    const before = points[i - 1] as UsagePoint;
    const now = points[i] as UsagePoint;
    const [a, b] = [count(before), count(now)];
    const seconds = (Date.parse(now.at) - Date.parse(before.at)) / 1000;
    if (a === null || b === null || !(seconds > 0)) continue;
    // A counter that fell was begun anew.
    line.push([Date.parse(now.at), Math.max(0, b - a) / seconds]);
  }
  return line;
}

/** Between two moments much further apart than their neighbours nothing was measured: the line is broken there. */
export function withGaps(points: Point[]): Point[] {
  const wide = (i: number) => (points[i]?.[0] ?? 0) - (points[i - 1]?.[0] ?? 0);
  const broken: Point[] = [];
  points.forEach((point, i) => {
    const width = wide(i);
    const usual = Math.max(i > 1 ? wide(i - 1) : 0, i + 1 < points.length ? wide(i + 1) : 0);
    if (i > 0 && width > 30_000 && usual > 0 && width > usual * 4)
      broken.push([((points[i - 1]?.[0] ?? 0) + point[0]) / 2, null]);
    broken.push(point);
  });
  return broken;
}

/** One line for each task, and for each of its GPUs where it is about GPUs; nothing where nothing was measured. */
export function linesOf(tasks: TaskMetrics[], resource: Resource): UsageLine[] {
  return tasks.flatMap((task): UsageLine[] => {
    const points = task.points;
    const name = task.task;
    if (resource === "gpu_load" || resource === "gpu_memory") {
      const numbers = [...new Set(points.flatMap((point) => point.gpus.map((gpu) => gpu.index)))].sort((a, b) => a - b);
      return numbers.map((number) => ({
        name: `${name} GPU ${number}`,
        points: points.map((point): Point => {
          const gpu = point.gpus.find((one) => one.index === number);
          return [Date.parse(point.at), known(resource === "gpu_load" ? gpu?.load_percent : gpu?.memory_used)];
        }),
      }));
    }
    const plain = told[resource];
    const sum = counted[resource];
    const line = plain
      ? points.map((point): Point => [Date.parse(point.at), plain(point)])
      : sum
        ? rates(points, sum)
        : [];
    return line.some((point) => point[1] !== null) ? [{ name, points: line }] : [];
  });
}

/** What all of them use together, at every moment that any of them was looked at. */
export function together(lines: UsageLine[], name: string, average = false): UsageLine {
  const moments = [...new Set(lines.flatMap((line) => line.points.map((point) => point[0])))].sort((a, b) => a - b);
  const at = lines.map(() => 0);
  const points = moments.map((moment): Point => {
    let sum = 0;
    let count = 0;
    lines.forEach((line, i) => {
      while ((line.points[(at[i] ?? 0) + 1]?.[0] ?? Infinity) <= moment) at[i] = (at[i] ?? 0) + 1;
      const point = line.points[at[i] ?? 0];
      const last = line.points.at(-1);
      // Before its beginning and after its end a task uses nothing.
      if (!point || !last || point[0] > moment || last[0] < moment || point[1] === null) return;
      sum += point[1];
      count += 1;
    });
    return [moment, count === 0 ? null : average ? sum / count : sum];
  });
  return { name, points };
}

export const highest = (points: Point[]): number | null =>
  points.reduce<number | null>((most, [, y]) => (y === null ? most : most === null ? y : Math.max(most, y)), null);
export const latest = (points: Point[]): number | null => points.findLast((point) => point[1] !== null)?.[1] ?? null;

/** The lines that use most, and all others as one: a chart with a thousand lines says nothing. */
export function busiest(lines: UsageLine[], most: number, others: string, average = false): UsageLine[] {
  if (lines.length <= most) return lines;
  const ranked = [...lines].sort((a, b) => (highest(b.points) ?? 0) - (highest(a.points) ?? 0));
  const kept = new Set(ranked.slice(0, most));
  return [...lines.filter((line) => kept.has(line)), together(ranked.slice(most), others, average)];
}

/** One figure for all, or their sum; null where one is missing, or they differ. */
const one = (limits: number[], sum: boolean): number | null => {
  if (!limits.length || limits.some((limit) => limit <= 0)) return null;
  if (sum) return limits.reduce((a, b) => a + b, 0);
  return limits.every((limit) => limit === limits[0]) ? (limits[0] ?? null) : null;
};

/** How much of it a task, or all of them, may use; null where nothing was asked for or tasks differ. */
export function limitOf(tasks: TaskMetrics[], resource: Resource, sum: boolean): number | null {
  return resource === "cpus" || resource === "memory"
    ? one(
        tasks.map((task) => task[resource] ?? 0),
        sum,
      )
    : null;
}

/** How much memory a GPU, or all of them, has; null where they differ or one of them is not there any more. */
export function gpuMemoryOf(job: Job, nodes: Schemas["Node"][], sum: boolean): number | null {
  const known = new Map(nodes.map((node) => [node.name, node.gpus]));
  const tasks = job.roles.flatMap((role) => role.tasks);
  return one(
    tasks.flatMap((task) =>
      task.gpus.map((index) => known.get(task.node ?? "")?.find((gpu) => gpu.index === index)?.memory ?? 0),
    ),
    sum,
  );
}
