import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import type { Says } from "@/api/says";
import { useMessages } from "@/shared/messages";
import { inUnits } from "@/shared/said";

type Statement = Schemas["Statement"];
type Told = Partial<Pick<Schemas["Forecast"], "text" | "reasons">>;

/**
 * Words what the scheduler states, from its code and values; a code this page does not know yet is said as the server
 * says it.
 */
export function useReasons(): { say: (statement: Statement) => string; all: (told: Told) => string } {
  const { i18n } = useTranslation();
  const chinese = i18n.language === "zh";
  const word = useMessages(chinese ? "zh" : "en");
  const say = useCallback(
    (statement: Statement): string => inUnits(word(statement as Says) ?? statement.text ?? ""),
    [word],
  );
  const all = useCallback(
    (told: Told): string =>
      told.reasons?.length ? told.reasons.map(say).join(chinese ? "；" : "; ") : (told.text ?? ""),
    [say, chinese],
  );
  return useMemo(() => ({ say, all }), [say, all]);
}
