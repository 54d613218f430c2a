import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { languageNow } from "@/shared/language";
import { shortTime } from "@/shared/format/time";
import { inUnits } from "@/shared/said";
import { amountInChinese } from "./amounts";

type Statement = Schemas["Statement"];
type Told = Partial<Pick<Schemas["Forecast"], "text" | "reasons">>;

/** Names of things are nobody's to translate. */
const NAMES = new Set(["node", "job", "jobs", "workspace", "reservation", "device", "labels", "job_id"]);
const MOMENTS = /^\d{4}-\d\d-\d\dT/;

/**
 * Words what the scheduler states, from its code and values; a code this page does not know yet is said as the server
 * says it.
 */
export function useReasons(): { say: (statement: Statement) => string; all: (told: Told) => string } {
  const { t, i18n } = useTranslation("reason");
  const chinese = i18n.language === "zh";
  const say = useCallback(
    (statement: Statement): string => {
      const values = Object.entries((statement.data ?? {}) as Record<string, unknown>).map(
        ([key, value]): [string, unknown] => {
          if (typeof value !== "string" || NAMES.has(key)) return [key, value];
          if (MOMENTS.test(value)) return [key, shortTime(value, languageNow())];
          return [key, chinese ? amountInChinese(value) : inUnits(value)];
        },
      );
      return String(t(statement.code ?? "", { ...Object.fromEntries(values), defaultValue: statement.text ?? "" }));
    },
    [t, chinese],
  );
  const all = useCallback(
    (told: Told): string =>
      told.reasons?.length ? told.reasons.map(say).join(chinese ? "；" : "; ") : (told.text ?? ""),
    [say, chinese],
  );
  return useMemo(() => ({ say, all }), [say, all]);
}
