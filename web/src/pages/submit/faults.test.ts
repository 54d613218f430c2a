// @vitest-environment jsdom
import type { TFunction } from "i18next";
import { expect, test } from "vitest";
import type { Issue, Says } from "@/api/client";
import { fixFor } from "./faults";

const t = ((key: string) => key) as unknown as TFunction<"submit">;
const issue = (says: Says, pointer = "", line = 1): Issue => ({
  ...{ severity: "error", code: "", path: "", column: 1, message: "" },
  ...{ says, pointer, line },
});

test("a misspelt key is renamed in its line", () => {
  const fix = fixFor(t, issue({ code: "unknown_key_near", data: { near: "memory" } }, "/roles/w/memroy", 2));
  expect(fix?.apply("memroy: x\nmemroy: 1GB\n")).toBe("memroy: x\nmemory: 1GB\n");
});

test("tabs that indent become blanks", () => {
  for (const code of ["tab_indents", "tab_indents_like_above"]) {
    const fix = fixFor(t, issue({ code, data: { count: 2 } }));
    expect(fix?.apply("a:\n\tb: 1\t2\n")).toBe("a:\n  b: 1\t2\n");
  }
});

test("what has no known repair is left to the reader", () => {
  expect(fixFor(t, issue({ code: "unknown_key", data: {} }, "/x"))).toBeNull();
  expect(fixFor(t, { ...issue({ code: "", data: {} }), says: undefined })).toBeNull();
});
