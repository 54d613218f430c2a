import { App } from "antd";
import { useTranslation } from "react-i18next";
import { useMe } from "@/api/session";
import { Page } from "@/shared/ui/Page";
import { PasswordForm } from "@/shared/account/PasswordForm";
import { Registries } from "./Registries";
import "./account.css";

export function Component() {
  const { t } = useTranslation("account");
  const me = useMe();
  const { message } = App.useApp();
  return (
    <Page title={t("title")} label={t("title")}>
      <section className="card account-card">
        <h2>{t("who")}</h2>
        <dl className="facts">
          <dt>{t("name")}</dt>
          <dd>{me.name}</dd>
          <dt>{t("display_name")}</dt>
          <dd>{me.display_name || "–"}</dd>
          <dt>{t("email")}</dt>
          <dd>{me.email || "–"}</dd>
          <dt>{t("rights")}</dt>
          <dd>{me.administrator ? t("administrator") : t("member")}</dd>
          <dt>{t("workspaces")}</dt>
          <dd>{me.workspaces.map((workspace) => workspace.name).join(", ") || "–"}</dd>
        </dl>
      </section>
      <Registries />
      <section className="card account-card">
        <h2>{me.has_password ? t("change_title") : t("set_title")}</h2>
        <PasswordForm onDone={() => void message.success(t("changed"))} />
      </section>
    </Page>
  );
}
