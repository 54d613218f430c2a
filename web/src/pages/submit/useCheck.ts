import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError, fetchRaw, type Issue, type Schemas } from "@/api/client";
import type { Spec } from "./spec";

export const dialects = ["native", "openpai-v1", "openpai-v2", "ffdl", "gpu-manager", "volcano", "octopus"] as const;
export type Dialect = (typeof dialects)[number];

export interface Checked {
  ok: boolean;
  dialect: Dialect | null;
  jobs: Spec[];
  issues: Issue[];
}

export interface Converted {
  text: string;
  issues: Issue[];
}

/** The value, once it has stayed the same for so long. */
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}

const post = async (path: string, query: Record<string, string>, text: string, signal?: AbortSignal): Promise<unknown> => {
  const address = `${path}?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`;
  const answer = await fetchRaw(address, { method: "POST", body: text, headers: { "Content-Type": "application/yaml" }, signal });
  return answer.json();
};

/** The faults a refusal carries; one without a place when it names none. */
export function faultsOf(error: unknown): Issue[] {
  if (!(error instanceof ApiError)) return [];
  const details = error.problem.details.filter((fault) => fault.message);
  if (details.length) return details.map((fault) => ({ severity: "error", ...fault }));
  return [{ severity: "error", code: error.problem.code, message: error.problem.message }];
}

/**
 * What the text means and everything that is wrong with it, from the parser that will accept the job: first the file
 * itself, then, when that is good, what the server would say to it now.
 */
export function useCheck(text: string, format: Dialect | ""): { checked: Checked | undefined; error: unknown; pending: boolean; retry: () => void } {
  const settled = useSettled(text, 300);
  const result = useQuery({
    queryKey: ["check", format, settled],
    queryFn: async ({ signal }): Promise<Checked> => {
      const checked = (await post("/api/v1/check", { format }, settled, signal)) as Checked;
      if (!checked.ok) return checked;
      try {
        await post("/api/v1/jobs", { format, dry_run: "true" }, settled, signal);
        return checked;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 401) throw error;
        return { ...checked, ok: false, issues: [...faultsOf(error), ...checked.issues] };
      }
    },
    enabled: settled.trim() !== "",
    staleTime: 30_000,
    gcTime: 60_000,
    placeholderData: keepPreviousData,
  });
  const empty = settled.trim() === "";
  return {
    checked: empty ? undefined : result.data,
    error: empty ? null : result.error,
    pending: result.isFetching || settled !== text,
    retry: () => void result.refetch(),
  };
}

/** A job file in another format, and what of it cannot be said there; the reader decides whether that matters. */
export async function convert(text: string, from: Dialect | "", to: Dialect): Promise<Converted> {
  const answer = (await post("/api/v1/convert", { format: from, to, lossy: "true" }, text)) as Partial<Converted>;
  if (typeof answer.text !== "string") throw new Error(answer.issues?.map((issue) => issue.message).join(" ") || "no text");
  return { text: answer.text, issues: answer.issues ?? [] };
}

export type Submitted = Schemas["Submitted"];
