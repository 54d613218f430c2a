import { useTranslation } from "react-i18next";
import type { Schemas, Why } from "@/api/client";

type Statement = Schemas["Statement"];

/** Amounts come with their unit: `30 CPUs`, `4 A100`. */
const inChinese = (value: unknown): unknown => (typeof value === "string" ? value.replace(/ CPUs\b/g, " 核 CPU").replace(/ GPUs?\b/g, " 块 GPU").replace(/ of memory\b/g, " 内存") : value);

/**
 * Words what the scheduler states, from its code and values; a code this page does not know yet is said as the server
 * says it.
 */
export function useReasons(): { say: (statement: Statement) => string; all: (why: Why) => string } {
  const { t, i18n } = useTranslation("reason");
  const say = (statement: Statement): string => {
    const values = Object.entries((statement.data ?? {}) as Record<string, unknown>).map(([key, value]) => [key, i18n.language === "zh" ? inChinese(value) : value]);
    return String(t(statement.code ?? "", { ...Object.fromEntries(values), defaultValue: statement.text ?? "" }));
  };
  const all = (why: Why): string => (why.reasons?.length ? why.reasons.map(say).join(i18n.language === "zh" ? "；" : "; ") : why.text);
  return { say, all };
}
