import { Input, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, ApiError, sessionIsBack } from "@/api/client";
import { retryEvents } from "@/api/events";
import { useMe } from "@/api/session";
import { useSaid } from "@/shared/said";
import { queries } from "./queries";

/** The session is over, the page is not: sign in above it and go on where you were. */
export default function SessionDialog({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation("app");
  const me = useMe();
  const said = useSaid();
  const [password, setPassword] = useState("");
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const signIn = async () => {
    setBusy(true);
    setFault("");
    try {
      await api.POST("/api/v1/login", { body: { user: me.name ?? "", password } });
      setPassword("");
      onDone();
      sessionIsBack();
      retryEvents();
      await queries.invalidateQueries();
    } catch (error) {
      setFault(error instanceof ApiError ? error.problem.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      open
      title={t("session.title")}
      okText={t("session.sign_in")}
      cancelText={t("session.other")}
      confirmLoading={busy}
      onOk={() => void signIn()}
      onCancel={() => location.assign(`/signin?from=${encodeURIComponent(location.pathname + location.search)}`)}
      mask={{ closable: false }}
      destroyOnHidden
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void signIn();
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
        {fault && (
          <p role="alert" className="fault">
            {said(fault)}
          </p>
        )}
      </form>
    </Modal>
  );
}
