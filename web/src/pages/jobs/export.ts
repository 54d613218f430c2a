import { api, type JobSummary } from "@/api/client";
import { saveText } from "@/shared/copy";
import { csvCell } from "@/shared/format/csv";

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
export async function exportCsv(query: Record<string, string>, t: (key: string) => string): Promise<void> {
  const lines = [fields.join(",")];
  for (let cursor = ""; lines.length < MOST;) {
    const { data } = await api.GET("/api/v1/jobs", {
      params: { query: { ...query, limit: 500, cursor: cursor || undefined } as never },
    });
    for (const job of (data?.jobs ?? []) as JobSummary[])
      lines.push(fields.map((field) => csvCell(job[field])).join(","));
    cursor = data?.next_cursor ?? "";
    if (!cursor) break;
  }
  // Spreadsheets need the mark to see that it is UTF-8.
  saveText(`${t("file_name")}.csv`, `\ufeff${lines.join("\r\n")}\r\n`, "text/csv");
}
