import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job, Task } from "@/api/client";
import { useSaid } from "@/shared/messages";
import { CopyText } from "@/shared/ui/CopyText";
import { Face } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";
import { StateTag } from "@/shared/ui/StateTag";
import { Table, type Column } from "@/shared/ui/Table";
import { Duration, Moment } from "@/shared/ui/Time";
import { TaskStrip } from "./TaskStrip";
import { useTries } from "./api";

/** Every task by role: where it runs, how it ended. Earlier tries below. */
export default function TasksTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  const tries = useTries(job.id);
  const current = new Set(
    job.roles.flatMap((role) => role.tasks).map((task) => `${job.attempt} ${task.name} ${task.tries}`),
  );
  const earlier = (tries.data ?? []).filter((one) => !current.has(`${one.attempt} ${one.name} ${one.tries}`));
  const first = job.decision?.task;
  const present = job.roles.flatMap((role) => role.tasks);
  // A column that says nothing about anybody would only take room.
  const told = [...present, ...earlier].some((task) => task.message);
  const columns = (attempt?: boolean): Column<Task & { attempt?: number }>[] => [
    {
      key: "name",
      title: t("task"),
      narrow: true,
      head: true,
      cell: (task) => (
        <span>
          {task.name}{" "}
          {task.name === first && job.state === "failed" && !attempt && (
            <span className="flag">{t("first_failure")}</span>
          )}
        </span>
      ),
    },
    ...(attempt
      ? [
          {
            key: "attempt",
            title: t("attempt_column"),
            number: true,
            cell: (task: Task & { attempt?: number }) => `${(task.attempt ?? 0) + 1}.${task.tries + 1}`,
          },
        ]
      : []),
    { key: "state", title: t("state"), narrow: true, cell: (task) => <StateTag state={task.state} /> },
    { key: "node", title: t("node"), narrow: true, cell: (task) => task.node ?? "–" },
    {
      key: "address",
      title: "IP",
      narrow: true,
      wideOnly: true,
      cell: (task) => (task.address ? <CopyText text={task.address} /> : "–"),
    },
    ...(job.gpus > 0
      ? [
          {
            key: "gpus",
            title: t("gpu_numbers"),
            wideOnly: true,
            narrow: true,
            cell: (task: Task) => task.gpus.join(", ") || "–",
          },
        ]
      : []),
    {
      key: "ports",
      title: t("ports"),
      wideOnly: true,
      cell: (task) =>
        Object.entries(task.ports)
          .map(([label, numbers]) => `${label} ${numbers.join(",")}`)
          .join(" · ") || "–",
    },
    { key: "exit", title: t("exit_code"), number: true, cell: (task) => task.exit_code ?? "–" },
    ...(told ? [{ key: "why", title: t("exit_reason"), cell: (task: Task) => said(task) || "–" }] : []),
    {
      key: "started",
      title: t("started"),
      wideOnly: true,
      narrow: true,
      cell: (task) => <Moment at={task.started_at} />,
    },
    {
      key: "took",
      title: t("took"),
      narrow: true,
      cell: (task) => <Duration from={task.started_at} to={task.ended_at} />,
    },
    {
      key: "log",
      title: t("log"),
      cell: (task) => (
        <Link
          to={`/jobs/${job.id}/logs?task=${task.name}${attempt ? `&attempt=${task.attempt}` : ""}`}
          className="icon-button"
          aria-label={t("log_of", { name: task.name })}
        >
          <Icon name="log" />
        </Link>
      ),
    },
  ];
  return (
    <>
      {present.length > 0 ? (
        <Table
          label={t("tab.tasks")}
          rowKey={(task) => task.name}
          columns={columns()}
          groups={job.roles.map((role) => ({
            key: role.name,
            rows: role.tasks,
            title: (
              <div className="role-head">
                <h2>{role.name}</h2>
                <span className="quiet">{t("task_count", { count: role.count })}</span>
                {role.tasks.length > 1 && <TaskStrip job={job} role={role} />}
              </div>
            ),
          }))}
        />
      ) : (
        <div className="card">
          <Face icon="clock" title={t("not_placed")} actions={<Link to={`/jobs/${job.id}`}>{t("why.waiting")}</Link>} />
        </div>
      )}
      {earlier.length > 0 && (
        <section className="role-block" aria-label={t("earlier")}>
          <h2>{t("earlier")}</h2>
          <Table
            label={t("earlier")}
            rows={earlier}
            rowKey={(one) => `${one.attempt} ${one.name} ${one.tries}`}
            columns={columns(true)}
          />
        </section>
      )}
    </>
  );
}
