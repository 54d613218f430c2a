import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { Icon } from "@/shared/ui/Icon";
import { useSaid } from "@/shared/messages";
import { useSample } from "@/shared/job/useSample";

/** What a newcomer can do first; nothing of it needs a GPU or a file. */
export function StartHere() {
  const { t } = useTranslation("overview");
  const navigate = useNavigate();
  const sample = useSample();
  const said = useSaid();
  return (
    <section className="card overview-card overview-wide" aria-labelledby="start-here">
      <h2 id="start-here">{t("start")}</h2>
      <p>{t("start_text")}</p>
      <div className="row start-actions">
        <Button type="primary" loading={sample.isPending} onClick={() => sample.mutate()}>
          {t("run_sample")}
        </Button>
        <Button icon={<Icon name="upload" />} onClick={() => navigate("/jobs/new?mode=editor")}>
          {t("open_file")}
        </Button>
        <Button onClick={() => navigate("/jobs/new")}>{t("fill_form")}</Button>
      </div>
      {sample.error && (
        <p role="alert" className="fault">
          {said(sample.error)}
        </p>
      )}
      <p className="quiet">{t("start_formats")}</p>
    </section>
  );
}
