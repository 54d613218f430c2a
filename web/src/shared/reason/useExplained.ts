import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, type JobSummary, type Why } from "@/api/client";
import { keys } from "@/app/queries";
import { useSaid } from "@/shared/said";
import { useReasons } from ".";

/** Beyond these many waiting jobs nobody reads each one's sentence; their own pages have it. */
const MOST = 12;

/** Why the first waiting jobs of a list wait. The list itself does not say: it would cost a decision for each. */
function useWhys(rows: JobSummary[]): Map<string, Why> {
  const waiting = rows.filter((job) => job.state === "queued").slice(0, MOST);
  const answers = useQueries({
    queries: waiting.map((job) => ({
      queryKey: [...keys.job(job.id), "why"],
      queryFn: async () => (await api.GET("/api/v1/jobs/{id}/why", { params: { path: { id: job.id } } })).data as Why,
      staleTime: 10_000,
    })),
  });
  return new Map(waiting.flatMap((job, index) => (answers[index]?.data ? [[job.id, answers[index].data] as const] : [])));
}

/** The rows with their reasons in the reader's language; the same array while nothing changed. */
export function useExplained(rows: JobSummary[]): JobSummary[] {
  const reasons = useReasons();
  const said = useSaid();
  const whys = useWhys(rows);
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
