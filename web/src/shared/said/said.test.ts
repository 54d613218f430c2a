import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { openPhrasebook } from "./phrasebook";
import { phrases } from "./phrases";

const source = join(__dirname, "../../../../src");
const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(source, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !/_test\.cc$/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

/** The texts in C++, neighbours joined. */
function textsOf(code: string): string[] {
  return [...code.matchAll(/(?:"(?:[^"\\\n]|\\.)*"\s*)+/g)].map((found) =>
    [...found[0].matchAll(/"((?:[^"\\\n]|\\.)*)"/g)]
      .map((one) => one[1])
      .join("")
      .replace(/\\(["\\])/g, "$1")
      .replace(/\\n/g, "\n"),
  );
}

const book = openPhrasebook();

describe("the phrasebook", () => {
  it("says what ended a job", () => {
    expect(book.translate("main-0 failed: out of memory: limit 64 MB, peak 64 MB; ask for more memory")).toBe(
      "main-0 失败：内存超过上限被终止：上限 64 MB，峰值 64 MB；请申请更多内存",
    );
    expect(book.translate("worker-2 failed: exit code 3")).toBe("worker-2 失败：退出码 3");
    expect(book.translate("stopped by admin")).toBe("由 admin 停止");
    expect(book.translate("pulling python:3.12: 3 of 8 layers, 1 MB of 4 MB")).toBe(
      "正在拉取 python:3.12：3/8 层，1 MB / 4 MB",
    );
  });
  it("keeps what it does not know", () => {
    expect(book.translate("nobody has ever said this")).toBeNull();
    expect(book.translate("missing; nobody has ever said this")).toBe("缺少；nobody has ever said this");
  });
});

test("both sides of a phrase have the same holes, and none is there twice", () => {
  const holes = (text: string) => [...text.matchAll(/\{[A-Za-z]+\}/g)].map((hole) => hole[0]).sort();
  for (const [english, chinese] of phrases) expect(holes(chinese), english).toEqual(holes(english));
  expect(new Set(phrases.map(([english]) => english)).size).toBe(phrases.length);
});

const isSentence = (text: string) => /[a-z]{2,} [a-z]{2,}/.test(text);
// What the server refuses, somebody reads on the page. These tell only each other or the server's own log.
const internal = [
  /^control\/(controller|placing|acting|reports)\.cc$/,
  /^engine\/fake\//,
  /^engine\/local\/oci\//,
  /^store\/impl\//,
  /^api\/site\//,
  /^sched\/replay/,
  /^telemetry\/(?!log_search)/,
];

/** What stays English of a message whose holes are filled with something that is no word; nothing if all is said. */
function leftInEnglish(text: string): string {
  const filled = text.replace(/\{[^}]*\}/g, "7");
  // Pieces that a program puts together with `+` end or begin with what is put there.
  const whole = `${/^[ :,;"]/.test(filled) ? "7" : ""}${filled}${/[ (]$/.test(filled) ? "7" : ""}${filled.split('"').length % 2 === 0 ? '7"' : ""}`;
  const left = whole
    .split("; ")
    .filter((part) => isSentence(part) && !/[\u4e00-\u9fff]/.test(book.translate(part) ?? ""));
  return left.join(" | ");
}

test("whatever is refused is refused in Chinese too", () => {
  const missing: string[] = [];
  let known = 0;
  for (const folder of ["control", "api", "engine"]) {
    for (const file of filesBelow(folder, /\.(cc|h)$/)) {
      const name = file.slice(source.length + 1);
      if (internal.some((pattern) => pattern.test(name))) continue;
      const text = readFileSync(file, "utf8").replace(/\/\/[^\n]*/g, "");
      for (const [statement] of text.matchAll(/Errc::\w+,[^;]*;/g)) {
        for (const said of textsOf(statement).filter(isSentence)) {
          const left = leftInEnglish(said);
          if (left) missing.push(`${name}: ${said} (${left})`);
          else known += 1;
        }
      }
    }
  }
  expect(known).toBeGreaterThan(0);
  expect(missing, "sentences without a phrase: add them to phrases.ts").toEqual([]);
});

test("every kind of end has a word in both languages", () => {
  const list = /kWords<Reason> = list\(([^)]*)\)/.exec(readFileSync(join(source, "model/words.cc"), "utf8"))?.[1] ?? "";
  const codes = [...list.matchAll(/"([a-z_]+)"/g)].map((found) => found[1] ?? "");
  expect(codes).toContain("oom");
  for (const language of ["zh", "en"]) {
    const words = JSON.parse(readFileSync(join(__dirname, `../locales/${language}.json`), "utf8")) as {
      end: Record<string, string>;
    };
    expect(codes.filter((code) => !words.end[code])).toEqual([]);
  }
});

test("every class of failure has a word in both languages", () => {
  const list =
    /kWords<FailureClass> = list\(([^)]*)\)/.exec(readFileSync(join(source, "model/words.cc"), "utf8"))?.[1] ?? "";
  const classes = [...list.matchAll(/"([a-z_]+)"/g)].map((found) => found[1] ?? "");
  expect(classes).toContain("permanent");
  for (const language of ["zh", "en"]) {
    const words = JSON.parse(readFileSync(join(__dirname, `../../pages/job/locales/${language}.json`), "utf8")) as {
      class: Record<string, string>;
    };
    expect(classes.filter((one) => !words.class[one])).toEqual([]);
  }
});
