import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job, Task } from "@/api/client";
import { CopyText } from "@/shared/ui/CopyText";
import { Icon } from "@/shared/ui/Icon";
import { StateTag } from "@/shared/ui/StateTag";
import { Table, type Column } from "@/shared/ui/Table";
import { Duration, Moment } from "@/shared/ui/Time";
import { TaskStrip } from "./TaskStrip";
import { useTries } from "./api";

/** Every task by role: where it runs, how it ended. Earlier tries below. */
export default function TasksTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const tries = useTries(job.id);
  const current = new Set(job.roles.flatMap((role) => role.tasks ?? []).map((task) => `${job.attempt} ${task.name} ${task.tries}`));
  const earlier = (tries.data ?? []).filter((one) => !current.has(`${one.attempt} ${one.name} ${one.tries}`));
  const first = job.decision?.task;
  const columns = (attempt?: boolean): Column<Task & { attempt?: number }>[] => [
    {
      key: "name",
      title: t("task"),
      cell: (task) => (
        <span>
          {task.name} {task.name === first && job.state === "failed" && !attempt && <span className="flag">{t("first_failure")}</span>}
        </span>
      ),
    },
    ...(attempt ? [{ key: "attempt", title: t("attempt_column"), number: true, cell: (task: Task & { attempt?: number }) => `${(task.attempt ?? 0) + 1}.${(task.tries ?? 0) + 1}` }] : []),
    { key: "state", title: t("state"), cell: (task) => <StateTag state={task.state ?? "unknown"} /> },
    { key: "node", title: t("node"), cell: (task) => task.node ?? "–" },
    { key: "address", title: "IP", cell: (task) => (task.address ? <CopyText text={task.address} /> : "–") },
    { key: "gpus", title: t("gpu_numbers"), wideOnly: true, cell: (task) => task.gpus?.join(", ") || "–" },
    {
      key: "ports",
      title: t("ports"),
      wideOnly: true,
      cell: (task) =>
        Object.entries(task.ports ?? {})
          .map(([label, numbers]) => `${label} ${numbers.join(",")}`)
          .join(" · ") || "–",
    },
    { key: "exit", title: t("exit_code"), number: true, cell: (task) => task.exit_code ?? "–" },
    { key: "why", title: t("exit_reason"), cell: (task) => task.message || "–" },
    { key: "started", title: t("started"), wideOnly: true, cell: (task) => <Moment at={task.started_at} /> },
    { key: "took", title: t("took"), cell: (task) => <Duration from={task.started_at} to={task.ended_at} /> },
    {
      key: "log",
      title: t("log"),
      cell: (task) => (
        <Link to={`/jobs/${job.id}/logs?task=${task.name}${attempt ? `&attempt=${task.attempt}` : ""}`} className="icon-button" aria-label={t("log_of", { name: task.name })}>
          <Icon name="log" />
        </Link>
      ),
    },
  ];
  return (
    <>
      {job.roles.map((role) => {
        const tasks = role.tasks ?? [];
        return (
          <section key={role.name} className="role-block" aria-label={role.name}>
            <div className="row role-head">
              <h2>{role.name}</h2>
              <span className="quiet">{t("task_count", { count: role.count })}</span>
            </div>
            {tasks.length > 1 && <TaskStrip job={job} role={role} />}
            {tasks.length > 0 ? (
              <Table label={t("tasks_of", { role: role.name })} rows={tasks} rowKey={(task) => task.name ?? ""} columns={columns()} />
            ) : (
              <p className="quiet">{t("not_placed")}</p>
            )}
          </section>
        );
      })}
      {earlier.length > 0 && (
        <section className="role-block" aria-label={t("earlier")}>
          <h2>{t("earlier")}</h2>
          <Table label={t("earlier")} rows={earlier} rowKey={(one) => `${one.attempt} ${one.name} ${one.tries}`} columns={columns(true)} />
        </section>
      )}
    </>
  );
}
