import type { TFunction } from "i18next";
import { ApiError, type Issue } from "@/api/client";
import { pointerOf, type Path } from "./job_file";

/** What words a sentence of the server in the reader's language. */
export type Said = (text: string) => string;

/** The fault in the reader's language. */
export function sayFault(t: TFunction<"submit">, said: Said, issue: Issue): string {
  const message = issue.message ?? "";
  const near = /did you mean ([^\s?;]+)/.exec(message)?.[1];
  const key = (issue.pointer ?? "").split("/").at(-1) ?? "";
  if (issue.code === "unknown_key")
    return near ? t("fault.unknown_key_near", { key, near }) : t("fault.unknown_key", { key });
  if (/tab/i.test(message) && /indent|blank|space/i.test(message)) return t("fault.tab");
  if (issue.code === "duplicate_key") return t("fault.duplicate_key", { key });
  return said(message);
}

/** The faults a refusal carries; one without a place when it names none. */
export function faultsOf(error: unknown): Issue[] {
  if (!(error instanceof ApiError)) return [];
  const { details, code, message, says } = error.problem;
  const nowhere = { severity: "error" as const, code: "", pointer: "", path: "", line: 0, column: 1 };
  const placed = details.filter((fault) => fault.message).map((fault) => ({ ...nowhere, ...fault }));
  return placed.length ? placed : [{ ...nowhere, code, message, says }];
}

/** A change that repairs the text at once. */
export interface Fix {
  title: string;
  apply: (text: string) => string;
}

export function fixFor(t: TFunction<"submit">, issue: Issue): Fix | null {
  const near = /did you mean ([^\s?;]+)/.exec(issue.message ?? "")?.[1];
  const line = issue.line ?? 0;
  if (near && line > 0) {
    const wrong = (issue.pointer ?? "").split("/").at(-1)?.replaceAll("~1", "/").replaceAll("~0", "~") ?? "";
    if (wrong)
      return {
        title: t("fix.rename", { near }),
        apply: (text) =>
          text
            .split("\n")
            .map((row, at) => (at === line - 1 ? row.replace(wrong, near) : row))
            .join("\n"),
      };
  }
  if (/tab/i.test(issue.message ?? "") && /indent|blank|space/i.test(issue.message ?? ""))
    return {
      title: t("fix.tabs"),
      apply: (text) => text.replace(/^[ \t]+/gm, (blanks) => blanks.replaceAll("\t", "  ")),
    };
  return null;
}

export const isError = (issue: Issue): boolean => issue.severity !== "warning";

/** What is wrong at a place of the file or below it. */
export function faultsAt(t: TFunction<"submit">, said: Said, issues: Issue[], path: Path): string[] {
  const here = pointerOf(path);
  return issues
    .filter((issue) => isError(issue) && (issue.pointer === here || issue.pointer?.startsWith(`${here}/`)))
    .map((issue) => sayFault(t, said, issue));
}
