import { expect, test } from "vitest";
import { secondsOf, wordsOf } from "./limit_words";

test("a limit is shown as somebody would type it, and read back the same", () => {
  expect([43200, 5400, 90, 86400, 0].map(wordsOf)).toEqual(["12h", "1h30m", "1m30s", "1d", ""]);
  for (const seconds of [1, 59, 3661, 90061, 604800]) expect(secondsOf(wordsOf(seconds))).toBe(seconds);
});

test("what is not a duration is told apart", () => {
  for (const text of ["", "12", "h", "12 h", "-1h"]) expect(secondsOf(text)).toBeNull();
});
