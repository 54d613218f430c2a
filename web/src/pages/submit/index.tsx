import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router-dom";
import { api, ApiError, fetchRaw } from "@/api/client";
import { useMe } from "@/api/session";
import { keys } from "@/app/queries";
import { useWorkspace } from "@/app/WorkspaceSwitcher";
import { shortTime } from "@/shared/format/time";
import { useAddress } from "@/shared/hooks/useAddress";
import { useNodes } from "@/shared/hooks/useNodes";
import { usePreference } from "@/shared/preferences";
import { onOpened, takeOpened } from "@/shared/job/opened_file";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";
import { Page } from "@/shared/ui/Page";
import { useSaid } from "@/shared/said";
import { dropDraft, keepDraft, recallDraft } from "./draft";
import { EditorPanel } from "./EditorPanel";
import { isError } from "./faults";
import { JobForm } from "./JobForm";
import { nextName, openFile, valueAt, withValue } from "./job_file";
import { Preview } from "./Preview";
import { convert, dialects, type Dialect } from "@/shared/job/dialect";
import { faultsOf, useCheck, useSettled } from "./useCheck";
import { useSubmit } from "./useSubmit";
import { useWide } from "./useWide";
import "./submit.css";

const ConvertDialog = lazy(() => import("./ConvertDialog"));
const ConfirmDialog = lazy(() => import("./ConfirmDialog"));

const modes = ["basic", "professional", "editor"] as const;
type Mode = (typeof modes)[number];
const MAX_FILE = 1 << 20;
const isArchive = (name: string) => /\.(zip|tar|tgz|tar\.gz|tar\.zst)$/i.test(name);

/** What the form begins with: a name nobody has to think of, and the command people of the older portal expect. */
function startText(user: string, workspace: string, number: number): string {
  return `name: ${user || "job"}-${number}\n${workspace && workspace !== "default" ? `workspace: ${workspace}\n` : ""}run: sleep infinity\ntime_limit: 8h\n`;
}

export function Component() {
  const [query] = useSearchParams();
  // Another clone is another page: nothing of the one before stays.
  return <Submit key={query.get("from") ?? ""} />;
}

