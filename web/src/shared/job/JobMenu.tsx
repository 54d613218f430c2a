import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import type { JobSummary } from "@/api/client";
import { useMe } from "@/api/session";
import { Icon } from "@/shared/ui/Icon";
import { LINE, Menu, type MenuItem } from "@/shared/ui/Menu";
import { hasEnded, mayStop } from "./states";
import type { JobActions } from "./useJobActions";

/** May this person change this job? The server decides; the page only keeps from offering what will be refused. */
export function useMayChange(): (job: Pick<JobSummary, "owner" | "workspace">) => boolean {
  const me = useMe();
  return (job) =>
    Boolean(me.administrator) ||
    job.owner === me.name ||
    me.workspaces.some((workspace) => workspace.name === job.workspace && workspace.role === "manager");
}

export function JobMenu({
  job,
  actions,
  onRemoved,
  label,
}: {
  job: JobSummary;
  actions: JobActions;
  onRemoved?: () => void;
  label?: string;
}) {
  const { t } = useTranslation("shared");
  const navigate = useNavigate();
  const mine = useMayChange()(job);
  const ended = hasEnded(job.state);
  const reason = mine ? undefined : t("action.not_yours");
  const items: Array<MenuItem | typeof LINE> = [
    { key: "log", label: t("action.log"), onClick: () => navigate(`/jobs/${job.id}/logs`) },
    { key: "clone", label: t("action.clone"), onClick: () => actions.clone(job) },
    {
      key: "retry",
      label: t("action.retry"),
      disabled: !ended,
      title: ended ? undefined : t("action.not_ended"),
      onClick: () => actions.retry(job),
    },
    LINE,
    job.state === "paused"
      ? { key: "resume", label: t("action.resume"), disabled: !mine, title: reason, onClick: () => actions.resume(job) }
      : {
          key: "pause",
          label: t("action.pause"),
          disabled: !mine || !mayStop(job.state),
          title: reason ?? (ended ? t("action.ended") : undefined),
          onClick: () => actions.pause(job),
        },
    {
      key: "limit",
      label: t("action.limit"),
      disabled: !mine || ended,
      title: reason ?? (ended ? t("action.ended") : undefined),
      onClick: () => actions.setLimit(job),
    },
    {
      key: "stop",
      label: t("action.stop"),
      danger: true,
      disabled: !mine || !mayStop(job.state),
      title: reason ?? (ended ? t("action.ended") : undefined),
      onClick: () => actions.stop(job),
    },
    {
      key: "remove",
      label: t(ended ? "action.remove" : "action.stop_and_remove"),
      danger: true,
      disabled: !mine,
      title: reason,
      onClick: () => actions.remove(job, onRemoved),
    },
    LINE,
    { key: "command", label: t("action.command"), onClick: () => actions.copyCommand(job) },
  ];
  return (
    <Menu items={items}>
      <button
        type="button"
        className="icon-button"
        aria-label={label ?? t("action.menu", { name: job.handle })}
        title={t("action.more")}
      >
        <Icon name="more" size={18} />
      </button>
    </Menu>
  );
}
