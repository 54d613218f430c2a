import { useMemo } from "react";
import type { JobSummary } from "@/api/client";
import { useSaid } from "@/shared/said";
import { useReasons } from ".";
import { useWhys } from "@/api/jobs";

/** Beyond these many waiting jobs nobody reads each one's sentence; their own pages have it. */
const MOST = 12;

/** The rows with their reasons in the reader's language; the same array while nothing changed. */
export function useExplained(rows: JobSummary[]): JobSummary[] {
  const reasons = useReasons();
  const said = useSaid();
  // The list itself does not say: it would cost a decision for each.
  const whys = useWhys(
    rows
      .filter((job) => job.state === "queued")
      .slice(0, MOST)
      .map((job) => job.id),
  );
  const told = rows.map((job) => {
    const why = job.state === "queued" ? whys.get(job.id) : undefined;
    return why ? reasons.all(why) : said(job.reason);
  });
  const key = told.join("\u0000");
  return useMemo(
    () => rows.map((job, index) => (told[index] === job.reason ? job : { ...job, reason: told[index] ?? "" })),
    // `told` is made anew with each draw; its key tells whether it says anything new.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [rows, key],
  );
}
