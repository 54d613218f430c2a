import type { TFunction } from "i18next";
import { ApiError, type Issue } from "@/api/client";
import type { Said } from "@/shared/messages";
import { pointerOf, type Path } from "./job_file";

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
  const { line, pointer } = issue;
  const { code = "", data = {} } = issue.says ?? {};
  if (code === "unknown_key_near" && line > 0) {
    const near = String(data.near);
    const wrong = pointer.split("/").at(-1)?.replaceAll("~1", "/").replaceAll("~0", "~");
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
  if (code.startsWith("tab_indents"))
    return {
      title: t("fix.tabs"),
      apply: (text) => text.replace(/^[ \t]+/gm, (blanks) => blanks.replaceAll("\t", "  ")),
    };
  return null;
}

export const isError = (issue: Issue): boolean => issue.severity !== "warning";

/** What is wrong at a place of the file or below it. */
export function faultsAt(said: Said, issues: Issue[], path: Path): string[] {
  const here = pointerOf(path);
  return issues
    .filter((issue) => isError(issue) && (issue.pointer === here || issue.pointer.startsWith(`${here}/`)))
    .map((issue) => said(issue));
}
