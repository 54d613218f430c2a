import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import type { Issue } from "@/api/client";
import type { Dialect } from "@/api/job_files";
import { useNodes } from "@/api/nodes";
import { convertQuery, type Checked } from "./api";
import { isError } from "./faults";
import { openFile, type JobFile } from "./job_file";
import { recentImages } from "./recent";
import { useSettled } from "./useCheck";
import type { JobText } from "./useJobText";

export interface FormState {
  dialect: Dialect;
  /** The file as the form edits it. */
  file: JobFile;
  /** It is written in another dialect and shown as it reads in ours. */
  foreign: boolean;
  translating: boolean;
  unreadable: boolean;
  /** How many things the other dialect says that ours cannot. */
  losses: number;
  issues: Issue[];
  errors: Issue[];
  gpuTypes: string[];
  images: string[];
  change: (text: string) => void;
}

/** The form edits our own format. A file in another one is shown as it reads there, and becomes ours by its first change. */
export function useForm(job: JobText, checked: Checked | undefined, wanted: boolean): FormState {
  const dialect = job.format || checked?.dialect || "native";
  const foreign = dialect !== "native" && wanted && checked?.ok === true;
  const settled = useSettled(job.text);
  const translated = useQuery({ ...convertQuery(settled, job.format, "native"), enabled: foreign });
  const shown = foreign ? (translated.data?.text ?? "") : job.text;
  const file = useMemo(() => openFile(shown), [shown]);
  const issues = useMemo(() => checked?.issues ?? [], [checked]);
  const nodes = useNodes();
  const gpuTypes = useMemo(() => {
    const types = (nodes.data ?? []).flatMap((node) => node.gpus.map((gpu) => gpu.type));
    return [...new Set(types)].filter(Boolean).sort();
  }, [nodes.data]);
  const [images] = useState(recentImages);
  return {
    dialect,
    file,
    foreign,
    translating: foreign && translated.isPending,
    unreadable: translated.error !== null,
    losses: translated.data?.issues.length ?? 0,
    issues,
    errors: issues.filter(isError),
    gpuTypes,
    images,
    change: (text) => (foreign ? job.change(text, "") : job.change(text)),
  };
}
