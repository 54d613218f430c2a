import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { JobSummary } from "@/api/client";
import { recallJson, remember, usePreference } from "@/shared/preferences";
import { JobMenu } from "@/shared/job/JobMenu";
import { Priority } from "@/shared/job/Priority";
import type { JobActions } from "@/shared/job/useJobActions";
import type { GridColumn } from "@/shared/ui/DataGrid";
import { Icon } from "@/shared/ui/Icon";
import { StateTag } from "@/shared/ui/StateTag";
import { Duration, Moment } from "@/shared/ui/Time";

/** Every column a job list can have, in the order they are offered. */
export const columnKeys = [
  "state",
  "name",
  "owner",
  "workspace",
  "tasks",
  "gpus",
  "created",
  "duration",
  "limit",
  "actions",
  "id",
  "priority",
  "attempt",
  "dialect",
  "started",
  "ended",
  "exit_code",
] as const;
export type ColumnKey = (typeof columnKeys)[number];
const usual: ColumnKey[] = ["state", "name", "owner", "workspace", "tasks", "gpus", "created", "duration", "actions"];
const widths: Record<ColumnKey, number> = {
  state: 118,
  name: 172,
  owner: 126,
  workspace: 108,
  tasks: 72,
  gpus: 64,
  created: 106,
  duration: 100,
  limit: 104,
  actions: 92,
  id: 150,
  priority: 80,
  attempt: 70,
  dialect: 110,
  started: 112,
  ended: 112,
  exit_code: 80,
};

interface Kept {
  order: ColumnKey[];
  widths: Partial<Record<ColumnKey, number>>;
}

export interface Columns {
  shown: GridColumn<JobSummary>[];
  order: ColumnKey[];
  setOrder: (order: ColumnKey[]) => void;
  reset: () => void;
  resize: (key: string, width: number) => void;
  title: (key: ColumnKey) => string;
}

/** The columns this person chose, with their widths. */
export function useColumns(actions: JobActions): Columns {
  const { t } = useTranslation("jobs");
  const [text] = usePreference("jobs.columns", "");
  const kept = useMemo<Kept>(() => {
    const read = recallJson<Partial<Kept>>("jobs.columns", {});
    const order = (read.order ?? []).filter((key) => columnKeys.includes(key));
    return { order: order.length ? order : usual, widths: read.widths ?? {} };
    // The text is what recallJson reads.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [text]);
  const keep = useCallback((next: Kept) => remember("jobs.columns", JSON.stringify(next)), []);
  const title = useCallback((key: ColumnKey) => t(`column.${key}`), [t]);
  const shown = useMemo(() => {
    const cells: Record<ColumnKey, Omit<GridColumn<JobSummary>, "key" | "title" | "width">> = {
      state: { cell: (job) => <StateTag state={job.state} /> },
      name: {
        grow: true,
        sort: ["name"],
        cell: (job) => (
          <Link to={`/jobs/${job.id}`} tabIndex={-1} className="cut job-name" title={job.handle}>
            {job.handle}
          </Link>
        ),
      },
      owner: { cell: (job) => <span className="cut">{job.owner}</span> },
      workspace: { cell: (job) => <span className="cut">{job.workspace}</span> },
      tasks: { number: true, cell: (job) => job.tasks },
      gpus: { number: true, cell: (job) => job.gpus || <span className="quiet">–</span> },
      created: { sort: ["newest", "oldest"], cell: (job) => <Moment at={job.created_at} /> },
      duration: { cell: (job) => <Duration from={job.started_at} to={job.ended_at} /> },
      limit: {
        cell: (job) =>
          job.time_limit ? (
            <Duration from={new Date(0).toISOString()} to={new Date(job.time_limit * 1000).toISOString()} />
          ) : (
            <span className="quiet">–</span>
          ),
      },
      actions: {
        cell: (job) => (
          <>
            <Link
              to={`/jobs/${job.id}/logs`}
              tabIndex={-1}
              className="icon-button"
              aria-label={t("log_of", { name: job.handle })}
            >
              <Icon name="log" />
            </Link>
            <JobMenu job={job} actions={actions} />
          </>
        ),
      },
      id: { cell: (job) => <span className="mono cut">{job.id.slice(0, 12)}</span> },
      priority: { cell: (job) => <Priority value={job.priority} /> },
      attempt: { number: true, cell: (job) => job.attempt },
      dialect: { cell: (job) => t(`dialect.${job.dialect}`) },
      started: { cell: (job) => <Moment at={job.started_at} /> },
      ended: { sort: ["ended"], cell: (job) => <Moment at={job.ended_at} /> },
      exit_code: { number: true, cell: (job) => job.exit_code ?? <span className="quiet">–</span> },
    };
    return kept.order.map((key) => ({ key, title: title(key), width: kept.widths[key] ?? widths[key], ...cells[key] }));
    // `actions` is made anew with each draw; what it does never differs.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [kept, t, title]);
  return {
    shown,
    order: kept.order,
    title,
    setOrder: (order) => keep({ ...kept, order }),
    reset: () => remember("jobs.columns", null),
    resize: (key, width) => keep({ ...kept, widths: { ...kept.widths, [key]: Math.round(width) } }),
  };
}
