import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { copyText, saveText } from "@/shared/copy";
import { bytes } from "@/shared/format/bytes";
import { duration } from "@/shared/format/time";
import { looksLikeJson } from "./job_file";
import { commandOf, countOf, gpusOf, tasksOf, type Spec, type SpecRole } from "@/shared/job/spec";
import { Forecast } from "./Forecast";
import type { Checked } from "./api";

const tabs = ["summary", "command", "environment", "file"] as const;
type Tab = (typeof tabs)[number];

/** What the text means: what will run, with what, and whether there is room for it now. */
export function Preview({
  checked,
  text,
  pending,
  always = false,
  onText,
}: {
  checked: Checked | undefined;
  text: string;
  pending: boolean;
  always?: boolean;
  onText?: (text: string) => void;
}) {
  const { t } = useTranslation("submit");
  const [tab, setTab] = useState<Tab>("summary");
  const [at, setAt] = useState(0);
  const jobs = checked?.jobs ?? [];
  const spec = jobs[Math.min(at, jobs.length - 1)];
  return (
    <section className="card preview" aria-label={t("preview")} aria-busy={pending}>
      {!always && <h2>{t("preview")}</h2>}
      {jobs.length > 1 && (
        <label className="preview-many">
          {t("many_jobs", { count: jobs.length })}{" "}
          <select value={at} onChange={(event) => setAt(Number(event.target.value))}>
            {jobs.map((job, index) => (
              <option key={index} value={index}>
                {job.name || index + 1}
              </option>
            ))}
          </select>
        </label>
      )}
      <div className="segments" role="group" aria-label={t("preview")}>
        {tabs.map((name) => (
          <button key={name} type="button" aria-pressed={tab === name} onClick={() => setTab(name)}>
            {t(`preview_tab.${name}`)}
          </button>
        ))}
      </div>
      {tab === "file" ? (
        <FileText text={text} name={spec?.name} />
      ) : !spec ? (
        <p className="quiet">{checked && !checked.ok ? t("preview_faults") : t("preview_none")}</p>
      ) : tab === "summary" ? (
        <Summary spec={spec}>
          <Forecast
            told={checked?.forecasts?.[Math.min(at, jobs.length - 1)]}
            copies={jobs.length}
            text={checked?.dialect === "native" ? text : ""}
            onText={onText}
          />
        </Summary>
      ) : (
        spec.roles.map((role) => (
          <section key={role.name} className="stack" aria-label={role.name}>
            {spec.roles.length > 1 && <h3>{role.name}</h3>}
            {tab === "command" ? (
              <pre tabIndex={0}>{commandOf(role) || t("image_command")}</pre>
            ) : (
              <Environment spec={spec} role={role} />
            )}
          </section>
        ))
      )}
    </section>
  );
}

function FileText({ text, name }: { text: string; name?: string }) {
  const { t } = useTranslation("submit");
  return (
    <>
      <pre tabIndex={0} aria-label={t("preview_tab.file")}>
        {text}
      </pre>
      <div className="row">
        <button type="button" className="link-button" onClick={() => void copyText(text)}>
          {t("copy")}
        </button>
        <button
          type="button"
          className="link-button"
          onClick={() => saveText(`${name || "job"}.${looksLikeJson(text) ? "json" : "yaml"}`, text)}
        >
          {t("download")}
        </button>
      </div>
    </>
  );
}

function Environment({ spec, role }: { spec: Spec; role: SpecRole }) {
  const { t } = useTranslation("submit");
  const rows = Object.entries({ ...spec.env, ...role.env });
  if (rows.length === 0) return <p className="quiet">{t("no_environment")}</p>;
  return (
    <dl className="facts facts-mono">
      {rows.map(([key, value]) => (
        <div key={key}>
          <dt className="mono">{key}</dt>
          <dd className="mono">{value ?? <span className="quiet">{t("removed")}</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

const each = (role: SpecRole, cores: (count: number) => string, shared: (size: string) => string): string => {
  const { cpu_milli = 0, memory = 0, shm = 0, gpus = 0, gpu_types = [] } = role.resources ?? {};
  return [
    gpus ? `${gpus}×${gpu_types.join("/") || "GPU"}` : "",
    cpu_milli ? cores(cpu_milli / 1000) : "",
    memory ? bytes(memory) : "",
    shm ? shared(bytes(shm)) : "",
  ]
    .filter(Boolean)
    .join(" · ");
};

function Summary({ spec, children }: { spec: Spec; children: ReactNode }) {
  const { t, i18n } = useTranslation("submit");
  const language = i18n.language === "en" ? "en" : "zh";
  const cores = (count: number) => t("cores", { count });
  return (
    <div className="stack">
      <p className="preview-size">
        {t("role_count", { count: spec.roles.length })} · {t("task_count", { count: tasksOf(spec) })}
        {gpusOf(spec) ? ` · ${t("gpus_in_all", { count: gpusOf(spec) })}` : ""}
      </p>
      {children}
      <dl className="facts">
        <dt>{t("name")}</dt>
        <dd>{spec.name || t("name_given")}</dd>
        <dt>{t("workspace")}</dt>
        <dd>{spec.workspace || "default"}</dd>
        <dt>{t("time_limit")}</dt>
        <dd>
          {spec.time_limit
            ? duration(spec.time_limit > 1e9 ? spec.time_limit / 1e6 : spec.time_limit * 1000, language)
            : t("no_limit")}
        </dd>
      </dl>
      {spec.roles.map((role) => (
        <section key={role.name} className="preview-role" aria-label={role.name}>
          <h3>
            {role.name} <span className="quiet">× {countOf(role)}</span>
          </h3>
          <p className="numbers">{each(role, cores, (size) => t("shm_size", { size }))}</p>
          {role.image && <p className="mono cut-any">{role.image}</p>}
          {(role.ports ?? []).length > 0 && (
            <p>
              {t("ports")}:{" "}
              {role.ports
                ?.map(
                  (port) =>
                    `${port.label}${port.first ? ` ${port.first}` : ""}${(port.count ?? 1) > 1 ? ` ×${port.count}` : ""}`,
                )
                .join(", ")}
            </p>
          )}
          {(role.mounts ?? []).map((mount, index) => (
            <p key={index} className="mono cut-any">
              {mount.source} → {mount.target}
              {mount.read_only ? ` (${t("read_only")})` : ""}
            </p>
          ))}
        </section>
      ))}
    </div>
  );
}
