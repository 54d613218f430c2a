import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { ApiError, fetchRaw, fetchText, type Issue, type Schemas } from "@/api/client";
import { convert, postFile, type Dialect } from "@/api/job_files";
import { jobQuery } from "@/api/jobs";
import { keys } from "@/api/queries";
import type { Spec } from "@/shared/job/spec";
import type { Schema } from "./editor/complete";
import { faultsOf } from "./faults";

export type Submitted = Schemas["Submitted"];

export interface Checked {
  ok: boolean;
  dialect: Dialect | null;
  jobs: Spec[];
  issues: Issue[];
  /** What would become of each job if it were handed in now; nothing while there are faults. */
  forecasts?: Array<Schemas["Forecast"] | null>;
}

/** The job to begin from: its file as it was handed in. */
export const sourceQuery = (from: string | null) =>
  queryOptions({
    queryKey: [...keys.job(from ?? ""), "spec", "source"],
    enabled: from !== null,
    staleTime: Infinity,
    retry: false,
    queryFn: () => fetchText(`/api/v1/jobs/${encodeURIComponent(from ?? "")}/spec`),
  });

/** The same job's name and format; what it does meanwhile does not matter here. */
export const originQuery = (from: string | null) =>
  queryOptions({
    queryKey: [...keys.job(from ?? ""), "origin"],
    queryFn: ({ client }) => client.fetchQuery(jobQuery(from ?? "")),
    enabled: from !== null,
    staleTime: Infinity,
    retry: false,
  });

/**
 * What the text means and everything that is wrong with it, from the parser that will accept the job: first the file
 * itself, then, when that is good, what the server would say to it now.
 */
export const checkQuery = (text: string, format: Dialect | "") =>
  queryOptions({
    queryKey: ["check", format, text],
    queryFn: async ({ signal }): Promise<Checked> => {
      const checked = (await postFile("/api/v1/check", { format }, text, signal)) as Checked;
      if (!checked.ok) return checked;
      try {
        const told = (await postFile("/api/v1/jobs", { format, dry_run: "true" }, text, signal)) as Submitted;
        return { ...checked, forecasts: (told.jobs ?? [told]).map((one) => one.forecast ?? null) };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 401)
          throw error;
        return { ...checked, ok: false, issues: [...faultsOf(error), ...checked.issues] };
      }
    },
    enabled: text.trim() !== "",
    // The machines change while somebody thinks.
    staleTime: 10_000,
    refetchInterval: 15_000,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });

export const convertQuery = (text: string, from: Dialect | "", to: Dialect) =>
  queryOptions({
    queryKey: ["convert", from, to, text],
    queryFn: () => convert(text, from, to),
    retry: false,
    staleTime: Infinity,
    gcTime: 60_000,
  });

/** The schema of a format; not every one has one. */
export const schemaQuery = (dialect: Dialect) =>
  queryOptions({
    queryKey: ["schema", dialect],
    queryFn: async () => {
      const name = dialect === "native" ? "job.v1" : dialect;
      return JSON.parse(await fetchText(`/schema/${name}.json`)) as Schema;
    },
    staleTime: Infinity,
    retry: false,
  });

export interface Bundle {
  text: string;
  format: Dialect | "";
  /** Code that goes along. */
  code: File | null;
}

/** Hands a job in; the same key gets the same answer, however often it is sent. */
export async function sendJob({ text, format, code }: Bundle, key: string): Promise<Submitted> {
  let body: BodyInit = text;
  const headers: Record<string, string> = { "Idempotency-Key": key };
  if (code) {
    body = new FormData();
    body.append("job", new Blob([text], { type: "application/yaml" }), "job.yaml");
    body.append("code", code, code.name);
  } else headers["Content-Type"] = "application/yaml";
  const address = `/api/v1/jobs${format ? `?format=${format}` : ""}`;
  return (await (await fetchRaw(address, { method: "POST", body, headers })).json()) as Submitted;
}
