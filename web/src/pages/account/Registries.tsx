import { useQuery } from "@tanstack/react-query";
import { App, Button, Input } from "antd";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { SaidText, useSaid } from "@/shared/messages";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { registriesQuery, useForgetLogin, useKeepLogin, type Login } from "./api";

/** Image registries that need a name and a password, so that private images can be pulled. */
export function Registries() {
  const { t } = useTranslation("account");
  const said = useSaid();
  const id = useId();
  const { message } = App.useApp();
  const [server, setServer] = useState("");
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const logins = useQuery(registriesQuery);
  const keep = useKeepLogin();
  const forget = useForgetLogin();
  const save = () =>
    keep.mutate(
      { server: server.trim(), username: username.trim(), password },
      {
        onSuccess: () => {
          void message.success(t("registry_kept", { server: server.trim() }));
          setServer("");
          setUsername("");
          setPassword("");
        },
      },
    );
  const drop = (login: Login) =>
    forget.mutate(login, { onError: (error) => void message.error(<SaidText of={error} />) });
  return (
    <section className="card account-card" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{t("registries")}</h2>
      <p className="quiet">{t("registries_text")}</p>
      {logins.error ? (
        <ErrorFace error={logins.error} retry={() => void logins.refetch()} />
      ) : logins.isPending ? (
        <LoadingFace lines={2} />
      ) : null}
      {(logins.data ?? []).length > 0 && (
        <ul className="registries">
          {logins.data?.map((login) => (
            <li key={`${login.server} ${login.workspace ?? ""}`}>
              <strong className="mono cut">{login.server}</strong>
              <span className="grow quiet cut">
                {login.username}
                {login.workspace ? ` · ${login.workspace}` : ""}
              </span>
              <Button
                size="small"
                danger
                aria-label={t("registry_forget_of", { server: login.server })}
                onClick={() => drop(login)}
              >
                {t("registry_forget")}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="registry-form"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <div className="stack">
          <label htmlFor={`${id}-server`}>{t("registry_server")}</label>
          <Input
            id={`${id}-server`}
            placeholder="registry.example.com:5000"
            autoComplete="off"
            value={server}
            onChange={(event) => setServer(event.target.value)}
          />
        </div>
        <div className="stack">
          <label htmlFor={`${id}-user`}>{t("registry_user")}</label>
          <Input
            id={`${id}-user`}
            autoComplete="off"
            value={username}
            onChange={(event) => setUsername(event.target.value)}
          />
        </div>
        <div className="stack">
          <label htmlFor={`${id}-password`}>{t("registry_password")}</label>
          <Input.Password
            id={`${id}-password`}
            autoComplete="new-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </div>
        <Button htmlType="submit" loading={keep.isPending} disabled={!server.trim() || !username.trim() || !password}>
          {t("registry_keep")}
        </Button>
      </form>
      {keep.error && (
        <p role="alert" className="fault">
          {said(keep.error)}
        </p>
      )}
    </section>
  );
}
