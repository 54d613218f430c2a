import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Dialect } from "@/api/job_files";
import { checkQuery, type Checked } from "./api";

const PAUSE = 300;

/** The text, once nobody has typed for a moment. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export interface Check {
  checked: Checked | undefined;
  error: unknown;
  pending: boolean;
  retry: () => void;
}

/** What the text means and what is wrong with it, following what is typed. */
export function useCheck(text: string, format: Dialect | ""): Check {
  const settled = useSettled(text);
  const result = useQuery(checkQuery(settled, format));
  const empty = settled.trim() === "";
  return {
    checked: empty ? undefined : result.data,
    error: empty ? null : result.error,
    pending: result.isFetching || settled !== text,
    retry: () => void result.refetch(),
  };
}
