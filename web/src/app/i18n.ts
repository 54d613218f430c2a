import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { recall, remember } from "@/shared/preferences";

export const languages = ["zh", "en"] as const;
export type Language = (typeof languages)[number];
type Words = Record<string, Record<string, unknown>>;

// One chunk a language, with the words of every page: switching never waits for a page's own file.
const loaders: Record<Language, () => Promise<{ words: Words }>> = {
  zh: () => import("./locales/zh"),
  en: () => import("./locales/en"),
};

export function preferredLanguage(): Language {
  const kept = recall("language");
  if (kept === "zh" || kept === "en") return kept;
  return navigator.language.startsWith("zh") ? "zh" : "en";
}

export function languageNow(): Language {
  return i18next.language === "en" ? "en" : "zh";
}

async function load(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, "app")) return;
  const { words } = await loaders[language]();
  for (const [namespace, bundle] of Object.entries(words)) i18next.addResourceBundle(language, namespace, bundle);
}

export async function startLanguage(): Promise<void> {
  const language = preferredLanguage();
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: false,
    defaultNS: "app",
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
    resources: {},
  });
  await load(language);
  document.documentElement.lang = language;
}

export async function setLanguage(language: Language): Promise<void> {
  remember("language", language);
  await load(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
