import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Says } from "@/api/says";
import en from "./en.json";
import { render } from "./render";
import zh from "./zh.json";

interface Case {
  message: Says;
  en: string;
  zh: string;
}

test("messages read as the shared cases say, in both languages", () => {
  const cases = JSON.parse(readFileSync(join(__dirname, "../../../../tests/data/messages.json"), "utf8")) as Case[];
  expect(cases.length).toBeGreaterThan(5);
  for (const one of cases) {
    expect(render(one.message, en, "en")).toBe(one.en);
    expect(render(one.message, zh, "zh")).toBe(one.zh);
  }
});

test("a code of another version is left to the server's own sentence", () => {
  expect(render({ code: "from_the_future", data: {} }, zh, "zh")).toBeNull();
});
