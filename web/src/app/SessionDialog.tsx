import { Input, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe, useSignInAgain } from "@/api/session";
import { useSaid } from "@/shared/messages";

/** The session is over, the page is not: sign in above it and go on where you were. */
export default function SessionDialog({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation("app");
  const me = useMe();
  const said = useSaid();
  const [password, setPassword] = useState("");
  const signIn = useSignInAgain(onDone);
  const go = () => signIn.mutate({ user: me.name, password });
  return (
    <Modal
      open
      title={t("session.title")}
      okText={t("session.sign_in")}
      cancelText={t("session.other")}
      confirmLoading={signIn.isPending}
      onOk={go}
      onCancel={() => location.assign(`/signin?from=${encodeURIComponent(location.pathname + location.search)}`)}
      mask={{ closable: false }}
      destroyOnHidden
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          go();
        }}
      >
        <p>{t("session.text")}</p>
        <label htmlFor="session-password">{t("session.password", { name: me.name })}</label>
        <Input.Password
          id="session-password"
          autoFocus
          autoComplete="current-password"
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
        {signIn.error && (
          <p role="alert" className="fault">
            {said(signIn.error)}
          </p>
        )}
      </form>
    </Modal>
  );
}
