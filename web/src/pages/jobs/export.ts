import { saveText } from "@/shared/copy";
import { csvCell } from "@/shared/format/csv";
import { fetchPage, type ListQuery } from "./api";

const fields = [
  "id",
  "handle",
  "owner",
  "workspace",
  "dialect",
  "state",
  "reason",
  "exit_code",
  "priority",
  "attempt",
  "tasks",
  "gpus",
  "created_at",
  "started_at",
  "ended_at",
  "time_limit",
] as const;
const MOST = 100_000;

/** Everything the filters let through, page after page, as a CSV file. */
export async function exportCsv(query: ListQuery, t: (key: string) => string): Promise<void> {
  const lines = [fields.join(",")];
  for (let cursor = ""; lines.length < MOST;) {
    const page = await fetchPage(query, cursor, 500);
    for (const job of page.jobs) lines.push(fields.map((field) => csvCell(job[field])).join(","));
    cursor = page.next_cursor;
    if (!cursor) break;
  }
  // Spreadsheets need the mark to see that it is UTF-8.
  saveText(`${t("file_name")}.csv`, `\ufeff${lines.join("\r\n")}\r\n`, "text/csv");
}
