import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { useMe } from "@/api/session";
import { versionQuery } from "@/api/site";
import { languages, setLanguage } from "@/shared/language";
import { PasswordForm } from "@/shared/account/PasswordForm";
import { useSample } from "@/shared/job/useSample";
import { bytes } from "@/shared/format/bytes";
import { remember } from "@/shared/preferences";
import { setTheme, themes, useTheme } from "@/shared/theme";
import { Page } from "@/shared/ui/Page";
import { useSaid } from "@/shared/messages";
import { useEngineWords } from "@/shared/engine";
import { useNodes } from "@/api/nodes";
import { EVERY, readyQuery } from "./api";
import "./setup.css";

const steps = ["look", "password", "check"] as const;
type Step = (typeof steps)[number];

/** What the first administrator, or anybody who came by a one-time link, settles before work begins. */
export function Component() {
  const { t } = useTranslation("setup");
  const me = useMe();
  const navigate = useNavigate();
  const [step, setStep] = useState<Step>("look");
  const leave = () => {
    remember("later", me.name);
    navigate("/");
  };
  return (
    <Page title={t("title")} label={t("title")}>
      <ol className="setup-steps" aria-label={t("steps")}>
        {steps.map((name, index) => (
          <li key={name}>
            <button type="button" aria-current={step === name ? "step" : undefined} onClick={() => setStep(name)}>
              <span className="setup-number">{index + 1}</span> {t(`step.${name}`)}
            </button>
          </li>
        ))}
      </ol>
      <section className="card account-card" aria-label={t(`step.${step}`)}>
        <h2>{t(`step.${step}`)}</h2>
        {step === "look" && <Look onNext={() => setStep("password")} />}
        {step === "password" && (
          <>
            <p>{t(me.has_password ? "password_there" : "password_text", { name: me.name })}</p>
            <PasswordForm action={t("save")} onDone={() => setStep("check")} />
          </>
        )}
        {step === "check" && <Check />}
      </section>
      <p>
        <button type="button" className="link-button" onClick={leave}>
          {t("later")}
        </button>
      </p>
    </Page>
  );
}

function Look({ onNext }: { onNext: () => void }) {
  const { t, i18n } = useTranslation("setup");
  const { t: app } = useTranslation("app");
  const { choice } = useTheme();
  return (
    <>
      <fieldset className="setup-choice">
        <legend>{t("language")}</legend>
        {languages.map((language) => (
          <label key={language}>
            <input
              type="radio"
              name="language"
              checked={i18n.language === language}
              onChange={() => void setLanguage(language)}
            />{" "}
            {t(`languages.${language}`)}
          </label>
        ))}
      </fieldset>
      <fieldset className="setup-choice">
        <legend>{app("theme.title")}</legend>
        {themes.map((theme) => (
          <label key={theme}>
            <input type="radio" name="theme" checked={choice === theme} onChange={() => setTheme(theme)} />{" "}
            {app(`theme.${theme}`)}
          </label>
        ))}
      </fieldset>
      <div>
        <Button type="primary" onClick={onNext}>
          {t("next")}
        </Button>
      </div>
    </>
  );
}

/** What this machine offers and whether jobs can run, asked of the server now. */
function Check() {
  const { t } = useTranslation("setup");
  const navigate = useNavigate();
  const sample = useSample();
  const said = useSaid();
  const engineWords = useEngineWords();
  const version = useQuery(versionQuery);
  const ready = useQuery(readyQuery);
  const nodes = useNodes(EVERY);
  const gpus = (nodes.data ?? []).flatMap((node) => node.gpus);
  const sick = (nodes.data ?? []).filter((node) => !node.healthy);
  const checks: Array<[string, boolean | null, string]> = [
    ["store", ready.isPending ? null : !ready.error, ready.error ? said(ready.error) : t("store_good")],
    ["engine", version.data ? true : version.error ? false : null, engineWords(version.data?.engine)],
    [
      "nodes",
      nodes.data ? sick.length === 0 && nodes.data.length > 0 : null,
      sick.length
        ? sick.map((node) => `${node.name}: ${said(node, "problem")}`).join("; ")
        : (nodes.data ?? []).map((node) => `${node.name} (${node.cpus} CPU, ${bytes(node.memory)})`).join(", "),
    ],
    ["gpus", nodes.data ? true : null, gpus.length ? t("gpus_found", { count: gpus.length }) : t("gpus_none")],
  ];
  return (
    <>
      <ul className="setup-checks">
        {checks.map(([name, good, text]) => (
          <li key={name} className={good === false ? "fault" : undefined}>
            <span aria-hidden="true">{good === null ? "…" : good ? "✓" : "✗"}</span>
            <span className="visually-hidden">{good === null ? t("checking") : good ? t("good") : t("bad")}</span>
            <strong>{t(`check.${name}`)}</strong> <span>{text}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        <Button type="primary" loading={sample.isPending} onClick={() => sample.mutate()}>
          {t("finish")}
        </Button>
        <Button onClick={() => navigate("/")}>{t("home")}</Button>
      </div>
      {sample.error && (
        <p role="alert" className="fault">
          {said(sample.error)}
        </p>
      )}
    </>
  );
}
