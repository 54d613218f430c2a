import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job, Role } from "@/api/client";
import { StateShape } from "@/shared/ui/StateTag";

const MOST = 1000;

/** One cell a task: shape and colour of its state; a click opens its log. */
export function TaskStrip({ job, role }: { job: Job; role: Role }) {
  const { t } = useTranslation("shared");
  const tasks = role.tasks;
  return (
    <ul className="strip-cells" aria-label={role.name}>
      {tasks.slice(0, MOST).map((task) => {
        const words = `${task.name}: ${t(`state.${task.state}`)}`;
        return (
          <li key={task.name}>
            <Link to={`/jobs/${job.id}/logs?task=${task.name}`} title={words} aria-label={words} className="strip-cell">
              <StateShape state={task.state} />
            </Link>
          </li>
        );
      })}
      {tasks.length > MOST && <li className="quiet">+{tasks.length - MOST}</li>}
    </ul>
  );
}
