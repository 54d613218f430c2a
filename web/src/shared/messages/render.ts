import type { Says } from "@/api/client";
import { bytes } from "@/shared/format/bytes";
import { shortTime } from "@/shared/format/time";
import type { Language } from "@/shared/language";

export type Catalogue = Record<string, string>;

const HOLE = /\{\{|\}\}|\{([a-z0-9_]+)(?::([^{}]*))?\}/g;

/** The shortest exact spelling, as in job files: `1h30m`. */
export function exactDuration(milliseconds: number): string {
  let left = Math.floor(milliseconds / 1000);
  let text = "";
  for (const [size, letter] of [
    [86400, "d"],
    [3600, "h"],
    [60, "m"],
    [1, "s"],
  ] as const) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) text += `${count}${letter}`;
  }
  return text || "0s";
}

function spoken(milliseconds: number, language: Language): string {
  const [ms, s, min, h, d] = language === "zh" ? ["毫秒", "秒", "分", "小时", "天"] : ["ms", "s", "min", "h", "d"];
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, "0");
  if (milliseconds < 1000) return `${milliseconds} ${ms}`;
  if (seconds < 60) return `${(milliseconds / 1000).toFixed(1)} ${s}`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} ${min} ${two(seconds % 60)} ${s}`;
  if (seconds < 86400) return `${Math.floor(seconds / 3600)} ${h} ${two(Math.floor((seconds % 3600) / 60))} ${min}`;
  return `${Math.floor(seconds / 86400)} ${d} ${Math.floor((seconds % 86400) / 3600)} ${h}`;
}

function fillNumber(value: number, kind: string, language: Language): string {
  if (kind === "bytes") return bytes(value);
  if (kind === "duration") return spoken(value, language);
  if (kind === "exact") return exactDuration(value);
  if (kind === "time") return shortTime(value, language);
  if (kind === "cpus") {
    const count = String(value / 1000);
    if (language === "zh") return `${count} 核 CPU`;
    return `${count} ${value === 1000 ? "CPU" : "CPUs"}`;
  }
  const [one, many] = kind.split("|");
  return many === undefined ? String(value) : `${value} ${value === 1 ? one : many}`;
}

function listed(texts: string[], kind: string, between: string, language: Language): string {
  if (!kind || texts.length < 2) return texts.join(between);
  const comma = language === "zh" ? "、" : ", ";
  const words = language === "zh" ? { or: " 或 ", and: " 和 " } : { or: " or ", and: " and " };
  return texts.slice(0, -1).join(comma) + (kind === "or" ? words.or : words.and) + (texts.at(-1) ?? "");
}

const isMessage = (value: unknown): value is Says => typeof value === "object" && value !== null && "code" in value;

/** Nothing where it holds a message that the catalogue does not know. */
function fill(value: unknown, kind: string, words: Catalogue, language: Language): string | null {
  if (typeof value === "number") return fillNumber(value, kind, language);
  if (typeof value === "string") return value;
  if (isMessage(value)) return render(value, words, language);
  if (!Array.isArray(value)) return "?";
  const texts = value.map((one) => fill(one, "", words, language));
  if (!texts.every((text) => text !== null)) return null;
  const separators = value.some(isMessage) ? { zh: "；", en: "; " } : { zh: "、", en: ", " };
  return listed(texts, kind, separators[language], language);
}

/**
 * The sentence of a message in one language; nothing for a code of another version. The server renders the same way
 * (src/base/impl/render.cc), but for amounts, which are `GiB` everywhere on the page; tests/data/messages.json holds
 * both to it.
 */
export function render(says: Says, words: Catalogue, language: Language): string | null {
  const sentence = words[says.code];
  if (sentence === undefined) return null;
  let isWhole = true;
  const text = sentence.replace(HOLE, (hole, name: string | undefined, kind: string | undefined) => {
    if (name === undefined) return hole[0] ?? "";
    const filled = fill(says.data[name], kind ?? "", words, language);
    isWhole &&= filled !== null;
    return filled ?? "";
  });
  return isWhole ? text : null;
}
