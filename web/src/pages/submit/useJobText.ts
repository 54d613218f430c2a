import { useQuery } from "@tanstack/react-query";
import { App } from "antd";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { dialects, type Dialect } from "@/api/job_files";
import { useMe } from "@/api/session";
import { useWorkspace } from "@/shared/hooks/useWorkspace";
import { onOpened, takeOpened } from "@/shared/job/opened_file";
import { originQuery, sourceQuery } from "./api";
import { dropDraft, keepDraft, recallDraft, type Draft } from "./draft";
import { nextName, openFile, withValue } from "./job_file";
import { openFiles } from "./open_files";
import { countUp, nextNumber } from "./recent";

/** What the form begins with: a name nobody has to think of, and the command people of the older portal expect. */
function startText(user: string, workspace: string, number: number): string {
  const place = workspace && workspace !== "default" ? `workspace: ${workspace}\n` : "";
  return `name: ${user || "job"}-${number}\n${place}run: sleep infinity\ntime_limit: 8h\n`;
}

export interface JobText {
  text: string;
  /** Which format it is in, when somebody said so. */
  format: Dialect | "";
  code: File | null;
  change: (text: string, format?: Dialect | "") => void;
  setFormat: (format: Dialect | "") => void;
  startEmpty: () => void;
  open: (files: File[]) => void;
  dropCode: () => void;
  /** What was being written when the page was left; nothing once something else is being written. */
  draft: Draft | null;
  restoreDraft: () => void;
  keepNow: () => void;
  /** It has been handed in: the next one begins anew. */
  done: () => void;
  /** The job it is a clone of. */
  origin: { name: string | undefined; loading: boolean; error: unknown };
}

/** The text that is being written, where it came from, and what is kept of it when somebody leaves. */
export function useJobText(from: string | null, wanted: string | null): JobText {
  const { t } = useTranslation("submit");
  const { message } = App.useApp();
  const { name: user = "" } = useMe();
  const [workspace] = useWorkspace();
  const [number] = useState(nextNumber);
  const fresh = useMemo(() => startText(user, workspace, number), [user, workspace, number]);
  const [text, setText] = useState(fresh);
  const [touched, setTouched] = useState(false);
  const [format, setFormat] = useState<Dialect | "">(dialects.find((one) => one === wanted) ?? "");
  const [code, setCode] = useState<File | null>(null);
  const [draft] = useState(() => (from ? null : recallDraft(user)));

  const change = useCallback((next: string, meant?: Dialect | "") => {
    setText(next);
    setTouched(true);
    if (meant !== undefined) setFormat(meant);
  }, []);

  // A clone begins as the other was handed in, under the next free-looking name.
  const source = useQuery(sourceQuery(from));
  const origin = useQuery(originQuery(from));
  const cloned = useRef(false);
  useEffect(() => {
    if (source.data === undefined || !origin.data || cloned.current) return;
    cloned.current = true;
    const dialect = origin.data.dialect as Dialect;
    setFormat(dialect === "native" ? "" : dialect);
    const file = openFile(source.data);
    const plain = dialect === "native" && file.value && file.documents === 1;
    setText(plain ? withValue(source.data, ["name"], nextName(origin.data.handle)) : source.data);
  }, [source.data, origin.data]);

  const open = useCallback(
    async (files: File[]) => {
      const opened = await openFiles(files);
      if (opened.code) {
        setCode(opened.code);
        void message.success(t("code_attached", { name: opened.code.name }));
      }
      if (opened.tooLarge) void message.error(t("too_large", { name: opened.tooLarge }));
      if (opened.text === null) return;
      change(opened.text, "");
      void message.success(t("imported", { name: opened.names }));
    },
    [change, message, t],
  );
  // A file dropped on another page waits here.
  useEffect(() => {
    const take = () => {
      const files = takeOpened();
      if (files.length) void open(files);
    };
    take();
    return onOpened(take);
  }, [open]);

  useEffect(() => {
    if (!touched) return undefined;
    const timer = setTimeout(() => keepDraft(user, text), 500);
    return () => clearTimeout(timer);
  }, [touched, text, user]);

  return {
    text,
    format,
    code,
    change,
    setFormat,
    startEmpty: () => change(fresh),
    open: (files) => void open(files),
    dropCode: () => setCode(null),
    draft: touched ? null : draft,
    restoreDraft: () => draft && change(draft.text),
    keepNow: () => keepDraft(user, text),
    done: () => {
      dropDraft(user);
      countUp(number);
    },
    origin: {
      name: origin.data?.handle,
      loading: from !== null && source.isPending,
      error: from === null ? null : (source.error ?? origin.error),
    },
  };
}
