import { App } from "antd";
import { lazy, Suspense, useCallback, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import type { JobSummary } from "@/api/client";
import { jobApi, renewJobs } from "@/api/jobs";
import { SaidText, thrown } from "@/shared/messages";
import { hasEnded } from "./states";

const BulkDialog = lazy(() => import("./BulkDialog"));
const LimitDialog = lazy(() => import("./LimitDialog"));
const CommandDialog = lazy(() => import("./CommandDialog"));

export type BulkVerb = "stop" | "remove" | "limit";
type Dialog =
  | { kind: "bulk"; verb: BulkVerb; jobs: JobSummary[] }
  | { kind: "limit"; job: JobSummary }
  | { kind: "command"; job: JobSummary };

export interface JobActions {
  stop: (job: JobSummary, done?: () => void) => void;
  remove: (job: JobSummary, done?: () => void) => void;
  retry: (job: JobSummary) => void;
  pause: (job: JobSummary) => void;
  resume: (job: JobSummary) => void;
  setLimit: (job: JobSummary) => void;
  clone: (job: JobSummary) => void;
  copyCommand: (job: JobSummary) => void;
  bulk: (verb: BulkVerb, jobs: JobSummary[]) => void;
  /** Dialogs that are open; to be drawn somewhere on the page. */
  dialogs: ReactNode;
}

/** The same actions, words and questions wherever a job is shown. */
export function useJobActions(): JobActions {
  const { t } = useTranslation("shared");
  const { modal, message } = App.useApp();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<Dialog | null>(null);

  const run = useCallback(
    async (job: JobSummary, act: () => Promise<unknown>, done: string) => {
      try {
        await act();
        void message.success(done);
        await renewJobs([job.id]);
        return true;
      } catch (error) {
        void message.error({ content: <SaidText of={thrown(error)} />, duration: 8 });
        return false;
      }
    },
    [message],
  );

  const ask = useCallback(
    (title: string, content: string, verb: string, act: () => Promise<boolean>, done?: () => void) =>
      modal.confirm({
        title,
        content,
        okText: verb,
        cancelText: t("cancel"),
        okButtonProps: { danger: true },
        autoFocusButton: "cancel",
        onOk: async () => {
          if (await act()) done?.();
        },
      }),
    [modal, t],
  );

  const close = () => setDialog(null);
  return {
    stop: (job, done) =>
      void ask(
        t("ask.stop", { name: job.handle }),
        t("ask.stop_text"),
        t("action.stop"),
        () => run(job, () => jobApi.stop(job.id), t("done.stop", { name: job.handle })),
        done,
      ),
    remove: (job, done) => {
      const live = !hasEnded(job.state);
      void ask(
        t("ask.remove", { name: job.handle }),
        t(live ? "ask.remove_live_text" : "ask.remove_text"),
        t(live ? "action.stop_and_remove" : "action.remove"),
        () => run(job, () => jobApi.remove(job.id, live), t("done.remove", { name: job.handle })),
        done,
      );
    },
    retry: (job) =>
      void (async () => {
        try {
          const { data } = await jobApi.retry(job.id);
          void message.success(t("done.retry", { name: data?.handle }));
          await renewJobs([job.id]);
          if (data) navigate(`/jobs/${data.id}`);
        } catch (error) {
          void message.error({ content: <SaidText of={thrown(error)} />, duration: 8 });
        }
      })(),
    pause: (job) => void run(job, () => jobApi.pause(job.id), t("done.pause", { name: job.handle })),
    resume: (job) => void run(job, () => jobApi.resume(job.id), t("done.resume", { name: job.handle })),
    setLimit: (job) => setDialog({ kind: "limit", job }),
    clone: (job) => navigate(`/jobs/new?from=${job.id}`),
    copyCommand: (job) => setDialog({ kind: "command", job }),
    bulk: (verb, jobs) => setDialog({ kind: "bulk", verb, jobs }),
    dialogs: dialog && (
      <Suspense fallback={null}>
        {dialog.kind === "bulk" && <BulkDialog verb={dialog.verb} jobs={dialog.jobs} onClose={close} />}
        {dialog.kind === "limit" && <LimitDialog job={dialog.job} onClose={close} />}
        {dialog.kind === "command" && <CommandDialog job={dialog.job} onClose={close} />}
      </Suspense>
    ),
  };
}
