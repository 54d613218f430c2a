import { Button, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useChangePassword, useMe } from "@/api/session";
import { useSaid } from "@/shared/messages";
import "./account.css";

const SHORTEST = 8;

/** Sets the first password, or changes the one there is. */
export function PasswordForm({ onDone, action }: { onDone?: () => void; action?: string }) {
  const { t } = useTranslation("shared");
  const me = useMe();
  const [old, setOld] = useState("");
  const [fresh, setFresh] = useState("");
  const [again, setAgain] = useState("");
  const [fault, setFault] = useState("");
  const change = useChangePassword(() => {
    setOld("");
    setFresh("");
    setAgain("");
    onDone?.();
  });
  const said = useSaid();
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (fresh.length < SHORTEST) setFault(t("password.too_short", { count: SHORTEST }));
    else if (fresh !== again) setFault(t("password.differ"));
    else {
      setFault("");
      change.mutate({ new_password: fresh, ...(me.has_password ? { old_password: old } : {}) });
    }
  };
  const problem = fault || said(change.error);
  return (
    <form className="stack narrow-form" onSubmit={submit}>
      <input type="text" name="username" autoComplete="username" value={me.name} readOnly hidden />
      {me.has_password && (
        <>
          <label htmlFor="old-password">{t("password.old")}</label>
          <Input.Password
            id="old-password"
            autoComplete="current-password"
            value={old}
            onChange={(event) => setOld(event.target.value)}
          />
        </>
      )}
      <label htmlFor="new-password">{t("password.new")}</label>
      <Input.Password
        id="new-password"
        autoComplete="new-password"
        aria-describedby="password-said"
        value={fresh}
        onChange={(event) => setFresh(event.target.value)}
      />
      <label htmlFor="again-password">{t("password.again")}</label>
      <Input.Password
        id="again-password"
        autoComplete="new-password"
        aria-describedby="password-said"
        value={again}
        onChange={(event) => setAgain(event.target.value)}
      />
      <p id="password-said" role={problem ? "alert" : undefined} className={problem ? "fault" : "quiet"}>
        {problem || t("password.hint", { count: SHORTEST })}
      </p>
      <div>
        <Button type="primary" htmlType="submit" loading={change.isPending}>
          {action ?? t("password.change")}
        </Button>
      </div>
    </form>
  );
}
