import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, type Schemas } from "@/api/client";
import { type Said, type Sentence, useWording } from "./wording";

export type { Said, Sentence };

/** Words what the server says: why a job ended, what a task waits for, what a file lacks, why it refused. */
export function useSaid(): Said {
  const { t, i18n } = useTranslation("shared");
  const word = useWording(i18n.language === "zh" ? "zh" : "en");
  return useCallback<Said>(
    (record: object | null | undefined, field = "message") =>
      // What the browser says about a lost connection is in a language of its own.
      record instanceof ApiError && record.code === "offline"
        ? t("error.offline")
        : word(record as Record<string, never>, field),
    [t, word],
  );
}

/** For what is shown once and not drawn again, like a toast: it changes when the catalogue has been read. */
export function SaidText({ of }: { of: Sentence }): string {
  return useSaid()(of);
}

/** What was thrown, whatever it is. */
export const thrown = (error: unknown): Sentence => (error instanceof Error ? error : { message: String(error) });

/** What the scheduler states. */
export const stated = (statement: Schemas["Statement"]): Sentence => ({ message: statement.text, says: statement });
