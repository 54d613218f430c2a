import { readFileSync } from "node:fs";
import { join } from "node:path";
import { vi } from "vitest";
import { parse } from "yaml";
import type { Says } from "@/api/client";

interface Media {
  example?: unknown;
}
interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, Media> }>;
}

const file = join(__dirname, "../../../contract/openapi.yaml");
const paths = (parse(readFileSync(file, "utf8")) as { paths: Record<string, Record<string, Operation>> }).paths;

/** The first answer that has an example, and its status. */
function exampleOf({ responses }: Operation): { status: number; example?: unknown } {
  const answers = Object.entries(responses).map(([status, { content }]) => ({
    status: Number(status),
    example: content?.["application/json"]?.example,
  }));
  return answers.find((answer) => answer.example !== undefined) ?? { status: answers[0]?.status ?? 200 };
}

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, operation]) => operation.operationId)
    .map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      fits: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`),
      ...exampleOf(operation),
    })),
);
// A path without a parameter goes before one with: `jobs/counts` is no job.
operations.sort((a, b) => Number(a.fits.source.includes("[^/]+")) - Number(b.fits.source.includes("[^/]+")));

/** The contract's example of what an operation answers. */
export function example<T>(operationId: string): T {
  const found = operations.find((operation) => operation.id === operationId)?.example;
  if (found === undefined) throw new Error(`the contract has no example of ${operationId}`);
  return structuredClone(found) as T;
}

/** What an operation answers in a test, in place of its example; `never`: it is still on its way. */
export type Answer = { status?: number; json?: unknown; text?: string } | "never";

export const refusal = (code: string, message: string, status: number, says: Says = plain(message)): Answer => ({
  status,
  json: { code, message, says, details: [], request_id: "r-1" },
});
const plain = (text: string): Says => ({ code: "plain", data: { text } });

/** A server made of the contract's examples. What was asked of it is in the list that comes back. */
export function serve(answers: Record<string, Answer> = {}): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
    const request =
      typeof input === "string" ? { url: new URL(input, location.origin).href, method: init?.method ?? "GET" } : input;
    const { pathname } = new URL(request.url);
    const operation = operations.find((one) => one.method === request.method && one.fits.test(pathname));
    const id = operation?.id ?? pathname;
    asked.push(id);
    const answer = answers[id] ?? (operation?.example === undefined ? undefined : { json: operation.example });
    if (answer === "never") return new Promise<Response>(() => undefined);
    if (!answer) throw new Error(`${id} has neither an example nor an answer`);
    const { json, text = JSON.stringify(json), status = operation?.status ?? 200 } = answer;
    return new Response(text, {
      status,
      headers: { "Content-Type": json === undefined ? "text/plain" : "application/json" },
    });
  });
  return asked;
}
