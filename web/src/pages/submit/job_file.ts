import { Document, isMap, isScalar, isSeq, parseAllDocuments, parseDocument, YAMLMap } from "yaml";

/** Where a value stands in a job file: `["roles", "worker", "gpus"]`. */
export type Path = ReadonlyArray<string | number>;

/** Keys that describe a role; at the top level they are the only role's, or defaults for all. */
export const roleKeys = [
  "image",
  "run",
  "args",
  "workdir",
  "count",
  "min_count",
  "cpus",
  "memory",
  "shm",
  "gpus",
  "devices",
  "ports",
  "code",
  "data",
  "model",
  "output",
  "mounts",
  "env",
  "restart",
  "after",
  "main",
  "fail_when",
  "done_when",
  "rank",
  "network",
  "node_labels",
  "caps",
  "task_limit",
  "sku",
];

const read = (text: string): Document => parseDocument(text, { keepSourceTokens: false, uniqueKeys: false });
export const looksLikeJson = (text: string): boolean =>
  /^\s*[{[]/.test(text.replace(/^(\s*\/\/[^\n]*\n|\s*\/\*[\s\S]*?\*\/)+/, ""));

function write(doc: Document, json: boolean): string {
  if (json) return `${JSON.stringify(doc.toJS(), null, 2)}\n`;
  return doc.toString({ lineWidth: 0, blockQuote: "literal", flowCollectionPadding: true });
}

export interface RoleView {
  name: string;
  /** Where its keys are written. */
  at: Path;
}

/** A native job file as the form sees it. Comments and the order of what is not touched are kept. */
export interface JobFile {
  text: string;
  /** What the text says, as plain values; null while it is no map. */
  value: Record<string, unknown> | null;
  documents: number;
  roles: RoleView[];
}

export function openFile(text: string): JobFile {
  let value: unknown = null;
  let documents = 1;
  try {
    documents = Math.max(1, parseAllDocuments(text).length);
    const doc = read(text);
    if (doc.errors.length === 0) value = doc.toJS({ maxAliasCount: 100 });
  } catch {
    value = null;
  }
  const map =
    typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  const named = map?.roles;
  const roles: RoleView[] =
    typeof named === "object" && named !== null && !Array.isArray(named)
      ? Object.keys(named).map((name) => ({ name, at: ["roles", name] }))
      : [{ name: "main", at: [] }];
  return { text, value: map, documents, roles };
}

export function valueAt(file: JobFile, path: Path): unknown {
  let here: unknown = file.value;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[step];
  }
  return here;
}

/** A role's own value, else the default written at the top level. */
export function roleValue(file: JobFile, role: RoleView, key: string): unknown {
  const own = valueAt(file, [...role.at, key]);
  return own === undefined && role.at.length ? valueAt(file, [key]) : own;
}

export const pointerOf = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** The text with one value changed; undefined takes it away. */
export function withValue(text: string, path: Path, value: unknown): string {
  const json = looksLikeJson(text);
  const doc = read(text);
  if (!isMap(doc.contents)) doc.contents = new YAMLMap() as unknown as typeof doc.contents;
  if (value === undefined) {
    doc.deleteIn(path);
    dropEmptyParents(doc, path);
  } else {
    const old = doc.getIn(path, true);
    // A scalar keeps its comment and place when only its value changes.
    if (isScalar(old) && (typeof value !== "object" || value === null)) {
      old.value = value;
      delete old.source;
      if (typeof value === "string" && value.includes("\n")) old.type = "BLOCK_LITERAL";
      else if (old.type === "BLOCK_LITERAL" || old.type === "BLOCK_FOLDED" || typeof value !== "string")
        delete old.type;
    } else {
      doc.setIn(path, doc.createNode(value));
    }
  }
  if (isMap(doc.contents) && doc.contents.items.length > 0) doc.contents.flow = false;
  return write(doc, json);
}

function dropEmptyParents(doc: Document, path: Path): void {
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const above = doc.getIn(path.slice(0, depth), true);
    if (
      (!isMap(above) && !isSeq(above)) ||
      above.items.length > 0 ||
      path[depth - 1] === "roles" ||
      path[depth - 2] === "roles"
    )
      return;
    doc.deleteIn(path.slice(0, depth));
  }
}

/** One more role. The keys of a file without roles become those of `main`. */
export function withRole(text: string, name: string, values: Record<string, unknown>): string {
  const json = looksLikeJson(text);
  const doc = read(text);
  if (!isMap(doc.contents)) doc.contents = new YAMLMap() as unknown as typeof doc.contents;
  const top = doc.contents as unknown as YAMLMap;
  if (!doc.has("roles")) {
    const first = new YAMLMap();
    for (const pair of [...top.items]) {
      const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
      if (!roleKeys.includes(key)) continue;
      top.items.splice(top.items.indexOf(pair), 1);
      first.items.push(pair);
    }
    const roles = new YAMLMap();
    roles.set("main", first);
    doc.set("roles", roles);
  }
  doc.setIn(["roles", name], doc.createNode(values));
  return write(doc, json);
}

export function withoutRole(text: string, name: string): string {
  return withValue(text, ["roles", name], undefined);
}

export function withRoleName(text: string, from: string, to: string): string {
  const json = looksLikeJson(text);
  const doc = read(text);
  const roles = doc.get("roles");
  if (!isMap(roles)) return renameOnly(text, to);
  for (const pair of roles.items) {
    if (String(isScalar(pair.key) ? pair.key.value : pair.key) !== from) continue;
    if (isScalar(pair.key)) pair.key.value = to;
    else pair.key = doc.createNode(to);
  }
  return write(doc, json);
}

/** A file without roles whose only role gets a name of its own. */
function renameOnly(text: string, to: string): string {
  const helper = `${to}-`;
  return withRoleName(withoutRole(withRole(text, helper, {}), helper), "main", to);
}

/** The same file in the other spelling. Comments do not survive JSON. */
export function respelled(text: string, to: "json" | "yaml"): string {
  const doc = read(text);
  if (to === "json") return `${JSON.stringify(doc.toJS(), null, 2)}\n`;
  return new Document(doc.toJS()).toString({ lineWidth: 0, blockQuote: "literal" });
}

export const hasComments = (text: string): boolean => /(^|\s)(#|\/\/)/m.test(text);

/** `mnist-3` after `mnist-2`, `mnist-2` after `mnist`. */
export function nextName(name: string): string {
  const numbered = /^(.*?)([-_])(\d{1,6})$/.exec(name);
  return numbered ? `${numbered[1]}${numbered[2]}${Number(numbered[3]) + 1}` : `${name}-2`;
}

/** What must not lie in a browser's storage: values that a name calls secret. */
export function withoutSecrets(text: string): string {
  return text.replace(
    /^(.*?["']?[\w.-]*(?:password|passwd|secret|token|credential|api_?key)[\w.-]*["']?\s*[:=]\s*)(["']?)([^\s"'[{,#][^"'\n,]*)(["']?)/gim,
    "$1$2$4",
  );
}
