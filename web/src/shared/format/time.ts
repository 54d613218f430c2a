import type { Language } from "@/shared/language";

const units: Array<[number, string, string]> = [
  [86400, "d", "天"],
  [3600, "h", "小时"],
  [60, "m", "分"],
  [1, "s", "秒"],
];

/** `1h 12m`, `1小时12分`: the two largest parts. */
export function duration(milliseconds: number, language: Language): string {
  if (milliseconds >= 0 && milliseconds < 500) return language === "zh" ? "不到1秒" : "<1s";
  let left = Math.max(0, Math.round(milliseconds / 1000));
  const parts: string[] = [];
  for (const [size, en, zh] of units) {
    const count = Math.floor(left / size);
    if (count === 0 && (parts.length === 0 ? size > 1 : true)) {
      if (parts.length) break;
      continue;
    }
    left -= count * size;
    parts.push(`${count}${language === "zh" ? zh : en}`);
    if (parts.length === 2) break;
  }
  return parts.join(language === "zh" ? "" : " ");
}

const locales: Record<Language, string> = { zh: "zh-CN", en: "en-GB" };

/** The clock time, with the day unless it is today. */
export function shortTime(at: string | number | Date, language: Language, now = new Date()): string {
  const date = new Date(at);
  const today = date.toDateString() === now.toDateString();
  const thisYear = date.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(locales[language], {
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
    ...(today ? {} : { month: "2-digit", day: "2-digit" }),
    ...(thisYear ? {} : { year: "numeric" }),
  }).format(date);
}

/** The clock time to the second, with the day unless it is today. */
export function exactTime(at: string | number | Date, language: Language, now = new Date()): string {
  const date = new Date(at);
  const today = date.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(locales[language], {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
    ...(today ? {} : { month: "2-digit", day: "2-digit" }),
  }).format(date);
}

export function fullTime(at: string | number | Date, language: Language): string {
  return new Intl.DateTimeFormat(locales[language], { dateStyle: "medium", timeStyle: "medium", hour12: false }).format(
    new Date(at),
  );
}
