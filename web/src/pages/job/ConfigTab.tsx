import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { fetchText, type Job } from "@/api/client";
import { keys } from "@/app/queries";
import { copyText, saveText } from "@/shared/copy";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";

const forms = ["original", "native", "json"] as const;
type Form = (typeof forms)[number];

/** The file as it was handed in, byte for byte; the same in our own words; what it means. */
export default function ConfigTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const [form, setForm] = useState<Form>("original");
  const spec = useQuery({
    queryKey: [...keys.job(job.id), "spec", form],
    queryFn: () => fetchText(`/api/v1/jobs/${job.id}/spec?format=${form}`),
    staleTime: Infinity,
  });
  const text = spec.data ?? "";
  const shown = form === "json" && text ? JSON.stringify(JSON.parse(text), null, 2) : text;
  const ending = form === "json" || text.trimStart().startsWith("{") ? "json" : "yaml";
  return (
    <section className="card panel" aria-label={t("tab.config")}>
      <div className="row config-head">
        <div className="segments" role="group" aria-label={t("form")}>
          {forms.map((name) => (
            <button key={name} type="button" aria-pressed={form === name} onClick={() => setForm(name)}>
              {t(`forms.${name}`)}
            </button>
          ))}
        </div>
        <div className="page-actions">
          <Button icon={<Icon name="copy" />} onClick={() => void copyText(text)}>
            {t("copy")}
          </Button>
          <Button icon={<Icon name="download" />} onClick={() => saveText(`${job.handle}.${ending}`, text)}>
            {t("download")}
          </Button>
          <Link to={`/jobs/new?from=${job.id}`}>{t("submit_it")}</Link>
        </div>
      </div>
      {spec.isPending && <LoadingFace />}
      {spec.error && <ErrorFace error={spec.error} retry={() => void spec.refetch()} />}
      {spec.data !== undefined && (
        <pre className="config" tabIndex={0} aria-label={t(`forms.${form}`)}>
          {shown}
        </pre>
      )}
    </section>
  );
}
