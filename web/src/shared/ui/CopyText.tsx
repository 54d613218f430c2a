import { useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "@/shared/copy";
import "./CopyText.css";

/** A text that is copied by a click: ids, commands, addresses. */
export function CopyText({ text, shown = text, block = false }: { text: string; shown?: string; block?: boolean }) {
  const { t } = useTranslation("shared");
  const [done, setDone] = useState(false);
  const copy = async () => {
    await copyText(text);
    setDone(true);
    setTimeout(() => setDone(false), 2000);
  };
  return (
    <button
      type="button"
      className={`copy-text mono${block ? " copy-block" : ""}`}
      onClick={() => void copy()}
      title={t("copy")}
    >
      <span className="copy-shown">{shown}</span>
      <span className="visually-hidden">{done ? t("copied") : t("copy")}</span>
      <svg
        viewBox="0 0 16 16"
        width="13"
        height="13"
        aria-hidden="true"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
      >
        {done ? <path d="M3 8.5l3.4 3.4L13 4.6" /> : <path d="M5.5 5.5h7v7h-7zM10.5 5.5v-2h-7v7h2" />}
      </svg>
    </button>
  );
}
