import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";
import { Page } from "@/shared/ui/Page";
import { Table } from "@/shared/ui/Table";
import { Moment } from "@/shared/ui/Time";
import { useNow } from "@/shared/hooks/useNow";
import { SaidText } from "@/shared/messages";

import { tokensQuery, useRevoke, type Token } from "./api";

const CreateDialog = lazy(() => import("./CreateDialog"));

/** Made anew at each start of the server, for scripts beside it. */
const OWN_FILE = "admin.token";

/** Writing includes reading: only the wider word is said. */
const widest = (scopes: string[]) => scopes.filter((scope) => scope !== "read" || !scopes.includes("write"));

export function Component() {
  const { t } = useTranslation("tokens");
  const { modal, message } = App.useApp();
  const [creating, setCreating] = useState(false);
  const now = useNow(60_000);
  const tokens = useQuery(tokensQuery);
  const revoking = useRevoke();
  const revoke = (token: Token) =>
    revoking.mutateAsync(token).then(
      () => void message.success(t("revoked", { name: token.name })),
      (error: Error) => void message.error(<SaidText of={error} />),
    );
  const ask = (token: Token) =>
    void modal.confirm({
      title: t("revoke_ask", { name: token.name }),
      content: t("revoke_text"),
      okText: t("revoke"),
      cancelText: t("cancel"),
      okButtonProps: { danger: true },
      autoFocusButton: "cancel",
      onOk: () => revoke(token),
    });
  const create = (
    <Button type="primary" icon={<Icon name="plus" />} onClick={() => setCreating(true)}>
      {t("create")}
    </Button>
  );
  const over = (token: Token) => token.expires_at && new Date(token.expires_at).getTime() < now;
  return (
    <Page title={t("title")} label={t("title")} actions={tokens.data?.length ? create : undefined}>
      <p className="quiet">{t("about")}</p>
      {tokens.isPending && <LoadingFace />}
      {tokens.error && !tokens.data && <ErrorFace error={tokens.error} retry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && (
        <div className="card">
          <Face icon="key" title={t("empty")} actions={create}>
            {t("empty_text")}
          </Face>
        </div>
      )}
      {tokens.data && tokens.data.length > 0 && (
        <Table
          label={t("title")}
          rows={tokens.data}
          rowKey={(token) => token.id}
          columns={[
            {
              key: "name",
              title: t("name"),
              head: true,
              cell: (token) =>
                token.name.startsWith(`${OWN_FILE} of `) ? (
                  <span>
                    <strong>{OWN_FILE}</strong> <span className="quiet">{t("own_file")}</span>
                  </span>
                ) : (
                  <strong>{token.name}</strong>
                ),
            },
            {
              key: "scopes",
              title: t("scopes"),
              narrow: true,
              cell: (token) =>
                widest(token.scopes)
                  .map((scope) => t(`scope.${scope}`, { defaultValue: scope }))
                  .join(t("comma")),
            },
            { key: "created", title: t("created"), cell: (token) => <Moment at={token.created_at} /> },
            {
              key: "expires",
              title: t("expires"),
              cell: (token) =>
                !token.expires_at ? (
                  t("never")
                ) : over(token) ? (
                  <span className="fault">{t("over")}</span>
                ) : (
                  <Moment at={token.expires_at} />
                ),
            },
            { key: "used", title: t("used"), cell: (token) => <Moment at={token.last_used_at} /> },
            {
              key: "actions",
              title: t("actions"),
              cell: (token) => (
                <Button
                  size="small"
                  danger
                  aria-label={t("revoke_name", { name: token.name })}
                  onClick={() => ask(token)}
                >
                  {t("revoke")}
                </Button>
              ),
            },
          ]}
        />
      )}
      <Suspense fallback={null}>{creating && <CreateDialog onClose={() => setCreating(false)} />}</Suspense>
    </Page>
  );
}
