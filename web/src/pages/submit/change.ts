import type { Schemas } from "@/api/client";
import { exactDuration } from "@/shared/messages/render";
import { openFile, withValue, type Path } from "./job_file";

/** A statement of the scheduler, with the values its code stands for. */
type Statement = Pick<Schemas["Statement"], "code"> & { data?: Record<string, unknown> };

/** `11GB` where it is whole, else the bytes themselves: what is proposed must not become more by rounding. */
function amountOf(bytes: number): string | number {
  for (const [unit, size] of [
    ["GB", 2 ** 30],
    ["MB", 2 ** 20],
  ] as const)
    if (bytes % size === 0) return `${bytes / size}${unit}`;
  return bytes;
}

/**
 * The file with what the scheduler proposes written into it. Null where that is not one value of one role: somebody
 * then has to decide.
 */
export function withChange(text: string, change: Statement): string | null {
  const file = openFile(text);
  const [role, ...others] = file.roles;
  if (!file.value || file.documents !== 1 || !role || others.length) return null;
  const data = change.data ?? {};
  const own = (key: string): Path => [...role.at, key];
  switch (change.code) {
    case "fewer_gpus":
      return typeof data.gpus === "number" ? withValue(text, own("gpus"), data.gpus) : null;
    case "fewer_tasks":
      return typeof data.tasks === "number" ? withValue(text, own("count"), data.tasks) : null;
    case "fewer_cpus":
      return withValue(text, own("cpus"), Number(data.to) / 1000);
    case "less_memory":
      return withValue(text, own("memory"), amountOf(Number(data.to)));
    case "shorten_time_limit":
      return withValue(text, ["time_limit"], exactDuration(Number(data.limit)));
    default:
      return null;
  }
}
