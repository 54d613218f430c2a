import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { JobSummary } from "@/api/client";
import { useMe } from "@/api/session";
import { useNodes } from "@/api/nodes";
import { useNow } from "@/shared/hooks/useNow";
import { useSaid } from "@/shared/messages";
import { StateShape } from "@/shared/ui/StateTag";

const LONG = 10 * 60_000;
const DAY = 86_400_000;

/** What somebody should look at: fresh failures, long waits, machines that are unwell. */
export function Attention({ jobs }: { jobs: JobSummary[] }) {
  const { t } = useTranslation("overview");
  const me = useMe();
  const said = useSaid();
  const now = useNow(30_000);
  const nodes = useNodes();
  const failed = jobs
    .filter((job) => job.state === "failed" && now - new Date(job.ended_at ?? 0).getTime() < DAY)
    .slice(0, 4);
  const waiting = jobs
    .filter((job) => job.state === "queued" && now - new Date(job.queued_at).getTime() > LONG)
    .slice(0, 4);
  const unwell = me.administrator ? (nodes.data ?? []).filter((node) => !node.healthy) : [];
  const nothing = failed.length + waiting.length + unwell.length === 0;
  return (
    <section className="card overview-card" aria-labelledby="attention">
      <h2 id="attention">{t("attention")}</h2>
      {nothing && <p className="quiet">{t("nothing_wrong")}</p>}
      <ul className="attention">
        {unwell.map((node) => (
          <li key={node.name}>
            <StateShape state="unknown" />
            <span className="grow">{t("node_unwell", { name: node.name, problem: said(node, "problem") })}</span>
            <Link to="/nodes">{t("look")}</Link>
          </li>
        ))}
        {failed.map((job) => (
          <li key={job.id}>
            <StateShape state="failed" />
            <Link to={`/jobs/${job.id}`} className="cut attention-name" title={job.handle}>
              {job.handle}
            </Link>
            <Link to={`/jobs/${job.id}`}>{t("why")}</Link>
            <span className="attention-why" title={said(job, "reason")}>
              {said(job, "reason")}
            </span>
          </li>
        ))}
        {waiting.map((job) => (
          <li key={job.id}>
            <StateShape state="queued" />
            <Link to={`/jobs/${job.id}`} className="cut attention-name" title={job.handle}>
              {job.handle}
            </Link>
            <Link to={`/jobs/${job.id}`}>{t("why")}</Link>
            <span className="attention-why">{t("waits_long")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
