import { useTranslation } from "react-i18next";
import type { Job, Says } from "@/api/client";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Table } from "@/shared/ui/Table";
import { Moment } from "@/shared/ui/Time";
import { useSaid } from "@/shared/messages";
import { useJobEvents } from "./api";
import { fold, type Event, type Folded } from "./fold";

export default function EventsTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  const events = useJobEvents(job.id);
  if (events.isPending) return <LoadingFace />;
  if (events.error) return <ErrorFace error={events.error} retry={() => void events.refetch()} />;
  if (!events.data.length) return <Face icon="clock" title={t("no_events")} />;
  /** A sentence with its value, or a word for a known cause. */
  const why = (data: Event["data"]): string => {
    const message = String(data.message ?? data.text ?? data.why ?? "");
    if (data.says || message !== data.why) return said({ message, says: data.says as Says | undefined });
    return t(`event_why.${message}`, { defaultValue: message });
  };
  const sentence = (event: Event): string => {
    const { data } = event;
    const again = event.kind === "job.queued" && Number(data.attempt ?? 0) > 0;
    const known = t(again ? "event_again" : `event.${event.kind}`, {
      defaultValue: "",
      ...data,
      number: Number(data.attempt ?? 0) + 1,
    });
    return [known || event.kind, why(data)].filter(Boolean).join(t("colon"));
  };
  const rows = fold(events.data);
  const repeats = rows.some((row) => row.count > 1);
  const named = job.tasks > 1;
  return (
    <Table
      label={t("tab.events")}
      rows={rows}
      rowKey={(row) => row.event.id}
      columns={[
        { key: "at", title: t("time"), narrow: true, cell: (row) => <Moment at={row.event.at} exact /> },
        { key: "what", title: t("what"), grow: true, head: true, cell: (row) => sentence(row.event) },
        ...(named
          ? [
              {
                key: "task",
                title: t("task"),
                narrow: true,
                cell: (row: Folded) => String(row.event.data.task ?? "–"),
              },
            ]
          : []),
        {
          key: "who",
          title: t("who"),
          narrow: true,
          cell: (row) => (row.event.actor === "trainyard" ? t("platform") : row.event.actor || "–"),
        },
        ...(repeats ? [{ key: "count", title: t("count"), number: true, cell: (row: Folded) => row.count }] : []),
      ]}
    />
  );
}
