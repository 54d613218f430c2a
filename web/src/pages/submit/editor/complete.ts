// Which keys and values fit at a place of a job file, by its JSON Schema. The text around the place is unfinished by
// nature, so it is read by eye: indentation for YAML, brackets for JSON.

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  default?: unknown;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema | Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  definitions?: Record<string, Schema>;
  $defs?: Record<string, Schema>;
}

export interface Place {
  /** Keys from the top to the map around the place; "*" for an entry of a list. */
  path: string[];
  /** The key whose value is being written; undefined when a key is. */
  key?: string;
  /** Keys this map has already. */
  present: string[];
}

const keyOf = /^(\s*)((?:- +)*)(?:"([^"]*)"|'([^']*)'|([^\s:#"'[{-][^:#]*?))\s*:(?:\s|$)/;

/** How deep a line's key stands, counting the dashes before it. */
function readLine(line: string): { indent: number; dashes: number; key: string; own: number } | null {
  const found = keyOf.exec(line);
  if (!found) return null;
  const [, blanks = "", dashes = ""] = found;
  return {
    indent: blanks.length,
    dashes: (dashes.match(/-/g) ?? []).length,
    key: found[3] ?? found[4] ?? found[5] ?? "",
    own: blanks.length + dashes.length,
  };
}

export function yamlPlace(lines: string[], line: number, column: number): Place {
  const before = (lines[line] ?? "").slice(0, column);
  const here = readLine(before);
  const blanks = /^\s*(?:- +)*/.exec(before)?.[0] ?? "";
  let depth = here ? here.own : blanks.length;
  const listed = /^\s*- /.test(before);
  const path: string[] = [];
  if (listed) {
    depth = /^\s*/.exec(before)?.[0].length ?? 0;
    path.unshift("*");
  }
  const start = depth;
  for (let at = line - 1; at >= 0 && (depth > 0 || listed || path[0] === "*"); at -= 1) {
    const above = readLine(lines[at] ?? "");
    if (/^---/.test(lines[at] ?? "")) break;
    if (!above) continue;
    if (above.dashes && above.own === depth && path[0] !== "*") {
      path.unshift("*");
      depth = above.indent;
      continue;
    }
    // A list may stand as deep as the key it belongs to.
    const mine = path[0] === "*" ? above.own <= depth && !above.dashes : above.own < depth;
    if (!mine) continue;
    path.unshift(above.key);
    depth = above.indent;
    if (above.dashes) path.unshift("*");
    if (depth === 0 && path[0] !== "*") break;
  }
  const level = here ? here.own : listed ? blanks.length : start;
  return { path, ...(here ? { key: here.key } : {}), present: siblings(lines, line, level) };
}

function siblings(lines: string[], line: number, level: number): string[] {
  const found: string[] = [];
  for (const step of [-1, 1]) {
    for (let at = line + step; at >= 0 && at < lines.length; at += step) {
      const text = lines[at] ?? "";
      if (/^---/.test(text)) break;
      const one = readLine(text);
      if (!one) continue;
      if (one.own < level) break;
      if (one.own === level) found.push(one.key);
      if (one.dashes && step < 0 && one.own === level) break;
    }
  }
  return found;
}

export function jsonPlace(text: string, offset: number): Place {
  const stack: Array<{ list: boolean; key?: string; keys: string[]; value: boolean }> = [];
  let at = 0;
  while (at < offset) {
    const sign = text[at];
    const top = stack.at(-1);
    if (sign === "/" && text[at + 1] === "/") {
      at = text.indexOf("\n", at);
      if (at < 0) break;
    } else if (sign === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"' && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
      if (end >= offset) break;
      if (top && !top.list && !top.value) {
        top.key = text.slice(at + 1, end);
        top.keys.push(top.key);
      }
      at = end;
    } else if (sign === "{" || sign === "[") stack.push({ list: sign === "[", keys: [], value: false });
    else if (sign === "}" || sign === "]") stack.pop();
    else if (sign === ":" && top) top.value = true;
    else if (sign === "," && top) {
      top.value = false;
      top.key = undefined;
    }
    at += 1;
  }
  const top = stack.at(-1);
  const path = stack.slice(0, -1).map((one) => (one.list ? "*" : (one.key ?? "")));
  if (!top) return { path: [], present: [] };
  if (top.list) return { path: [...path, "*"], present: [] };
  return { path, ...(top.value && top.key !== undefined ? { key: top.key } : {}), present: top.keys };
}

