import { useTranslation } from "react-i18next";
import { duration, exactTime, fullTime, shortTime } from "@/shared/format/time";
import type { Language } from "@/shared/language";
import { useNow } from "@/shared/hooks/useNow";

function useLanguage(): Language {
  const { i18n } = useTranslation();
  return i18n.language === "en" ? "en" : "zh";
}

/** A moment: the clock time (`exact`: with seconds), with all of it on hover. A dash when there is none. */
export function Moment({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  const language = useLanguage();
  if (!at) return <span className="quiet">–</span>;
  return (
    <time dateTime={at} title={fullTime(at, language)} className="numbers">
      {exact ? exactTime(at, language) : shortTime(at, language)}
    </time>
  );
}

/** How long between two moments; without an end it counts on by itself. */
export function Duration({ from, to }: { from: string | null | undefined; to?: string | null }) {
  const language = useLanguage();
  const now = useNow(from && !to ? 1000 : 0);
  if (!from) return <span className="quiet">–</span>;
  const end = to ? new Date(to).getTime() : now;
  return <span className="numbers">{duration(end - new Date(from).getTime(), language)}</span>;
}
