import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { api, type JobSummary } from "@/api/client";
import { keys } from "@/app/queries";

/** Beyond these many waiting jobs nobody reads each one's sentence; their own pages have it. */
const MOST = 12;

/** Why the first waiting jobs of a list wait. The list itself does not say: it would cost a decision for each. */
export function useReasons(rows: JobSummary[]): Map<string, string> {
  const waiting = rows.filter((job) => job.state === "queued" && !job.reason).slice(0, MOST);
  return useQueries({
    queries: waiting.map((job) => ({
      queryKey: [...keys.job(job.id), "why"],
      queryFn: async () => (await api.GET("/api/v1/jobs/{id}/why", { params: { path: { id: job.id } } })).data,
      staleTime: 10_000,
    })),
    combine: (answers) => answers.map((answer) => answer.data?.text ?? "").join("\u0000"),
  })
    .split("\u0000")
    .reduce((reasons, text, index) => {
      const job = waiting[index];
      if (job && text) reasons.set(job.id, text);
      return reasons;
    }, new Map<string, string>());
}

/** The rows with those reasons in their places; the same array while nothing changed. */
export function useExplained(rows: JobSummary[]): JobSummary[] {
  const reasons = useReasons(rows);
  const key = JSON.stringify([...reasons]);
  return useMemo(
    () => (reasons.size ? rows.map((job) => (job.state === "queued" && reasons.has(job.id) ? { ...job, reason: reasons.get(job.id) ?? "" } : job)) : rows),
    // `reasons` is made anew with each draw; its key tells whether it says anything new.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [rows, key],
  );
}
