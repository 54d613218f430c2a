import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError, type Issue, type Schemas } from "@/api/client";
import { postFile, type Dialect } from "@/shared/job/dialect";
import type { Spec } from "@/shared/job/spec";

export interface Checked {
  ok: boolean;
  dialect: Dialect | null;
  jobs: Spec[];
  issues: Issue[];
  /** What would become of each job if it were handed in now; nothing while there are faults. */
  forecasts?: Array<Schemas["Forecast"] | null>;
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
export function useCheck(
  text: string,
  format: Dialect | "",
): { checked: Checked | undefined; error: unknown; pending: boolean; retry: () => void } {
  const settled = useSettled(text, 300);
  const result = useQuery({
    queryKey: ["check", format, settled],
    queryFn: async ({ signal }): Promise<Checked> => {
      const checked = (await postFile("/api/v1/check", { format }, settled, signal)) as Checked;
      if (!checked.ok) return checked;
      try {
        const told = (await postFile("/api/v1/jobs", { format, dry_run: "true" }, settled, signal)) as Submitted;
        return { ...checked, forecasts: (told.jobs ?? [told]).map((one) => one.forecast ?? null) };
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0 || error.status >= 500 || error.status === 401)
          throw error;
        return { ...checked, ok: false, issues: [...faultsOf(error), ...checked.issues] };
      }
    },
    enabled: settled.trim() !== "",
    // The machines change while somebody thinks.
    staleTime: 10_000,
    refetchInterval: 15_000,
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

export type Submitted = Schemas["Submitted"];
