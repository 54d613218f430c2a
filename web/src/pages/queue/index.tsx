import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router-dom";
import { useWhys } from "@/api/jobs";
import { useMe } from "@/api/session";
import { shortTime } from "@/shared/format/time";
import { Priority } from "@/shared/job/Priority";
import { useSaid } from "@/shared/messages";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { Table } from "@/shared/ui/Table";
import { Duration } from "@/shared/ui/Time";
import { MOST, queueQuery, waitingQuery, type Entry } from "./api";
import { MoveButtons, useMove } from "./Move";
import "./queue.css";

/** How many at the head of the queue are explained in full; each asks the server once. */
const EXPLAINED = 30;

export function Component() {
  const { t, i18n } = useTranslation("queue");
  const language = i18n.language === "en" ? "en" : "zh";
  const me = useMe();
  const navigate = useNavigate();
  const said = useSaid();
  const queue = useQuery(queueQuery);
  const { data: jobs = {} } = useQuery(waitingQuery);
  const entries = queue.data ?? [];
  const whys = useWhys(entries.flatMap((entry) => entry.id || []).slice(0, EXPLAINED), 15_000);
  const isMine = (id: string | undefined) => jobs[id ?? ""]?.owner === me.name;
  const mine = entries.find((entry) => isMine(entry.id));
  const move = useMove(entries);
  const gpus = entries.reduce((sum, entry) => sum + entry.gpus, 0);

  return (
    <Page title={t("title")} label={t("title")}>
      {queue.isPending && <LoadingFace />}
      {queue.error && !queue.data && <ErrorFace error={queue.error} retry={() => void queue.refetch()} />}
      {queue.data?.length === 0 && (
        <div className="card">
          <Face
            icon="queue"
            title={t("empty")}
            actions={
              <Button type="primary" onClick={() => navigate("/jobs/new")}>
                {t("submit")}
              </Button>
            }
          >
            {t("empty_text")}
          </Face>
        </div>
      )}
      {entries.length > 0 && (
        <>
          <p role="status" className="queue-sum">
            {t("sum", { count: entries.length, gpus })}
            {mine && t("mine_first", { position: mine.position, name: mine.name })}
          </p>
          <Table
            label={t("title")}
            rows={entries}
            rowKey={(entry) => entry.position}
            rowClass={(entry) => (isMine(entry.id) ? "queue-mine" : undefined)}
            columns={[
              { key: "position", title: t("position"), number: true, cell: (entry) => entry.position },
              {
                key: "name",
                title: t("job"),
                narrow: true,
                head: true,
                cell: (entry) =>
                  entry.id ? (
                    <div className="queue-job">
                      <span className="row">
                        <Link to={`/jobs/${entry.id}`} className="cut" title={entry.name}>
                          {entry.name}
                        </Link>
                        {isMine(entry.id) && <span className="queue-tag">{t("mine")}</span>}
                      </span>
                      <span className="quiet cut">
                        {jobs[entry.id]?.owner ?? "–"} · {jobs[entry.id]?.workspace ?? "–"}
                      </span>
                    </div>
                  ) : (
                    <span className="quiet">{t("hidden")}</span>
                  ),
              },
              {
                key: "needs",
                title: t("needs"),
                narrow: true,
                cell: (entry) =>
                  [t("needs_tasks", { count: entry.tasks }), entry.gpus ? t("needs_gpus", { count: entry.gpus }) : ""]
                    .filter(Boolean)
                    .join(t("comma")),
              },
              {
                key: "priority",
                title: t("priority"),
                narrow: true,
                cell: (entry) => <Priority value={entry.priority} />,
              },
              { key: "waited", title: t("waited"), narrow: true, cell: (entry) => <Duration from={entry.queued_at} /> },
              {
                key: "why",
                title: t("reason"),
                cell: (entry) => {
                  const why = whys.get(entry.id);
                  const text = said(why, "text");
                  return text ? (
                    <span className={`queue-why${why?.verdict === "impossible" ? " fault" : ""}`}>{text}</span>
                  ) : (
                    "–"
                  );
                },
              },
              {
                key: "estimate",
                title: t("estimate"),
                narrow: true,
                cell: (entry) => {
                  const why = whys.get(entry.id);
                  const estimate = why?.estimate;
                  if (why?.verdict === "impossible") return <span className="fault">{t("never")}</span>;
                  if (!estimate?.likely) return <span className="quiet">{t("unknown")}</span>;
                  const early = shortTime(estimate.early, language);
                  const late = shortTime(estimate.late, language);
                  return (
                    <span className="numbers" title={t("likely", { time: shortTime(estimate.likely, language) })}>
                      {early === late ? t("around", { time: early }) : t("band", { early, late })}
                    </span>
                  );
                },
              },
              ...(me.administrator
                ? [
                    {
                      key: "move",
                      title: t("move"),
                      narrow: true,
                      cell: (entry: Entry) => <MoveButtons entry={entry} count={entries.length} move={move} />,
                    },
                  ]
                : []),
            ]}
          />
          {entries.length >= MOST && <p className="quiet">{t("first_thousand")}</p>}
        </>
      )}
    </Page>
  );
}
