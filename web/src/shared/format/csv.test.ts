import { expect, test } from "vitest";
import { csvCell } from "./csv";

test("cells keep commas, quotes and lines, and never become formulas", () => {
  expect(csvCell("plain")).toBe("plain");
  expect(csvCell('a "b", c')).toBe('"a ""b"", c"');
  expect(csvCell("two\nlines")).toBe('"two\nlines"');
  expect(csvCell('=HYPERLINK("x")')).toBe(`"'=HYPERLINK(""x"")"`);
  expect(csvCell(-1)).toBe("-1");
  expect(csvCell(null)).toBe("");
});
