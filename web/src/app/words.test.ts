import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(__dirname, "..");
const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

type Words = { [key: string]: string | Words };

/** `bulk.stop` → its text, for every text of a file. */
function flat(words: Words, before = ""): Map<string, string> {
  const all = new Map<string, string>();
  for (const [key, value] of Object.entries(words)) {
    if (typeof value === "string") all.set(before + key, value);
    else for (const [inner, text] of flat(value, `${before}${key}.`)) all.set(inner, text);
  }
  return all;
}

const holes = (text: string) => [...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map((match) => match[1]).sort();

for (const zhFile of files.filter((file) => file.endsWith("locales/zh.json"))) {
  test(`both languages say the same in ${relative(root, zhFile)}`, () => {
    const zh = flat(JSON.parse(readFileSync(zhFile, "utf8")) as Words);
    const en = flat(JSON.parse(readFileSync(zhFile.replace("zh.json", "en.json"), "utf8")) as Words);
    // English has a form for one; Chinese needs none.
    expect([...zh.keys()].sort()).toEqual([...en.keys()].filter((key) => !key.endsWith("_one")).sort());
    for (const [key, text] of zh) {
      expect(holes(text), key).toEqual(holes(en.get(key) ?? ""));
      expect(text.trim(), key).not.toBe("");
      expect(text, `${key} has an exclamation mark`).not.toMatch(/[!！]/);
    }
  });
}

test("no words stand in the markup itself", () => {
  const found: string[] = [];
  for (const file of files.filter((name) => name.endsWith(".tsx") && !name.includes("/signin/"))) {
    const source = ts.createSourceFile(
      file,
      readFileSync(file, "utf8"),
      ts.ScriptTarget.Latest,
      true,
      ts.ScriptKind.TSX,
    );
    const look = (node: ts.Node): void => {
      // Names of things that are the same in every language are let through: Trainyard, GPU, Ctrl, Esc.
      if (ts.isJsxText(node) && /[a-z\u4e00-\u9fff]{2,}/.test(node.text.replace(/Trainyard|Ctrl|Esc/g, "")))
        found.push(`${relative(root, file)}: ${node.text.trim()}`);
      ts.forEachChild(node, look);
    };
    look(source);
  }
  expect(found).toEqual([]);
});
