import { useTranslation } from "react-i18next";

/** A priority by the word the form uses for it; numbers in between stay numbers. */
export function Priority({ value }: { value: number | undefined }) {
  const { t } = useTranslation("shared");
  const word = t(`priority.${value}`, { defaultValue: "" });
  return word ? <span title={String(value)}>{word}</span> : <span className="numbers">{value}</span>;
}