function Submit() {
  const { t, i18n } = useTranslation("submit");
  const me = useMe();
  const [workspace] = useWorkspace();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const said = useSaid();
  const [query, put] = useAddress();
  const [kept, setKept] = usePreference("submit.mode", "basic");
  const asked = query.get("mode") ?? kept;
  const mode: Mode = (modes as readonly string[]).includes(asked) ? (asked as Mode) : "basic";
  const from = query.get("from");
  const wide = useWide();

  const number = Number(localStorage.getItem("ty.submit.number") ?? "1");
  const fresh = useMemo(() => startText(me.name ?? "", workspace, number), [me.name, workspace, number]);
  const [text, setText] = useState(fresh);
  const [touched, setTouched] = useState(false);
  const wanted = query.get("dialect") as Dialect | null;
  const [format, setFormat] = useState<Dialect | "">(wanted && dialects.includes(wanted) ? wanted : "");
  const [code, setCode] = useState<File | null>(null);
  const [draft, setDraft] = useState(() => (from ? null : recallDraft(me.name ?? "")));
  const [confirming, setConfirming] = useState(false);
  const [converting, setConverting] = useState<Dialect | null>(null);
  const picker = useRef<HTMLInputElement>(null);

  const change = useCallback((next: string) => {
    setText(next);
    setTouched(true);
  }, []);
  const setMode = (next: Mode) => {
    setKept(next);
    put({ mode: next });
  };

  // The job to begin from, as it was handed in, under the next free-looking name.
  const source = useQuery({
    queryKey: [...keys.job(from ?? ""), "spec", "original"],
    enabled: from !== null,
    staleTime: Infinity,
    retry: false,
    queryFn: async () => (await fetchRaw(`/api/v1/jobs/${encodeURIComponent(from ?? "")}/spec`)).text(),
  });
  const origin = useQuery({
    queryKey: [...keys.job(from ?? ""), "origin"],
    enabled: from !== null,
    staleTime: Infinity,
    retry: false,
    queryFn: async () => (await api.GET("/api/v1/jobs/{id}", { params: { path: { id: from ?? "" } } })).data ?? null,
  });
  const cloned = useRef(false);
  useEffect(() => {
    if (source.data === undefined || !origin.data || cloned.current) return;
    cloned.current = true;
    const dialect = origin.data.dialect as Dialect;
    setFormat(dialect === "native" ? "" : dialect);
    const file = openFile(source.data);
    setText(
      dialect === "native" && file.value && file.documents === 1
        ? withValue(source.data, ["name"], nextName(origin.data.handle))
        : source.data,
    );
  }, [source.data, origin.data]);

  // A file dropped on another page waits here.
  const open = useCallback(
    async (files: File[]) => {
      const archive = files.find((file) => isArchive(file.name));
      if (archive) {
        setCode(archive);
        void message.success(t("code_attached", { name: archive.name }));
      }
      const jobs = files.filter((file) => !isArchive(file.name));
      if (jobs.length === 0) return;
      const tooLarge = jobs.find((file) => file.size > MAX_FILE);
      if (tooLarge) {
        void message.error(t("too_large", { name: tooLarge.name }));
        return;
      }
      const texts = await Promise.all(jobs.map((file) => file.text()));
      setFormat("");
      change(texts.length === 1 ? (texts[0] ?? "") : texts.map((one) => one.trimEnd()).join("\n---\n") + "\n");
      void message.success(t("imported", { name: jobs.map((file) => file.name).join(", ") }));
    },
    [change, message, t],
  );
  useEffect(() => {
    const take = () => {
      const files = takeOpened();
      if (files.length) void open(files);
    };
    take();
    return onOpened(take);
  }, [open]);

  const { checked, error: checkError, pending, retry } = useCheck(text, format);
  const dialect = format || checked?.dialect || "native";
  const issues = useMemo(() => checked?.issues ?? [], [checked]);
  const settled = useSettled(text, 300);

  // The form edits our own format. A file in another one is shown as it reads there, and becomes ours by its first change.
  const foreign = dialect !== "native" && mode !== "editor" && checked?.ok === true;
  const translated = useQuery({
    queryKey: ["convert", format, "native", settled],
    queryFn: () => convert(settled, format, "native"),
    enabled: foreign,
    retry: false,
    staleTime: Infinity,
  });
  const file = useMemo(
    () => openFile(foreign ? (translated.data?.text ?? "") : text),
    [foreign, translated.data, text],
  );

  useEffect(() => {
    if (!touched) return undefined;
    const timer = setTimeout(() => keepDraft(me.name ?? "", text), 500);
    return () => clearTimeout(timer);
  }, [touched, text, me.name]);

  const submit = useSubmit((made) => {
    dropDraft(me.name ?? "");
    localStorage.setItem("ty.submit.number", String(number + 1));
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
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey)) return;
      if (event.key === "Enter") {
        event.preventDefault();
        latest.current();
      } else if (event.key === "s") {
        event.preventDefault();
        keepDraft(me.name ?? "", text);
        void message.success(t("draft_kept"));
      }
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [me.name, text, message, t]);

  const nodes = useNodes();
  const gpuTypes = useMemo(
    () =>
      [...new Set((nodes.data ?? []).flatMap((node) => (node.gpus ?? []).map((gpu) => gpu.type ?? "")))]
        .filter(Boolean)
        .sort(),
    [nodes.data],
  );
  const images = useMemo(() => JSON.parse(localStorage.getItem("ty.submit.images") ?? "[]") as string[], []);
  useEffect(() => {
    if (!submit.isSuccess || !checked) return;
    const used = checked.jobs.flatMap((job) => job.roles.map((role) => role.image ?? "")).filter(Boolean);
    localStorage.setItem("ty.submit.images", JSON.stringify([...new Set([...used, ...images])].slice(0, 20)));
  }, [submit.isSuccess, checked, images]);

  const errors = issues.filter(isError);
  const title = from && origin.data ? t("clone_of", { name: origin.data.handle }) : t("title");
  const refused = submit.error ? faultsOf(submit.error) : [];
  const nameTaken =
    submit.error instanceof ApiError && submit.error.code === "conflict" && dialect === "native" && file.value;

  if (from && (source.error || origin.error))
    return (
      <Page title={t("title")} label={t("title")}>
        <ErrorFace error={source.error ?? origin.error}>
          <Link to="/jobs/new">{t("start_empty")}</Link>
        </ErrorFace>
      </Page>
    );

  return (
    <Page
      title={title}
      label={title}
      actions={
        <>
          {draft && !touched && (
            <Button
              onClick={() => {
                change(draft.text);
                setDraft(null);
              }}
            >
              {t("restore_draft", { time: shortTime(draft.at, i18n.language === "en" ? "en" : "zh") })}
            </Button>
          )}
          <Button icon={<Icon name="upload" />} onClick={() => picker.current?.click()}>
            {t("import")}
          </Button>
          <div className="segments" role="group" aria-label={t("mode")}>
            {modes.map((name) => (
              <button key={name} type="button" aria-pressed={mode === name} onClick={() => setMode(name)}>
                {t(`modes.${name}`)}
              </button>
            ))}
          </div>
        </>
      }
    >
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        aria-label={t("import")}
        accept=".json,.jsonc,.yaml,.yml,.zip,.tar,.tgz,.gz,.zst"
        onChange={(event) => {
          void open([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <div className="submit-columns">
        <div className="submit-main">
          {checkError ? <ErrorFace error={checkError} retry={retry} /> : null}
          {from && source.isPending ? (
            <LoadingFace lines={8} />
          ) : mode === "editor" ? (
            <EditorPanel
              text={text}
              format={format}
              checked={checked}
              pending={pending}
              onText={change}
              onFormat={setFormat}
              onConvert={setConverting}
              onSubmit={ask}
            />
          ) : (
            <>
              {dialect !== "native" && (
                <p className="form-note" role="status">
                  {translated.error
                    ? t("foreign_unreadable", { name: t(`dialect.${dialect}`) })
                    : errors.length
                      ? t("foreign_faults", { name: t(`dialect.${dialect}`), count: errors.length })
                      : t("foreign", { name: t(`dialect.${dialect}`) })}{" "}
                  {translated.data &&
                    translated.data.issues.length > 0 &&
                    t("foreign_losses", { count: translated.data.issues.length })}{" "}
                  <button type="button" className="link-button" onClick={() => setMode("editor")}>
                    {t("open_editor")}
                  </button>
                </p>
              )}
              {foreign && translated.isPending ? (
                <LoadingFace lines={8} />
              ) : file.value && file.documents === 1 ? (
                <JobForm
                  file={file}
                  issues={foreign ? [] : issues}
                  professional={mode === "professional"}
                  gpuTypes={gpuTypes}
                  images={images}
                  onText={(next) => {
                    if (foreign) setFormat("");
                    change(next);
                  }}
                  onProfessional={() => setMode("professional")}
                  onEditor={() => setMode("editor")}
                />
              ) : dialect === "native" ? (
                <div className="card form-card">
                  <p>{file.documents > 1 ? t("many_documents", { count: file.documents }) : t("not_a_form")}</p>
                  <div className="row">
                    <Button onClick={() => setMode("editor")}>{t("open_editor")}</Button>
                    <Button type="text" onClick={() => change(fresh)}>
                      {t("start_empty")}
                    </Button>
                  </div>
                </div>
              ) : null}
            </>
          )}
        </div>
        <aside className="submit-side" aria-label={t("preview_and_submit")}>
          {wide && <Preview checked={checked} text={text} pending={pending} onText={change} />}
          <div className="card submit-box">
            {code ? (
              <p className="row">
                <Icon name="upload" size={14} />
                <span className="cut grow">{t("code_along", { name: code.name })}</span>
                <button type="button" className="link-button" onClick={() => setCode(null)}>
                  {t("remove")}
                </button>
              </p>
            ) : null}
            {refused.length > 0 && (
              <div role="alert" className="fault stack">
                <strong>{t("refused")}</strong>
                {refused.map((fault, index) => (
                  <p key={index}>
                    {fault.line ? `${t("at_line", { line: fault.line, column: fault.column ?? 1 })} ` : ""}
                    {said(fault.message)}
                  </p>
                ))}
                {nameTaken && (
                  <div>
                    <Button
                      size="small"
                      onClick={() =>
                        change(withValue(text, ["name"], nextName(String(valueAt(file, ["name"]) ?? "job"))))
                      }
                    >
                      {t("use_name", { name: nextName(String(valueAt(file, ["name"]) ?? "job")) })}
                    </Button>
                  </div>
                )}
              </div>
            )}
            {errors.length > 0 && refused.length === 0 && (
              <p className="fault">
                {t("faults_left", { count: errors.length })}{" "}
                {mode !== "editor" && (
                  <button type="button" className="link-button" onClick={() => setMode("editor")}>
                    {t("show")}
                  </button>
                )}
              </p>
            )}
            {submit.unsure && <p role="status">{t("unsure")}</p>}
            <Button
              type="primary"
              size="large"
              block
              loading={submit.isPending}
              disabled={text.trim() === ""}
              onClick={ask}
            >
              {checked && checked.jobs.length > 1 ? t("submit_many", { count: checked.jobs.length }) : t("submit")}
            </Button>
            <p className="quiet submit-keys">{t("submit_keys")}</p>
          </div>
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
              setFormat("");
              setConverting(null);
              change(next);
            }}
          />
        )}
      </Suspense>
    </Page>
  );
}
