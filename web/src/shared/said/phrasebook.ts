import { phrases } from "./phrases";

interface Phrase {
  fits: RegExp;
  holes: string[];
  chinese: string;
}

export interface Phrasebook {
  /** Nothing when no part of the text is known. */
  translate: (text: string) => string | null;
}

const HOLE = /\{([A-Za-z]+)\}/g;
const plain = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function read([english, chinese]: readonly [string, string]): Phrase {
  const holes: string[] = [];
  let pattern = "";
  let from = 0;
  for (const hole of english.matchAll(HOLE)) {
    pattern += `${plain(english.slice(from, hole.index))}(.+?)`;
    holes.push(hole[1] ?? "");
    from = hole.index + hole[0].length;
  }
  return { fits: new RegExp(`^${pattern}${plain(english.slice(from))}$`, "s"), holes, chinese };
}

const DEEP = 4;

export function openPhrasebook(pairs: ReadonlyArray<readonly [string, string]> = phrases): Phrasebook {
  // What says more in its own words fits better: `write them again` before `write {text}`.
  const own = ([english]: readonly [string, string]) => english.replace(HOLE, "").length;
  const book = [...pairs].sort((a, b) => own(b) - own(a)).map(read);
  const whole = (text: string, depth: number): string | null => {
    for (const { fits, holes, chinese } of book) {
      const found = fits.exec(text);
      if (!found) continue;
      const values = new Map(holes.map((name, index) => [name, found[index + 1] ?? ""]));
      return chinese.replace(HOLE, (_, name: string) => {
        const value = values.get(name) ?? "";
        return /^[A-Z]/.test(name) ? (say(value, depth + 1) ?? value) : value;
      });
    }
    return null;
  };
  const say = (text: string, depth: number): string | null => {
    // Apart first: `{why}` of one part must not swallow the next.
    const parts = text.split("; ");
    if (parts.length > 1 && depth < DEEP) {
      const said = parts.map((part) => whole(part, depth));
      if (said.some((part) => part !== null)) return said.map((part, index) => part ?? parts[index]).join("；");
    }
    return whole(text, depth);
  };
  return { translate: (text) => say(text.trim(), 0) };
}
