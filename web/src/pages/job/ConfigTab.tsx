import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { copyText, saveText } from "@/shared/copy";
import { useAddress } from "@/shared/hooks/useAddress";
import { useNarrow } from "@/shared/hooks/useNarrow";
import { dialects, type Dialect } from "@/api/job_files";
import { useSaid } from "@/shared/messages";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";

import { originalQuery, readingQuery } from "./api";

const readings = ["original", "meaning"] as const;
type Form = (typeof readings)[number] | Dialect;

/** Text that is one long line of JSON is laid out; anything else is shown as it is. */
function laidOut(text: string): string {
  if (!text.trimStart().startsWith("{") || text.trim().includes("\n")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** The file as it was handed in, byte for byte; what it means; and the same in every other dialect. */
export default function ConfigTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  const { message } = App.useApp();
  const narrow = useNarrow();
  const [query, put] = useAddress();
  const asked = query.get("form") ?? "original";
  const form: Form =
    ([...readings, ...dialects] as string[]).includes(asked) && asked !== job.dialect ? (asked as Form) : "original";
  const choose = (next: Form) => put({ form: next === "original" ? null : next });
  const original = useQuery(originalQuery(job.id));
  const other = useQuery(
    readingQuery(job, form === "original" ? undefined : original.data, form === "original" ? "meaning" : form),
  );
  const shown = form === "original" ? original : other;
  const text = form === "original" ? (original.data ?? "") : (other.data?.text ?? "");
  const losses = form === "original" ? [] : (other.data?.issues ?? []);
  const ending = text.trimStart().startsWith("{") ? "json" : "yaml";
  const name = form === "original" ? job.handle : `${job.handle}.${form}`;
  const forms: Form[] = ["original", ...dialects.filter((dialect) => dialect !== job.dialect), "meaning"];
  const called = (one: Form) => (one === "original" || one === "meaning" ? t(`forms.${one}`) : t(`dialect.${one}`));
  const title = called(form);
  return (
    <section className="card panel" aria-label={t("tab.config")}>
      <div className="row config-head">
        {narrow ? (
          <select
            className="config-choice"
            aria-label={t("form")}
            value={form}
            onChange={(event) => choose(event.target.value as Form)}
          >
            {forms.map((name) => (
              <option key={name} value={name}>
                {called(name)}
              </option>
            ))}
          </select>
        ) : (
          <div className="segments" role="group" aria-label={t("form")}>
            {forms.map((name) => (
              <button key={name} type="button" aria-pressed={form === name} onClick={() => choose(name)}>
                {called(name)}
              </button>
            ))}
          </div>
        )}
        <div className="page-actions">
          <Button
            icon={<Icon name="copy" />}
            disabled={!text}
            onClick={() => void copyText(text).then(() => message.success(t("copied")))}
          >
            {t("copy")}
          </Button>
          <Button icon={<Icon name="download" />} disabled={!text} onClick={() => saveText(`${name}.${ending}`, text)}>
            {t("save_file")}
          </Button>
        </div>
      </div>
      <p className="quiet">
        {form === "original"
          ? t("original_text", { name: t(`dialect.${job.dialect}`) })
          : form === "meaning"
            ? t("meaning_text")
            : t("converted_text", { name: title })}{" "}
        <Link to={`/jobs/new?from=${job.id}`}>{t("clone_and_change")}</Link>
      </p>
      {losses.length > 0 && (
        <details className="losses" open>
          <summary>{t("losses", { count: losses.length })}</summary>
          <ul>
            {losses.map((loss, index) => (
              <li key={index}>
                {loss.path && <code>{loss.path}</code>} {said(loss)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {shown.error ? (
        <ErrorFace error={shown.error} retry={() => void shown.refetch()} />
      ) : shown.data === undefined ? (
        <LoadingFace />
      ) : (
        <pre className="config" tabIndex={0} aria-label={title}>
          {laidOut(text)}
        </pre>
      )}
    </section>
  );
}
