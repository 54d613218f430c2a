import { useMemo } from "react";
import type { JobSummary } from "@/api/client";
import { useWhys } from "@/api/jobs";

/** Beyond these many waiting jobs nobody reads each one's sentence; their own pages have it. */
const MOST = 12;

/** The rows, the waiting ones with why they wait; the same array while nothing changed. */
export function useExplained(rows: JobSummary[]): JobSummary[] {
  // The list itself does not say: it would cost a decision for each.
  const whys = useWhys(
    rows
      .filter((job) => job.state === "queued")
      .slice(0, MOST)
      .map((job) => job.id),
  );
  const key = [...whys].flatMap(([id, why]) => [id, why.text]).join("\u0000");
  return useMemo(
    () =>
      rows.map((job) => {
        const why = job.state === "queued" ? whys.get(job.id) : undefined;
        return why ? { ...job, reason: why.text, reason_says: why.text_says } : job;
      }),
    // `whys` is made anew with each draw; its key tells whether it says anything new.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [rows, key],
  );
}
