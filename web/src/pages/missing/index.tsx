import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Face } from "@/shared/ui/Face";
import "@/shared/ui/Page.css";

export function Component() {
  const { t } = useTranslation("shared");
  useEffect(() => {
    document.title = `${t("missing.title")} · Trainyard`;
  }, [t]);
  return (
    <div className="page">
      <Face
        icon="search"
        title={<h1>{t("missing.title")}</h1>}
        actions={
          <>
            <Link to="/">{t("missing.home")}</Link>
            <Link to="/jobs">{t("missing.jobs")}</Link>
          </>
        }
      >
        {t("missing.text")}
      </Face>
    </div>
  );
}
