import type { JobSummary } from "@/api/client";
import { renewJobs } from "@/api/jobs";

export interface Outcome {
  job: JobSummary;
  error?: unknown;
}

/** Does one thing to many jobs, a few at a time; tells how far it is and how each went. */
export async function forEachJob(
  jobs: JobSummary[],
  act: (job: JobSummary) => Promise<unknown>,
  progress: (done: number) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...jobs];
  const worker = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      try {
        await act(job);
        outcomes.push({ job });
      } catch (error) {
        outcomes.push({ job, error });
      }
      progress(outcomes.length);
    }
  };
  await Promise.all(Array.from({ length: 4 }, worker));
  await renewJobs(jobs.map((job) => job.id));
  return outcomes;
}

const quoted = (text: string) => (/^[\w./@:~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The same thing typed: for scripts, and for those who would rather not click. */
export function asCommands(
  verb: "show" | "logs" | "stop" | "delete",
  job: Pick<JobSummary, "id" | "handle">,
): { cli: string; curl: string; python: string } {
  const paths = { show: ["GET", ""], logs: ["GET", "/logs"], stop: ["POST", "/stop"], delete: ["DELETE", ""] } as const;
  const [method, tail] = paths[verb];
  const address = `${location.origin}/api/v1/jobs/${job.id}${tail}`;
  return {
    cli: `trainyard ${verb} ${quoted(job.handle)}`,
    curl: `curl -H "Authorization: Bearer $TRAINYARD_TOKEN"${method === "GET" ? "" : ` -X ${method}`} ${address}`,
    python: `requests.${method.toLowerCase()}("${address}", headers={"Authorization": "Bearer " + token})`,
  };
}
