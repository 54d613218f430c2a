import { fetchRaw, type Issue } from "./client";

export const dialects = ["native", "openpai-v1", "openpai-v2", "ffdl", "gpu-manager", "volcano", "octopus"] as const;
export type Dialect = (typeof dialects)[number];

export interface Converted {
  text: string;
  issues: Issue[];
}

/** Sends a job file somewhere and reads the answer. */
export async function postFile(
  path: string,
  query: Record<string, string>,
  text: string,
  signal?: AbortSignal,
): Promise<unknown> {
  const address = `${path}?${new URLSearchParams(Object.entries(query).filter(([, value]) => value))}`;
  const headers = { "Content-Type": "application/yaml" };
  return (await fetchRaw(address, { method: "POST", body: text, headers, signal })).json();
}

/** A job file in another dialect, and what of it cannot be said there; the reader decides whether that matters. */
export async function convert(text: string, from: Dialect | "", to: Dialect): Promise<Converted> {
  const answer = (await postFile("/api/v1/convert", { format: from, to, lossy: "true" }, text)) as Partial<Converted>;
  if (typeof answer.text !== "string")
    throw new Error(answer.issues?.map((issue) => issue.message).join("; ") || "no text");
  return { text: answer.text, issues: answer.issues ?? [] };
}
