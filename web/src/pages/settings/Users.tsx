import { useQuery } from "@tanstack/react-query";
import { App, Button } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "@/api/session";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";
import { StateShape } from "@/shared/ui/StateTag";
import { Table } from "@/shared/ui/Table";
import { Moment } from "@/shared/ui/Time";
import { SaidText } from "@/shared/messages";

import { useFreeze, useNewLink, usersQuery, type User } from "./api";

const UserDialog = lazy(() => import("./UserDialog"));

/** Who may sign in here. */
export function Users() {
  const { t } = useTranslation("settings");
  const { modal, message } = App.useApp();
  const me = useMe();
  const [creating, setCreating] = useState(false);
  const [link, setLink] = useState<{ name: string; link: string } | null>(null);
  const users = useQuery(usersQuery);
  const freezing = useFreeze();
  const linking = useNewLink();
  const onError = (error: Error) => void message.error(<SaidText of={error} />);
  const freeze = (user: User, disabled: boolean) => freezing.mutateAsync({ name: user.name, disabled }).catch(onError);
  const newLink = ({ name = "" }: User) =>
    linking.mutate(name, { onSuccess: (made) => setLink({ name, link: made }), onError });
  const askFreeze = (user: User) =>
    void modal.confirm({
      title: t("freeze_ask", { name: user.name }),
      content: t("freeze_text"),
      okText: t("freeze"),
      cancelText: t("cancel"),
      okButtonProps: { danger: true },
      autoFocusButton: "cancel",
      onOk: () => freeze(user, true),
    });
  return (
    <div className="settings-users">
      <div className="row">
        <h2 className="grow">{t("users")}</h2>
        <Button icon={<Icon name="plus" />} onClick={() => setCreating(true)}>
          {t("create_user")}
        </Button>
      </div>
      {users.isPending && <LoadingFace />}
      {users.error && !users.data && <ErrorFace error={users.error} retry={() => void users.refetch()} />}
      {users.data && (
        <Table
          label={t("users")}
          rows={users.data}
          rowKey={(user) => user.name}
          columns={[
            { key: "name", title: t("account"), head: true, cell: (user) => <strong>{user.name}</strong> },
            { key: "display", title: t("name"), cell: (user) => user.display_name || "–" },
            { key: "email", title: t("email"), wideOnly: true, cell: (user) => user.email || "–" },
            { key: "role", title: t("role"), cell: (user) => t(user.administrator ? "administrator" : "member") },
            {
              key: "state",
              title: t("state"),
              cell: (user) => (
                <span className={`row settings-state ${user.disabled ? "fault" : "settings-active"}`}>
                  <StateShape state={user.disabled ? "cancelled" : "succeeded"} />{" "}
                  {t(user.disabled ? "frozen" : "active")}
                </span>
              ),
            },
            { key: "seen", title: t("seen"), cell: (user) => <Moment at={user.last_seen_at} /> },
            {
              key: "actions",
              title: t("actions"),
              cell: (user) => (
                <span className="row settings-actions">
                  <Button size="small" disabled={linking.isPending} onClick={() => newLink(user)}>
                    {t("reset")}
                  </Button>
                  {user.name !== me.name &&
                    (user.disabled ? (
                      <Button size="small" onClick={() => void freeze(user, false)}>
                        {t("activate")}
                      </Button>
                    ) : (
                      <Button size="small" danger onClick={() => askFreeze(user)}>
                        {t("freeze")}
                      </Button>
                    ))}
                </span>
              ),
            },
          ]}
        />
      )}
      <Suspense fallback={null}>
        {(creating || link) && <UserDialog link={link} onClose={() => (setCreating(false), setLink(null))} />}
      </Suspense>
    </div>
  );
}
