import { useCallback, useSyncExternalStore } from "react";
import type { Says } from "@/api/client";
import type { Language } from "@/shared/language";
import { type Catalogue, render } from "./render";

/** What the server says, in English, and the value from which every language is worded. Errors of requests are such. */
export interface Sentence {
  message: string;
  says?: Says;
}

/** A record with a sentence in a field of another name: `reason`, and `reason_says` beside it. */
type Telling<Field extends string> = Record<Field, string> & Partial<Record<`${Field}_says`, Says>>;

/** Words a sentence in the reader's language: `said(task)`, `said(error)`, `said(job, "reason")`. */
export interface Said {
  (sentence: Sentence | null | undefined): string;
  <Field extends string>(record: Telling<NoInfer<Field>> | null | undefined, field: Field): string;
}

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

/** As the server says it while the catalogue is on its way, where there is no value, and for a code it does not know. */
export function useWording(language: Language): Said {
  const words = useSyncExternalStore(subscribe, () => catalogues[language]);
  return useCallback<Said>(
    (record: object | null | undefined, field = "message") => {
      if (!record) return "";
      const fields = record as Record<string, unknown>;
      const text = fields[field] as string;
      // As the API names them (src/api/json_writer.h).
      const says = fields[field === "message" ? "says" : `${field}_says`] as Says | undefined;
      if (!says) return text;
      if (!words) open(language);
      return (words && render(says, words, language)) ?? text;
    },
    [words, language],
  );
}
