// Between what a job file may write in several ways and what one form field shows. A reader answers null for a spelling
// the form cannot show; that part stays in the editor.

export interface Gpus {
  count: number;
  type: string;
}

export function readGpus(value: unknown): Gpus | null {
  if (value === undefined || value === null) return { count: 0, type: "" };
  if (typeof value === "number") return { count: value, type: "" };
  if (typeof value === "string") {
    const [first = "", second] = value.split(":");
    if (/^\d+$/.test(first)) return { count: Number(first), type: "" };
    return { count: second === undefined ? 1 : Number(second), type: first };
  }
  const { count = 1, type } = value as { count?: unknown; type?: unknown };
  if (typeof count !== "number" || Array.isArray(type)) return null;
  return { count, type: typeof type === "string" ? type : "" };
}

export function writeGpus({ count, type }: Gpus): unknown {
  if (!count) return undefined;
  return type ? `${type}:${count}` : count;
}

export interface Pair {
  key: string;
  value: string;
}

/** A map of plain values as rows; a list of names gives rows without values. */
export function readPairs(value: unknown): Pair[] | null {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value))
    return value.every((one) => typeof one === "string")
      ? value.map((key) => ({ key: key as string, value: "" }))
      : null;
  if (typeof value !== "object") return null;
  const rows: Pair[] = [];
  for (const [key, one] of Object.entries(value)) {
    if (one !== null && typeof one === "object") return null;
    rows.push({ key, value: one === null ? "" : String(one) });
  }
  return rows;
}

export function writePairs(rows: Pair[]): unknown {
  const kept = rows.filter((row) => row.key.trim());
  return kept.length ? Object.fromEntries(kept.map((row) => [row.key.trim(), row.value])) : undefined;
}

/** Tags: `nlp`, `team=vision`. */
export function readTags(value: unknown): string[] | null {
  return readPairs(value)?.map((row) => (row.value ? `${row.key}=${row.value}` : row.key)) ?? null;
}

export function writeTags(tags: string[]): unknown {
  const rows = tags.map((tag) => tag.split("=")).map(([key = "", ...rest]) => ({ key, value: rest.join("=") }));
  if (rows.length && rows.every((row) => !row.value)) return rows.map((row) => row.key);
  return writePairs(rows);
}

export interface PortRow {
  label: string;
  /** Empty: any free one. */
  first: string;
  count: number;
}

export function readPorts(value: unknown): PortRow[] | null {
  if (value === undefined || value === null) return [];
  const entries: Array<[string, unknown]> = Array.isArray(value)
    ? value.map((port) => [String(port), port])
    : typeof value === "object"
      ? Object.entries(value)
      : [[String(value), value]];
  const rows: PortRow[] = [];
  for (const [label, port] of entries) {
    if (typeof port === "number") rows.push({ label, first: String(port), count: 1 });
    else if (port === "any") rows.push({ label, first: "", count: 1 });
    else if (typeof port === "object" && port !== null && !Array.isArray(port)) {
      const { first, count } = port as { first?: unknown; count?: unknown };
      rows.push({
        label,
        first: typeof first === "number" ? String(first) : "",
        count: typeof count === "number" ? count : 1,
      });
    } else return null;
  }
  return rows;
}

export function writePorts(rows: PortRow[]): unknown {
  const kept = rows.filter((row) => row.label.trim() || row.first);
  if (!kept.length) return undefined;
  return Object.fromEntries(
    kept.map((row) => {
      const first = /^\d+$/.test(row.first) ? Number(row.first) : undefined;
      const value =
        row.count > 1 ? (first === undefined ? { count: row.count } : { first, count: row.count }) : (first ?? "any");
      return [row.label.trim() || row.first, value];
    }),
  );
}

export interface MountRow {
  from: string;
  to: string;
  readOnly: boolean;
}

export function readMounts(value: unknown): MountRow[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return null;
  const rows: MountRow[] = [];
  for (const one of value) {
    if (typeof one === "string") {
      const readOnly = one.endsWith(":ro");
      const rest = one.replace(/:(ro|rw)$/, "");
      const cut = rest.lastIndexOf(":/");
      rows.push({ from: cut > 0 ? rest.slice(0, cut) : rest, to: cut > 0 ? rest.slice(cut + 1) : "", readOnly });
    } else if (typeof one === "object" && one !== null && typeof (one as { from?: unknown }).from === "string") {
      const { from, to, read_only } = one as { from: string; to?: string; read_only?: boolean };
      rows.push({ from, to: to ?? "", readOnly: read_only === true });
    } else return null;
  }
  return rows;
}

export function writeMounts(rows: MountRow[]): unknown {
  const kept = rows.filter((row) => row.from.trim() || row.to.trim());
  return kept.length ? kept.map((row) => `${row.from.trim()}:${row.to.trim()}${row.readOnly ? ":ro" : ""}`) : undefined;
}

/** `--key=value` arguments as rows; anything else is a row without a value. */
export function readArgs(value: unknown): Pair[] | null {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((one) => typeof one === "object")) return null;
  return value.map(String).map((argument) => {
    const named = /^--([^=]+)=([\s\S]*)$/.exec(argument);
    return named ? { key: named[1] ?? "", value: named[2] ?? "" } : { key: "", value: argument };
  });
}

export function writeArgs(rows: Pair[]): unknown {
  const kept = rows.filter((row) => row.key.trim() || row.value);
  return kept.length ? kept.map((row) => (row.key.trim() ? `--${row.key.trim()}=${row.value}` : row.value)) : undefined;
}

/** A count, a word such as `any`, or nothing. */
export function writeNumberOrWord(text: string): unknown {
  const clean = text.trim();
  if (!clean) return undefined;
  return /^-?\d+(\.\d+)?$/.test(clean) ? Number(clean) : clean;
}
