import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { Face } from "@/shared/ui/Face";

export function Component() {
  const { t } = useTranslation("shared");
  return (
    <Face
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
  );
}
