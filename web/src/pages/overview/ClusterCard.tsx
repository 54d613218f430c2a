import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { countsQuery } from "@/api/jobs";
import { bytes } from "@/shared/format/bytes";
import { useNodes } from "@/api/nodes";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";

interface Load {
  name: string;
  used: number;
  total: number;
  text: string;
}

/** How full the machines are, by kind of GPU, and how many wait. */
export function ClusterCard() {
  const { t } = useTranslation("overview");
  const nodes = useNodes(10_000);
  const counts = useQuery(countsQuery);
  const loads: Load[] = [];
  const types = new Map<string, { used: number; total: number }>();
  let cpus = { used: 0, total: 0 };
  let memory = { used: 0, total: 0 };
  for (const node of nodes.data ?? []) {
    for (const gpu of node.gpus) {
      const kind = types.get(gpu.type || "GPU") ?? { used: 0, total: 0 };
      types.set(gpu.type || "GPU", { used: kind.used + (gpu.used ? 1 : 0), total: kind.total + 1 });
    }
    cpus = { used: cpus.used + node.cpus_used, total: cpus.total + node.cpus };
    memory = { used: memory.used + node.memory_used, total: memory.total + node.memory };
  }
  for (const [name, { used, total }] of types) loads.push({ name, used, total, text: `${used}/${total}` });
  loads.push({ name: t("cpus"), ...cpus, text: `${Math.round(cpus.used * 10) / 10}/${cpus.total}` });
  loads.push({ name: t("memory"), ...memory, text: `${bytes(memory.used)} / ${bytes(memory.total)}` });
  return (
    <section className="card overview-card" aria-labelledby="cluster">
      <div className="row">
        <h2 id="cluster" className="grow">
          {t("cluster")}
        </h2>
        <Link to="/nodes">{t("nodes")}</Link>
      </div>
      {nodes.error ? (
        <ErrorFace error={nodes.error} retry={() => void nodes.refetch()} />
      ) : nodes.isPending ? (
        <LoadingFace lines={3} />
      ) : (
        <>
          <dl className="loads numbers">
            {loads.map((load) => (
              <div key={load.name}>
                <dt>{load.name}</dt>
                <dd>{load.text}</dd>
                <dd className="load-place">
                  <span className="load-bar" role="img" aria-label={t("in_use", { name: load.name, text: load.text })}>
                    <span style={{ width: `${load.total ? Math.min(100, (load.used / load.total) * 100) : 0}%` }} />
                  </span>
                </dd>
              </div>
            ))}
          </dl>
          {types.size === 0 && <p className="quiet">{t("no_gpus")}</p>}
          <p className="numbers">
            <Link to="/queue">{t("waiting_jobs", { count: counts.data?.queued ?? 0 })}</Link>
          </p>
        </>
      )}
    </section>
  );
}
