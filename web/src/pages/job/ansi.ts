/** A stretch of text in one colour. */
export interface Run {
  text: string;
  /** `red bold`: words of log.css. */
  look: string;
}

const ESCAPE = /\u001b(?:\[([0-9;:]*)([A-Za-z])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])/g;
const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

/** What is left of a line that a progress bar wrote over and over: its last state. */
export function folded(line: string): string {
  if (!line.includes("\r")) return line;
  const parts = line.split("\r").filter((part) => part !== "");
  return parts.at(-1) ?? "";
}

/** A line without colours and other orders to a terminal. */
export function plainText(text: string): string {
  return text
    .replace(ESCAPE, "")
    .replace(/[^\n]*\r(?=[^\n])/g, "")
    .replaceAll("\r", "");
}

function changed(look: Set<string>, codes: string): Set<string> {
  const next = new Set(look);
  const numbers = codes === "" ? [0] : codes.split(/[;:]/).map(Number);
  for (let i = 0; i < numbers.length; i += 1) {
    const code = numbers[i] ?? 0;
    const drop = (...words: string[]) => words.forEach((word) => next.delete(word));
    if (code === 0) next.clear();
    else if (code === 1) next.add("bold");
    else if (code === 2) next.add("dim");
    else if (code === 4) next.add("under");
    else if (code === 22) drop("bold", "dim");
    else if (code === 24) drop("under");
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) {
      drop(...colours);
      next.add(colours[code % 10] ?? "white");
    } else if (code === 39) drop(...colours);
    // 256 and true colours: the text matters more than its exact shade.
    else if (code === 38 || code === 48) i += numbers[i + 1] === 5 ? 2 : 4;
  }
  return next;
}

/** A line as runs of one look each. Orders other than colours are left out. */
export function runs(line: string): Run[] {
  if (!line.includes("\u001b")) return line ? [{ text: line, look: "" }] : [];
  const found: Run[] = [];
  let look = new Set<string>();
  let at = 0;
  const add = (text: string) => {
    if (text) found.push({ text, look: [...look].sort().join(" ") });
  };
  for (const match of line.matchAll(ESCAPE)) {
    add(line.slice(at, match.index));
    at = match.index + match[0].length;
    if (match[2] === "m") look = changed(look, match[1] ?? "");
  }
  add(line.slice(at));
  return found;
}

const ERROR =
  /\b(error|exception|traceback|fatal|failed|failure|panic|out of memory|oom|killed|segmentation fault|core dumped)\b|错误|失败|异常/i;
const WARNING = /\b(warn(ing)?|deprecated)\b|警告/i;

export type Level = "error" | "warning" | "";

/** How loud a line is, by its words. */
export function levelOf(line: string): Level {
  if (ERROR.test(line)) return "error";
  if (WARNING.test(line)) return "warning";
  return "";
}
