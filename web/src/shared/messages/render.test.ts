import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Says } from "@/api/client";
import en from "./en.json";
import { render } from "./render";
import zh from "./zh.json";

interface Case {
  message: Says;
  en: string;
  zh: string;
}

/** The server writes amounts as job files do; the page as it does everywhere. */
const inUnits = (text: string) => text.replace(/(\d) ([KMGT])B\b/g, "$1 $2iB");

test("messages read as the shared cases say, in both languages", () => {
  const cases = JSON.parse(readFileSync(join(__dirname, "../../../../tests/data/messages.json"), "utf8")) as Case[];
  expect(cases.length).toBeGreaterThan(5);
  for (const one of cases) {
    expect(render(one.message, en, "en")).toBe(inUnits(one.en));
    expect(render(one.message, zh, "zh")).toBe(inUnits(one.zh));
  }
});

test("a code of another version is left to the server's own sentence", () => {
  const unknown = { code: "from_the_future", data: {} };
  expect(render(unknown, zh, "zh")).toBeNull();
  expect(render({ code: "task_failed_because", data: { task: "main-0", why: unknown } }, zh, "zh")).toBeNull();
  expect(render({ code: "joined", data: { parts: [unknown] } }, zh, "zh")).toBeNull();
});
