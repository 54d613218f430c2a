import { ApiError, fetchRaw, type Issue, type Schemas } from "./client";

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

/** A file with faults, which are all there is to say about it. */
function refusalOf(issues: Issue[]): ApiError {
  const message = issues.map((issue) => issue.message).join("; ");
  const says = {
    code: "joined",
    data: { parts: issues.map(({ message: text, says = { code: "plain", data: { text } } }) => says) },
  };
  return new ApiError(400, { code: "invalid", message, says, details: [], request_id: "" });
}

/** A job file in another dialect, and what of it cannot be said there; the reader decides whether that matters. */
export async function convert(text: string, from: Dialect | "", to: Dialect): Promise<Converted> {
  const answer = (await postFile("/api/v1/convert", { format: from, to, lossy: "true" }, text)) as Schemas["Converted"];
  if (answer.text === null) throw refusalOf(answer.issues);
  return { text: answer.text, issues: answer.issues };
}
