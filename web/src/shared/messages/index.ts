import { useCallback, useSyncExternalStore } from "react";
import type { Says } from "@/api/says";
import type { Language } from "@/shared/language";
import { type Catalogue, type Plain, render } from "./render";

const catalogues: Partial<Record<Language, Catalogue>> = {};
const asked = new Set<Language>();
const listeners = new Set<() => void>();

const read = { zh: () => import("./zh.json"), en: () => import("./en.json") };

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The catalogue of a language is read once somebody needs it, after the page has been drawn. */
function open(language: Language): void {
  if (asked.has(language)) return;
  asked.add(language);
  void read[language]().then((module) => {
    catalogues[language] = module.default;
    for (const listener of listeners) listener();
  });
}

/** Words messages in a language; nothing while the catalogue is on its way, or for a code it does not know. */
export function useMessages(language: Language): (says: Says, plain?: Plain) => string | null {
  const words = useSyncExternalStore(subscribe, () => catalogues[language]);
  return useCallback(
    (says, plain) => {
      if (!words) open(language);
      return words ? render(says, words, language, plain) : null;
    },
    [words, language],
  );
}
