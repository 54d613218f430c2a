import { useQuery } from "@tanstack/react-query";
import { Button, Input, Select } from "antd";
import { lazy, Suspense, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Issue } from "@/api/client";
import { useNarrow } from "@/shared/hooks/useNarrow";
import { LoadingFace } from "@/shared/ui/Face";
import { StateShape } from "@/shared/ui/StateTag";
import { useSaid } from "@/shared/messages";
import type { EditorHandle } from "./editor/Editor";
import { fixFor, isError } from "./faults";
import { looksLikeJson, respelled } from "./job_file";
import { dialects, type Dialect } from "@/api/job_files";
import { schemaQuery, type Checked } from "./api";

const Editor = lazy(() => import("./editor/Editor"));

interface Props {
  text: string;
  format: Dialect | "";
  checked: Checked | undefined;
  pending: boolean;
  onText: (text: string) => void;
  onFormat: (format: Dialect | "") => void;
  onConvert: (to: Dialect) => void;
  onSubmit: () => void;
}

/** The text, which format it is in, and the list of what is wrong with it. */
export function EditorPanel({ text, format, checked, pending, onText, onFormat, onConvert, onSubmit }: Props) {
  const { t } = useTranslation("submit");
  const said = useSaid();
  const narrow = useNarrow();
  const handle = useRef<EditorHandle>(null);
  const area = useRef<HTMLTextAreaElement>(null);
  const dialect = format || checked?.dialect || "native";
  const { data: schema = null } = useQuery(schemaQuery(dialect));
  const issues = checked?.issues ?? [];
  const json = looksLikeJson(text);
  const goTo = (issue: Issue) => {
    const line = issue.line;
    if (!narrow) return handle.current?.goTo(line, issue.column);
    const offset =
      text
        .split("\n")
        .slice(0, line - 1)
        .reduce((sum, row) => sum + row.length + 1, 0) +
      issue.column -
      1;
    area.current?.focus();
    area.current?.setSelectionRange(offset, offset);
    return undefined;
  };
  const respell = () => {
    try {
      onText(respelled(text, json ? "yaml" : "json"));
    } catch {
      // A file with faults stays as it is; they are listed below.
    }
  };
  return (
    <section className="card editor-card" aria-label={t("editor")}>
      <div className="editor-bar">
        <label htmlFor="dialect">{t("format")}</label>
        <Select
          id="dialect"
          className="editor-format"
          value={format}
          options={[
            {
              value: "",
              label: checked?.dialect ? t("detected", { name: t(`dialect.${checked.dialect}`) }) : t("detect"),
            },
            ...dialects.map((name) => ({ value: name, label: t(`dialect.${name}`) })),
          ]}
          onChange={(value: Dialect | "") => onFormat(value)}
        />
        <Select
          className="editor-format"
          aria-label={t("convert_to")}
          placeholder={t("convert_to")}
          value={null}
          disabled={!checked?.dialect}
          options={dialects
            .filter((name) => name !== dialect)
            .map((name) => ({ value: name, label: t(`dialect.${name}`) }))}
          onChange={(value: Dialect | null) => value && onConvert(value)}
        />
        <Button onClick={respell} disabled={dialect !== "native" || text.trim() === ""}>
          {json ? t("as_yaml") : t("as_json")}
        </Button>
      </div>
      {narrow ? (
        <Input.TextArea
          ref={(made) => {
            area.current =
              (made as unknown as { resizableTextArea?: { textArea: HTMLTextAreaElement } } | null)?.resizableTextArea
                ?.textArea ?? null;
          }}
          className="mono editor-area"
          aria-label={t("file")}
          autoSize={{ minRows: 14, maxRows: 30 }}
          spellCheck={false}
          autoCapitalize="off"
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      ) : (
        <Suspense fallback={<LoadingFace lines={10} />}>
          <Editor
            ref={handle}
            text={text}
            label={t("file_label")}
            issues={issues}
            schema={schema}
            onText={onText}
            onSubmit={onSubmit}
          />
        </Suspense>
      )}
      <div className="problems" role="region" aria-label={t("problems")} aria-live="polite">
        <p className="problems-title">
          {issues.length === 0 && checked?.ok ? (
            <span className="row problems-good">
              <StateShape state="succeeded" /> {pending ? t("checking") : t("no_problems")}
            </span>
          ) : (
            <>{pending ? t("checking") : t("problems_count", { count: issues.length })}</>
          )}
          {!narrow && <span className="quiet problems-keys">{t("editor_keys")}</span>}
        </p>
        {issues.length > 0 && (
          <ul>
            {issues.map((issue, index) => {
              const fix = fixFor(t, issue);
              return (
                <li key={index}>
                  <StateShape state={isError(issue) ? "failed" : "stopping"} />
                  <button type="button" className="problem" onClick={() => goTo(issue)}>
                    {issue.line ? (
                      <span className="quiet numbers">{t("at_line", { line: issue.line, column: issue.column })}</span>
                    ) : null}
                    {issue.path && <span className="mono">{issue.path}</span>}
                    <span>{said(issue)}</span>
                  </button>
                  {fix && (
                    <button type="button" className="link-button" onClick={() => onText(fix.apply(text))}>
                      {fix.title}
                    </button>
                  )}
                </li>
              );
            })}
          </ul>
        )}
      </div>
    </section>
  );
}
