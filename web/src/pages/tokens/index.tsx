import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import { keys } from "@/app/queries";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { Table } from "@/shared/ui/Table";
import { Moment } from "@/shared/ui/Time";

export function Component() {
  const { t } = useTranslation("tokens");
  const tokens = useQuery({ queryKey: keys.tokens, queryFn: async () => (await api.GET("/api/v1/tokens")).data?.tokens ?? [] });
  return (
    <Page title={t("title")} label={t("title")}>
      {tokens.isPending && <LoadingFace />}
      {tokens.error && <ErrorFace error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && <Face title={t("empty")} />}
      {tokens.data && tokens.data.length > 0 && (
        <Table
          label={t("title")}
          rows={tokens.data}
          rowKey={(token) => token.id ?? 0}
          columns={[
            { key: "name", title: t("name"), cell: (token) => token.name },
            { key: "scopes", title: t("scopes"), cell: (token) => token.scopes?.join(", ") },
            { key: "created", title: t("created"), cell: (token) => <Moment at={token.created_at} /> },
            { key: "used", title: t("used"), cell: (token) => <Moment at={token.last_used_at} /> },
          ]}
        />
      )}
    </Page>
  );
}
