import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];
export type Job = Schemas["Job"];
export type JobSummary = Schemas["JobSummary"];
export type JobState = Schemas["JobState"];
export type Task = Schemas["Task"];
export type TaskState = Schemas["TaskState"];
export type Role = Schemas["Role"];
export type Why = Schemas["Why"];
export type Issue = Schemas["Issue"];
export type Me = Schemas["Me"];
export type Problem = Schemas["Problem"];
/** A message as a value: its code and what stands in its sentence. docs/reference/messages.md lists them. */
export type Says = Schemas["Says"];

/** A problem in words that are not the server's own. */
const problemOf = (code: Problem["code"], message: string, request_id = ""): Problem => ({
  code,
  message,
  says: { code: "plain", data: { text: message } },
  details: [],
  request_id,
});

/** Every refusal and every lost connection, in one shape. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message);
    this.name = "ApiError";
  }
  /** The server could not be reached. */
  static offline(why: unknown): ApiError {
    const message = why instanceof Error ? why.message : String(why);
    return new ApiError(0, problemOf("unavailable", message));
  }
  get code(): Problem["code"] | "offline" {
    return this.status === 0 ? "offline" : this.problem.code;
  }
  get says(): Says {
    return this.problem.says;
  }
  get requestId(): string {
    return this.problem.request_id;
  }
}

let whenSessionEnds: (() => void) | null = null;
/** Called when the server no longer knows who we are. */
export function onSessionEnd(listener: () => void): void {
  whenSessionEnds = listener;
}

let held: Array<() => void> = [];
/** Somebody has signed in again: what was held up meanwhile goes on. */
export function sessionIsBack(): void {
  const waiting = held;
  held = [];
  for (const go of waiting) go();
}

/** What people do waits for a new session; what is only looked at is asked for anew once there is one. */
const waits = (request: Request): boolean =>
  request.method !== "GET" && !/\/api\/v1\/(login|logout|password)$/.test(new URL(request.url).pathname);

async function send(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw ApiError.offline(error);
  }
}

/** `again` makes the same request once more; a body that was sent cannot be sent twice. */
async function reach(request: Request, again: () => Request): Promise<Response> {
  const answer = await send(request);
  if (answer.status !== 401 || !whenSessionEnds || !waits(request)) return answer;
  whenSessionEnds();
  await new Promise<void>((go) => held.push(go));
  return send(again());
}

/** Turns an answer that is no success into the error it means. */
export async function refusal(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => null)) as Problem | null;
  if (response.status === 401) whenSessionEnds?.();
  return new ApiError(
    response.status,
    problem?.code ? problem : problemOf("internal", response.statusText, response.headers.get("X-Request-Id") ?? ""),
  );
}

export const api = createClient<paths>({
  baseUrl: location.origin,
  fetch: (request: Request) => {
    const copy = request.clone();
    return reach(request, () => copy);
  },
});
api.use({
  async onResponse({ response }) {
    if (!response.ok) throw await refusal(response);
    return response;
  },
});

/** For what is not JSON: logs and job files. */
export async function fetchText(path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetchRaw(path, init);
  return response.text();
}

export async function fetchRaw(path: string, init: RequestInit = {}): Promise<Response> {
  const make = () => new Request(new URL(path, location.origin), init);
  const response = await reach(make(), make);
  if (!response.ok) throw await refusal(response);
  return response;
}

/** A key that makes a repeated submit answer the same job. `crypto.randomUUID` is missing on plain http addresses. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
