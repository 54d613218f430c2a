import { useQueries } from "@tanstack/react-query";
import { Button } from "antd";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { jobQuery } from "@/api/jobs";
import type { Node } from "@/api/nodes";
import { useMe } from "@/api/session";
import { bytes } from "@/shared/format/bytes";
import { useSaid } from "@/shared/messages";
import { Icon } from "@/shared/ui/Icon";
import { StateTag } from "@/shared/ui/StateTag";
import { Drain } from "./Drain";
import { NodeState } from "./NodeState";
import { cellState, type Gpu } from "./totals";

const MOST = 20;

/** One machine: what it is, what each GPU does, and what runs on it. */
export function NodePanel({ node, chosen, onClose }: { node: Node; chosen: boolean; onClose?: () => void }) {
  const { t } = useTranslation("nodes");
  const { t: shared } = useTranslation("shared");
  const said = useSaid();
  const me = useMe();
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (chosen) head.current?.focus();
  }, [chosen]);
  const ids = node.jobs.slice(0, MOST);
  const jobs = useQueries({ queries: ids.map((id) => ({ ...jobQuery(id), staleTime: 10_000 })) });
  const labels = Object.entries(node.labels);
  return (
    <section className="card node-panel" aria-label={node.name}>
      <div className="row">
        <h2 ref={head} tabIndex={-1} className="grow cut">
          {node.name}
        </h2>
        {me.administrator && (
          <Drain node={node} jobs={ids.map((id, index) => jobs[index]?.data?.handle ?? id.slice(0, 8))} />
        )}
        {onClose && <Button type="text" aria-label={t("close")} icon={<Icon name="close" />} onClick={onClose} />}
      </div>
      <dl className="facts">
        <dt>{t("state")}</dt>
        <dd>
          <NodeState node={node} />
        </dd>
        <dt>{t("address")}</dt>
        <dd className="mono">{node.address || "–"}</dd>
        {node.runtime && (
          <>
            <dt>{t("runtime")}</dt>
            <dd>{shared(`runtime.${node.runtime}`)}</dd>
          </>
        )}
        <dt>{t("cpus")}</dt>
        <dd className="numbers">{t("core_count", { used: node.cpus_used, all: node.cpus })}</dd>
        <dt>{t("memory")}</dt>
        <dd className="numbers">
          {bytes(node.memory_used)} / {bytes(node.memory)}
        </dd>
        <dt>{t("labels")}</dt>
        <dd>
          {labels.length
            ? labels.map(([key, value]) => <code key={key} className="node-label">{`${key}=${value}`}</code>)
            : "–"}
        </dd>
      </dl>
      {node.warnings.length > 0 && (
        <>
          <h3>{t("warnings")}</h3>
          <ul className="node-warnings">
            {node.warnings.map((message, index) => (
              <li key={message}>
                <Icon name="info" />
                <span>{said({ message, says: node.warnings_says?.[index] })}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {node.gpus.length > 0 && (
        <>
          <h3>{t("gpus_here")}</h3>
          <ul className="gpu-list">
            {node.gpus.map((gpu: Gpu) => (
              <li key={gpu.index}>
                <i className={`gpu-cell gpu-${cellState(node, gpu)}`} aria-hidden="true" />
                <span className="numbers">GPU {gpu.index}</span> {gpu.model || gpu.type}
                {gpu.memory ? ` · ${bytes(gpu.memory)}` : ""} · {t(cellState(node, gpu))}
                {gpu.problem ? <span className="fault"> {said(gpu, "problem")}</span> : null}
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{t("jobs_here")}</h3>
      {!me.administrator ? (
        <p className="quiet">{t("jobs_admin")}</p>
      ) : ids.length === 0 ? (
        <p className="quiet">{t("jobs_none")}</p>
      ) : (
        <ul className="node-jobs">
          {ids.map((id, index) => {
            const job = jobs[index]?.data;
            return (
              <li key={id}>
                {job && <StateTag state={job.state} />}
                <Link to={`/jobs/${id}`} className="cut" title={job?.handle}>
                  {job?.handle ?? id.slice(0, 8)}
                </Link>
                <span className="quiet">{job?.owner}</span>
              </li>
            );
          })}
          {node.jobs.length > MOST && <li className="quiet">{t("jobs_more", { count: node.jobs.length - MOST })}</li>}
        </ul>
      )}
    </section>
  );
}
