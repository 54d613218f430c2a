import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { LoadingFace } from "@/shared/ui/Face";
import { JobForm } from "./JobForm";
import type { Mode } from "./modes";
import type { FormState } from "./useForm";

interface Props {
  form: FormState;
  professional: boolean;
  onMode: (mode: Mode) => void;
  onStartEmpty: () => void;
}

/** The form, or why this file has none. */
export function FormPanel({ form, professional, onMode, onStartEmpty }: Props) {
  const { t } = useTranslation("submit");
  const { dialect, file } = form;
  const toEditor = () => onMode("editor");
  return (
    <>
      {dialect !== "native" && <ForeignNote form={form} onEditor={toEditor} />}
      {form.translating ? (
        <LoadingFace lines={8} />
      ) : file.value && file.documents === 1 ? (
        <JobForm
          file={file}
          issues={form.foreign ? [] : form.issues}
          professional={professional}
          gpuTypes={form.gpuTypes}
          images={form.images}
          onText={form.change}
          onProfessional={() => onMode("professional")}
          onEditor={toEditor}
        />
      ) : dialect === "native" ? (
        <div className="card form-card">
          <p>{file.documents > 1 ? t("many_documents", { count: file.documents }) : t("not_a_form")}</p>
          <div className="row">
            <Button onClick={toEditor}>{t("open_editor")}</Button>
            <Button type="text" onClick={onStartEmpty}>
              {t("start_empty")}
            </Button>
          </div>
        </div>
      ) : null}
    </>
  );
}

/** Says that the file is in another dialect, and how well it reads in ours. */
function ForeignNote({ form, onEditor }: { form: FormState; onEditor: () => void }) {
  const { t } = useTranslation("submit");
  const name = t(`dialect.${form.dialect}`);
  const faults = form.errors.length;
  return (
    <p className="form-note" role="status">
      {form.unreadable
        ? t("foreign_unreadable", { name })
        : faults
          ? t("foreign_faults", { name, count: faults })
          : t("foreign", { name })}{" "}
      {form.losses > 0 && t("foreign_losses", { count: form.losses })}{" "}
      <button type="button" className="link-button" onClick={onEditor}>
        {t("open_editor")}
      </button>
    </p>
  );
}
