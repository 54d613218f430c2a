import { Button, Input, Modal, Progress } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobSummary } from "@/api/client";
import { jobApi } from "@/api/jobs";
import { thrown, useSaid } from "@/shared/messages";
import { forEachJob, type Outcome } from "./actions";
import { secondsOf } from "./limit_words";
import { hasEnded, mayStop } from "./states";
import type { BulkVerb } from "./useJobActions";

const able: Record<BulkVerb, (job: JobSummary) => boolean> = {
  stop: (job) => mayStop(job.state),
  remove: (job) => hasEnded(job.state),
  limit: (job) => !hasEnded(job.state),
};

/** Above this many, the number is typed: one click must not undo a week. */
const TYPED = 20;

/** Many jobs at once: first what would happen, then how far it is, then how each went. */
export default function BulkDialog({
  verb,
  jobs,
  onClose,
}: {
  verb: BulkVerb;
  jobs: JobSummary[];
  onClose: () => void;
}) {
  const { t } = useTranslation("shared");
  const said = useSaid();
  const [limit, setLimit] = useState("12h");
  const [typed, setTyped] = useState("");
  const [done, setDone] = useState<number | null>(null);
  const [outcomes, setOutcomes] = useState<Outcome[] | null>(null);
  const [targets, setTargets] = useState(() => jobs.filter(able[verb]));
  const left = useMemo(() => jobs.filter((job) => !able[verb](job)), [jobs, verb]);
  const failed = outcomes?.filter((outcome) => outcome.error) ?? [];
  const act = (job: JobSummary): Promise<unknown> => {
    if (verb === "stop") return jobApi.stop(job.id);
    if (verb === "remove") return jobApi.remove(job.id);
    return jobApi.limit(job.id, limit);
  };
  const run = async (chosen: JobSummary[]) => {
    setTargets(chosen);
    setDone(0);
    setOutcomes(await forEachJob(chosen, act, setDone));
  };
  const confirmed = verb !== "remove" || targets.length <= TYPED || typed === String(targets.length);
  const ready = targets.length > 0 && confirmed && (verb !== "limit" || secondsOf(limit) !== null);
  return (
    <Modal
      open
      title={t(`bulk.${verb}`)}
      onCancel={onClose}
      mask={{ closable: done === null }}
      footer={
        outcomes ? (
          <>
            {failed.length > 0 && (
              <Button onClick={() => void run(failed.map((outcome) => outcome.job))}>
                {t("bulk.again", { count: failed.length })}
              </Button>
            )}
            <Button type="primary" onClick={onClose}>
              {t("close")}
            </Button>
          </>
        ) : (
          <>
            <Button autoFocus onClick={onClose}>
              {t("cancel")}
            </Button>
            <Button
              type="primary"
              danger={verb !== "limit"}
              disabled={!ready}
              loading={done !== null}
              onClick={() => void run(targets)}
            >
              {t(`bulk.${verb}_go`, { count: targets.length })}
            </Button>
          </>
        )
      }
    >
      <div className="stack">
        {done === null && (
          <>
            <p>{t(`bulk.${verb}_can`, { count: targets.length })}</p>
            {left.length > 0 && (
              <p className="quiet">
                {t(`bulk.${verb}_cannot`, {
                  count: left.length,
                  names: left
                    .slice(0, 5)
                    .map((job) => job.handle)
                    .join(", "),
                })}
              </p>
            )}
            {verb === "limit" && (
              <>
                <label htmlFor="bulk-limit">{t("limit.label")}</label>
                <Input
                  id="bulk-limit"
                  value={limit}
                  status={secondsOf(limit) === null ? "error" : ""}
                  onChange={(event) => setLimit(event.target.value)}
                />
              </>
            )}
            {verb === "remove" && targets.length > TYPED && (
              <>
                <label htmlFor="bulk-typed">{t("bulk.type", { count: targets.length })}</label>
                <Input id="bulk-typed" value={typed} onChange={(event) => setTyped(event.target.value)} />
              </>
            )}
          </>
        )}
        {done !== null && !outcomes && (
          <Progress percent={Math.round((done / targets.length) * 100)} aria-label={t(`bulk.${verb}`)} />
        )}
        {outcomes && (
          <div role="status">
            <p>{t("bulk.result", { good: outcomes.length - failed.length, bad: failed.length })}</p>
            <ul>
              {failed.map(({ job, error }) => (
                <li key={job.id}>
                  {job.handle}: {said(thrown(error))}
                </li>
              ))}
            </ul>
          </div>
        )}
      </div>
    </Modal>
  );
}
