import { useCallback, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { remembered } from "@/api/says";
import { useMessages } from "@/shared/messages";
import type { Phrasebook } from "./phrasebook";

let book: Phrasebook | null = null;
let asked = false;
const listeners = new Set<() => void>();

/** The book is read once somebody needs it, after the page has been drawn. */
function open(): void {
  if (asked) return;
  asked = true;
  void import("./phrasebook").then((module) => {
    book = module.openPhrasebook();
    for (const listener of listeners) listener();
  });
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Amounts as the rest of the page writes them: the server's GB are GiB. */
export const inUnits = (text: string): string => text.replace(/(\d) ([KMGT])B\b/g, "$1 $2iB");

/**
 * Words a sentence of the server in the reader's language: why a job ended, what a task waits for, what a file lacks.
 * From its code and values where the server sent them; else by the phrasebook; what neither knows stays as it came.
 */
export function useSaid(): (text: string | null | undefined) => string {
  const { i18n } = useTranslation();
  const chinese = i18n.language === "zh";
  const known = useSyncExternalStore(subscribe, () => book);
  const word = useMessages(chinese ? "zh" : "en");
  return useCallback(
    (text) => {
      if (!text) return "";
      if (chinese && !known) open();
      const says = chinese ? remembered(text) : undefined;
      const worded = says && word(says, (plain) => known?.translate(plain) ?? null);
      if (worded) return inUnits(worded);
      return inUnits(chinese && known ? (known.translate(text) ?? text) : text);
    },
    [chinese, known, word],
  );
}

/** The same for what is shown once and not drawn again, like a toast: it changes when the book has been read. */
export function Said({ text }: { text: string }): string {
  return useSaid()(text);
}
