/** A message as a value: its code and what stands in its sentence. docs/reference/messages.md lists them. */
export interface Says {
  code: string;
  data: Record<string, unknown>;
}

const MOST = 5000;
/** By the English sentence beside it: what is shown of an answer is often the sentence alone. */
const known = new Map<string, Says>();

const isSays = (value: unknown): value is Says =>
  typeof value === "object" && value !== null && typeof (value as Says).code === "string" && "data" in value;

function keep(text: unknown, says: unknown): void {
  if (typeof text !== "string" || !text || !isSays(says)) return;
  known.delete(text);
  known.set(text, says);
  if (known.size > MOST) known.delete(known.keys().next().value ?? "");
}

/** Takes the messages out of an answer or event of the server: `says` beside `message`, `X_says` beside `X`, statements. */
export function remember(answer: unknown): void {
  if (Array.isArray(answer)) {
    for (const one of answer) remember(one);
    return;
  }
  if (typeof answer !== "object" || answer === null) return;
  const fields = answer as Record<string, unknown>;
  keep(fields.message, fields.says);
  if (typeof fields.text === "string" && isSays(fields)) keep(fields.text, { code: fields.code, data: fields.data });
  for (const [key, value] of Object.entries(fields)) {
    if (key.endsWith("_says")) {
      const beside = fields[key.slice(0, -"_says".length)];
      if (Array.isArray(beside) && Array.isArray(value)) beside.forEach((text, index) => keep(text, value[index]));
      else keep(beside, value);
    } else if (key !== "says") remember(value);
  }
}

export const remembered = (text: string): Says | undefined => known.get(text);
