import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { useMe } from "@/api/session";
import { PasswordForm } from "@/pages/account/PasswordForm";
import { Page } from "@/shared/ui/Page";
import "@/pages/account/account.css";

export function Component() {
  const { t } = useTranslation("setup");
  const me = useMe();
  const navigate = useNavigate();
  return (
    <Page title={t("title")} label={t("title")}>
      <section className="card account-card">
        <h2>{t("password")}</h2>
        <p>{t("password_text", { name: me.name })}</p>
        <PasswordForm action={t("next")} onDone={() => navigate("/")} />
        <div>
          <Button
            type="link"
            onClick={() => {
              sessionStorage.setItem("ty.later", "1");
              navigate("/");
            }}
          >
            {t("later")}
          </Button>
        </div>
      </section>
    </Page>
  );
}
