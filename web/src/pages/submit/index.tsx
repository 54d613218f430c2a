import { App } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router-dom";
import { ApiError } from "@/api/client";
import type { Dialect } from "@/api/job_files";
import { useKeys } from "@/shared/hooks/useKeys";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { EditorPanel } from "./EditorPanel";
import { faultsOf } from "./faults";
import { FormPanel } from "./FormPanel";
import { nextName, valueAt, withValue } from "./job_file";
import { useMode } from "./modes";
import { Preview } from "./Preview";
import { rememberImages } from "./recent";
import { SubmitBox } from "./SubmitBox";
import { SubmitTools } from "./SubmitTools";
import { useCheck } from "./useCheck";
import { useForm } from "./useForm";
import { useJobText } from "./useJobText";
import { useSubmit } from "./useSubmit";
import { useWide } from "./useWide";
import "./submit.css";

const ConvertDialog = lazy(() => import("./ConvertDialog"));
const ConfirmDialog = lazy(() => import("./ConfirmDialog"));

export function Component() {
  const [query] = useSearchParams();
  const from = query.get("from");
  // Another clone is another page: nothing of the one before stays.
  return <Submit key={from ?? ""} from={from} wanted={query.get("dialect")} />;
}

function Submit({ from, wanted }: { from: string | null; wanted: string | null }) {
  const { t } = useTranslation("submit");
  const { message } = App.useApp();
  const navigate = useNavigate();
  const wide = useWide();
  const [mode, setMode] = useMode();
  const job = useJobText(from, wanted);
  const { text, format, code } = job;
  const { checked, error: checkError, pending, retry } = useCheck(text, format);
  const form = useForm(job, checked, mode !== "editor");
  const [confirming, setConfirming] = useState(false);
  const [converting, setConverting] = useState<Dialect | null>(null);

  const submit = useSubmit((made) => {
    job.done();
    rememberImages(checked);
    const many = made.jobs?.length ?? 1;
    void message.success(many > 1 ? t("submitted_many", { count: many }) : t("submitted", { name: made.handle }));
    navigate(many > 1 ? "/jobs" : `/jobs/${made.id}`);
  });
  const send = () => {
    setConfirming(false);
    submit.mutate({ text, format, code });
  };
  const ask = () => {
    if (submit.isPending || text.trim() === "") return;
    if (wide) send();
    else setConfirming(true);
  };
  useKeys((event) => {
    if (!(event.ctrlKey || event.metaKey) || (event.key !== "Enter" && event.key !== "s")) return;
    event.preventDefault();
    if (event.key === "Enter") ask();
    else {
      job.keepNow();
      void message.success(t("draft_kept"));
    }
  });

  const taken = submit.error instanceof ApiError && submit.error.says.code === "job_name_taken";
  const freeName =
    taken && form.dialect === "native" && form.file.value
      ? nextName(String(valueAt(form.file, ["name"]) ?? "job"))
      : null;
  const title = job.origin.name ? t("clone_of", { name: job.origin.name }) : t("title");

  if (job.origin.error)
    return (
      <Page title={t("title")} label={t("title")}>
        <ErrorFace error={job.origin.error}>
          <Link to="/jobs/new">{t("start_empty")}</Link>
        </ErrorFace>
      </Page>
    );
  return (
    <Page title={title} label={title} actions={<SubmitTools job={job} mode={mode} onMode={setMode} />}>
      <div className="submit-columns">
        <div className="submit-main">
          {checkError ? <ErrorFace error={checkError} retry={retry} /> : null}
          {job.origin.loading ? (
            <LoadingFace lines={8} />
          ) : mode === "editor" ? (
            <EditorPanel
              text={text}
              format={format}
              checked={checked}
              pending={pending}
              onText={job.change}
              onFormat={job.setFormat}
              onConvert={setConverting}
              onSubmit={ask}
            />
          ) : (
            <FormPanel
              form={form}
              professional={mode === "professional"}
              onMode={setMode}
              onStartEmpty={job.startEmpty}
            />
          )}
        </div>
        <aside className="submit-side" aria-label={t("preview_and_submit")}>
          {wide && <Preview checked={checked} text={text} pending={pending} onText={job.change} />}
          <SubmitBox
            code={code}
            onDropCode={job.dropCode}
            refused={faultsOf(submit.error)}
            freeName={freeName}
            onName={(name) => job.change(withValue(text, ["name"], name))}
            faults={form.errors.length}
            onShow={mode === "editor" ? undefined : () => setMode("editor")}
            unsure={submit.unsure}
            busy={submit.isPending}
            empty={text.trim() === ""}
            jobs={checked?.jobs.length ?? 1}
            onSubmit={ask}
          />
        </aside>
      </div>
      <Suspense fallback={null}>
        {confirming && (
          <ConfirmDialog checked={checked} text={text} onSubmit={send} onClose={() => setConfirming(false)} />
        )}
        {converting && (
          <ConvertDialog
            text={text}
            from={format}
            to={converting}
            onClose={() => setConverting(null)}
            onDone={(next) => {
              setConverting(null);
              job.change(next, "");
            }}
          />
        )}
      </Suspense>
    </Page>
  );
}
