import { useMutation } from "@tanstack/react-query";
import { Button, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import { fetchMe, useMe } from "@/api/session";
import { keys, queries } from "@/app/queries";
import { useSaid } from "@/shared/said";

const SHORTEST = 8;

/** Sets the first password, or changes the one there is. */
export function PasswordForm({ onDone, action }: { onDone?: () => void; action?: string }) {
  const { t } = useTranslation("account");
  const me = useMe();
  const [old, setOld] = useState("");
  const [fresh, setFresh] = useState("");
  const [again, setAgain] = useState("");
  const [fault, setFault] = useState("");
  const change = useMutation({
    mutationFn: async () => {
      await api.POST("/api/v1/password", {
        body: { new_password: fresh, ...(me.has_password ? { old_password: old } : {}) },
      });
      queries.setQueryData(keys.me, await fetchMe());
    },
    onSuccess: () => {
      setOld("");
      setFresh("");
      setAgain("");
      onDone?.();
    },
  });
  const said = useSaid();
  const submit = (event: React.FormEvent) => {
    event.preventDefault();
    if (fresh.length < SHORTEST) setFault(t("too_short", { count: SHORTEST }));
    else if (fresh !== again) setFault(t("differ"));
    else {
      setFault("");
      change.mutate();
    }
  };
  const problem = fault || said(change.error?.message);
  return (
    <form className="stack narrow-form" onSubmit={submit}>
      <input type="text" name="username" autoComplete="username" value={me.name ?? ""} readOnly hidden />
      {me.has_password && (
        <>
          <label htmlFor="old-password">{t("old")}</label>
          <Input.Password
            id="old-password"
            autoComplete="current-password"
            value={old}
            onChange={(event) => setOld(event.target.value)}
          />
        </>
      )}
      <label htmlFor="new-password">{t("new")}</label>
      <Input.Password
        id="new-password"
        autoComplete="new-password"
        aria-describedby="password-said"
        value={fresh}
        onChange={(event) => setFresh(event.target.value)}
      />
      <label htmlFor="again-password">{t("again")}</label>
      <Input.Password
        id="again-password"
        autoComplete="new-password"
        aria-describedby="password-said"
        value={again}
        onChange={(event) => setAgain(event.target.value)}
      />
      <p id="password-said" role={problem ? "alert" : undefined} className={problem ? "fault" : "quiet"}>
        {problem || t("hint", { count: SHORTEST })}
      </p>
      <div>
        <Button type="primary" htmlType="submit" loading={change.isPending}>
          {action ?? t("change")}
        </Button>
      </div>
    </form>
  );
}
