import { Input, Radio, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "@/api/session";
import { CopyText } from "@/shared/ui/CopyText";
import { MakeDialog } from "@/shared/ui/MakeDialog";
import { scopes, useCreateToken, type Scope } from "./api";

const lives = ["7d", "30d", "90d", "365d", ""] as const;

/** Makes a token and shows its text, this once, with lines that use it. */
export default function CreateDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("tokens");
  const me = useMe();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("write");
  const [life, setLife] = useState<string>("90d");
  const [tried, setTried] = useState(false);
  const create = useCreateToken();
  const go = () => {
    setTried(true);
    if (name.trim()) create.mutate({ name: name.trim(), scopes: [scope], expires_in: life || null });
  };
  const made = create.data;
  const missing = tried && !name.trim();
  const words = { cancel: t("cancel"), create: t("create"), done: t("done") };
  return (
    <MakeDialog
      width={620}
      title={made ? t("made_title", { name: made.name }) : t("create_title")}
      words={words}
      pending={create.isPending}
      error={create.error}
      onCreate={go}
      onClose={onClose}
      made={
        made && (
          <>
            <p role="status">{t("once")}</p>
            <CopyText block text={made.token} />
            <strong>{t("use_cli")}</strong>
            <CopyText
              block
              text={`echo ${made.token} | trainyard login ${location.origin} --token-stdin`}
              shown={`echo … | trainyard login ${location.origin} --token-stdin`}
            />
            <strong>{t("use_curl")}</strong>
            <CopyText
              block
              text={`curl -H "Authorization: Bearer ${made.token}" ${location.origin}/api/v1/jobs`}
              shown={`curl -H "Authorization: Bearer …" ${location.origin}/api/v1/jobs`}
            />
          </>
        )
      }
    >
      <label htmlFor="token-name">{t("name")}</label>
      <Input
        id="token-name"
        autoFocus
        maxLength={100}
        value={name}
        status={missing ? "error" : undefined}
        aria-invalid={missing}
        aria-describedby="token-name-said"
        onChange={(event) => setName(event.target.value)}
      />
      <p id="token-name-said" className={missing ? "fault" : "quiet"}>
        {t(missing ? "name_missing" : "name_hint")}
      </p>
      <span id="token-scope">{t("scopes")}</span>
      <Radio.Group
        aria-labelledby="token-scope"
        value={scope}
        onChange={(event) => setScope(event.target.value as Scope)}
        className="stack"
      >
        {scopes
          .filter((one) => one !== "admin" || me.administrator)
          .map((one) => (
            <Radio key={one} value={one}>
              {t(`scope.${one}`)} <span className="quiet">{t(`scope_text.${one}`)}</span>
            </Radio>
          ))}
      </Radio.Group>
      <label htmlFor="token-life">{t("expires")}</label>
      <Select
        id="token-life"
        value={life}
        options={lives.map((value) => ({
          value,
          label: value ? t("days", { count: Number.parseInt(value) }) : t("never"),
        }))}
        onChange={setLife}
      />
    </MakeDialog>
  );
}