function resolve(root: Schema, schema: Schema): Schema {
  let here = schema;
  for (let hops = 0; here.$ref && hops < 16; hops += 1) {
    const parts = here.$ref.replace(/^#\/?/, "").split("/").filter(Boolean);
    let found: unknown = root;
    for (const part of parts) found = (found as Record<string, unknown> | undefined)?.[part];
    const { $ref: _, ...rest } = here;
    here = { ...((found as Schema | undefined) ?? {}), ...rest };
  }
  return here;
}

/** The schema itself and all it may be instead. */
function choices(root: Schema, schema: Schema, depth = 0): Schema[] {
  const here = resolve(root, schema);
  if (depth > 6) return [here];
  const parts = [...(here.anyOf ?? []), ...(here.oneOf ?? []), ...(here.allOf ?? [])];
  return [here, ...parts.flatMap((part) => choices(root, part, depth + 1))];
}

function step(root: Schema, schema: Schema, key: string): Schema[] {
  return choices(root, schema).flatMap((one) => {
    if (key === "*") return one.items ? (Array.isArray(one.items) ? one.items : [one.items]) : [];
    const named = one.properties?.[key];
    if (named) return [named];
    for (const [pattern, matched] of Object.entries(one.patternProperties ?? {}))
      if (new RegExp(pattern).test(key)) return [matched];
    return typeof one.additionalProperties === "object" ? [one.additionalProperties] : [];
  });
}

export function schemasAt(root: Schema, path: string[]): Schema[] {
  let here: Schema[] = [root];
  for (const key of path) here = here.flatMap((one) => step(root, one, key));
  return here;
}

/** `English\n中文`: the half that is read. */
export function described(schema: Schema | undefined, language: "zh" | "en"): string {
  const halves = (schema?.description ?? "").split("\n");
  return (language === "zh" ? halves[1] : halves[0]) ?? halves[0] ?? "";
}

export interface Proposal {
  label: string;
  detail: string;
  kind: "key" | "value";
  /** A map or list follows on the next line. */
  opens?: boolean;
}

export function proposals(root: Schema, place: Place, language: "zh" | "en"): Proposal[] {
  const found = new Map<string, Proposal>();
  if (place.key !== undefined) {
    for (const schema of schemasAt(root, [...place.path, place.key]).flatMap((one) => choices(root, one))) {
      const values = [
        ...(schema.enum ?? []),
        ...(schema.const === undefined ? [] : [schema.const]),
        ...(schema.type === "boolean" ? [true, false] : []),
        ...(schema.examples ?? []).filter((one) => typeof one !== "object"),
      ];
      for (const value of values)
        found.set(String(value), { label: String(value), detail: described(schema, language), kind: "value" });
    }
    return [...found.values()];
  }
  for (const schema of schemasAt(root, place.path).flatMap((one) => choices(root, one))) {
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      if (place.present.includes(key) || found.has(key)) continue;
      const shapes = choices(root, value);
      const opens =
        shapes.every((shape) => !shape.type || shape.type === "object" || shape.type === "array") &&
        shapes.some((shape) => shape.type === "object");
      found.set(key, { label: key, detail: described(resolve(root, value), language), kind: "key", opens });
    }
  }
  return [...found.values()];
}

/** What the key at a place means. */
export function meaning(root: Schema, place: Place, language: "zh" | "en"): string {
  if (place.key === undefined) return "";
  const schema = schemasAt(root, [...place.path, place.key])
    .map((one) => resolve(root, one))
    .find((one) => one.description);
  const example = schema?.examples?.[0];
  const text = described(schema, language);
  return example === undefined
    ? text
    : `${text}\n\n\`${place.key}: ${typeof example === "string" ? example : JSON.stringify(example)}\``;
}
