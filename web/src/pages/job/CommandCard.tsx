import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { Job } from "@/api/client";
import { commandOf } from "@/shared/job/spec";
import { useMeaning } from "./api";

/** What every role runs, as a shell would be told it. */
export function CommandCard({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const spec = useMeaning(job.id);
  if (!spec.data) return null;
  const { roles } = spec.data;
  return (
    <section className="card panel tail" aria-label={t("command")}>
      <div className="row">
        <h2 className="grow">{t("command")}</h2>
        <Link to={`/jobs/${job.id}/config`}>{t("open_config")}</Link>
      </div>
      {roles.map((role) => (
        <div key={role.name} className="command">
          {roles.length > 1 && <h3>{role.name}</h3>}
          <pre tabIndex={0} aria-label={`${t("command")} ${role.name}`}>
            {commandOf(role).trimEnd() || t("image_command")}
          </pre>
        </div>
      ))}
    </section>
  );
}
