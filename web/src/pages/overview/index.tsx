import { useTranslation } from "react-i18next";
import { useMe } from "@/api/session";
import { Page } from "@/shared/ui/Page";

export function Component() {
  const { t } = useTranslation("overview");
  const me = useMe();
  return (
    <Page title={t("greeting", { name: me.display_name || me.name })} label={t("title")}>
      <span />
    </Page>
  );
}
