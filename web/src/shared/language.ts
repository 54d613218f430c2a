import i18next from "i18next";
import { recall, remember } from "./preferences";

export const languages = ["zh", "en"] as const;
export type Language = (typeof languages)[number];

export function preferredLanguage(): Language {
  const kept = recall("language");
  if (kept === "zh" || kept === "en") return kept;
  return navigator.language.startsWith("zh") ? "zh" : "en";
}

export function languageNow(): Language {
  return i18next.language === "en" ? "en" : "zh";
}

let load: (language: Language) => Promise<void> = async () => undefined;
/** Who brings the words of a language: app/i18n.ts, which knows every page. */
export function wordsComeFrom(loader: typeof load): void {
  load = loader;
}

export async function setLanguage(language: Language): Promise<void> {
  remember("language", language);
  await load(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
