import { useQueries, useQueryClient } from "@tanstack/react-query";
import type { Job } from "@/api/client";
import { keys } from "@/api/queries";
import { fetchLinesIfAny } from "../api";
import { LogCurves, type Mark } from "./log_curves";

const LOOK = 2_000;
/** Logs that are read for one picture; the tasks of a gang mostly print the same. */
export const MOST_LOGS = 5;

export interface TaskCurves {
  task: string;
  curves: Map<string, Mark[]>;
  sampled: boolean;
}

/** The curves in the logs of these tasks, growing while the job runs. */
export function useCurves(job: Job, tasks: string[], attempt: number | undefined, live: boolean) {
  const client = useQueryClient();
  return useQueries({
    queries: tasks.map((task) => {
      const queryKey = [...keys.job(job.id), "curves", task, attempt ?? job.attempt];
      return {
        queryKey,
        retry: false,
        refetchInterval: live ? LOOK : (false as const),
        // Compared part by part, thousands of marks would cost more than drawing them.
        structuralSharing: false as const,
        queryFn: async () => {
          const reader =
            client.getQueryData<{ reader: LogCurves }>(queryKey)?.reader ??
            new LogCurves((part) => fetchLinesIfAny({ job: job.id, task, attempt }, part));
          await reader.advance();
          return { reader };
        },
      };
    }),
    combine: (answers) => ({
      logs: answers.flatMap((answer, i): TaskCurves[] =>
        answer.data
          ? [{ task: tasks[i] ?? "", curves: answer.data.reader.curves, sampled: answer.data.reader.sampled }]
          : [],
      ),
      pending: answers.some((answer) => answer.isPending),
      error: answers.find((answer) => answer.error)?.error ?? null,
      retry: () => answers.forEach((answer) => void answer.refetch()),
    }),
  });
}
