import { Checkbox, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyText } from "@/shared/ui/CopyText";
import { MakeDialog } from "@/shared/ui/MakeDialog";
import { useCreateUser } from "./api";

/** Makes an account; its owner chooses a password by the one-time link. With a link already: shows that. */
export default function UserDialog({
  link,
  onClose,
}: {
  link: { name: string; link: string } | null;
  onClose: () => void;
}) {
  const { t } = useTranslation("settings");
  const [name, setName] = useState("");
  const [display, setDisplay] = useState("");
  const [email, setEmail] = useState("");
  const [administrator, setAdministrator] = useState(false);
  const [tried, setTried] = useState(false);
  const create = useCreateUser();
  const shown = link ?? (create.data ? { name: create.data.name, link: create.data.link } : null);
  const missing = tried && !name.trim();
  const go = () => {
    setTried(true);
    const account = name.trim();
    if (!account) return;
    const more = { display_name: display.trim() || undefined, email: email.trim() || undefined };
    create.mutate({ name: account, ...more, administrator });
  };
  const words = { cancel: t("cancel"), create: t("create"), done: t("done") };
  return (
    <MakeDialog
      title={shown ? t("link_title", { name: shown.name }) : t("create_user")}
      words={words}
      pending={create.isPending}
      error={create.error}
      onCreate={go}
      onClose={onClose}
      made={
        shown && (
          <>
            <p role="status">{t("link_text")}</p>
            <CopyText block text={new URL(shown.link, location.origin).href} />
          </>
        )
      }
    >
      <label htmlFor="user-name">{t("account")}</label>
      <Input
        id="user-name"
        autoFocus
        autoComplete="off"
        value={name}
        status={missing ? "error" : undefined}
        aria-invalid={missing}
        onChange={(event) => setName(event.target.value)}
      />
      {missing && <p className="fault">{t("account_missing")}</p>}
      <label htmlFor="user-display">{t("name")}</label>
      <Input id="user-display" value={display} onChange={(event) => setDisplay(event.target.value)} />
      <label htmlFor="user-email">{t("email")}</label>
      <Input id="user-email" type="email" value={email} onChange={(event) => setEmail(event.target.value)} />
      <Checkbox checked={administrator} onChange={(event) => setAdministrator(event.target.checked)}>
        {t("administrator")}
      </Checkbox>
    </MakeDialog>
  );
}
