import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import { keys } from "@/app/queries";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";

export function Component() {
  const { t } = useTranslation("settings");
  const version = useQuery({ queryKey: keys.version, queryFn: async () => (await api.GET("/api/v1/version")).data });
  return (
    <Page title={t("title")} label={t("title")}>
      {version.isPending && <LoadingFace />}
      {version.error && <ErrorFace error={version.error} retry={() => void version.refetch()} />}
      {version.data && (
        <p>
          {t("version")} {version.data.version} · {version.data.engine}
        </p>
      )}
    </Page>
  );
}
