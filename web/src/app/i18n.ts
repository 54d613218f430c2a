import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { preferredLanguage, wordsComeFrom, type Language } from "@/shared/language";

type Words = Record<string, Record<string, unknown>>;

// One chunk a language, with the words of every page: switching never waits for a page's own file.
const loaders: Record<Language, () => Promise<{ words: Words }>> = {
  zh: () => import("./locales/zh"),
  en: () => import("./locales/en"),
};

async function load(language: Language): Promise<void> {
  if (i18next.hasResourceBundle(language, "app")) return;
  const { words } = await loaders[language]();
  for (const [namespace, bundle] of Object.entries(words)) i18next.addResourceBundle(language, namespace, bundle);
}

export async function startLanguage(): Promise<void> {
  const language = preferredLanguage();
  wordsComeFrom(load);
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
