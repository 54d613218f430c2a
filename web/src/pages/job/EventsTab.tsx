import { useTranslation } from "react-i18next";
import type { Job, Schemas } from "@/api/client";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Table } from "@/shared/ui/Table";
import { Moment } from "@/shared/ui/Time";
import { useJobEvents } from "./api";

type Event = Schemas["Event"];

interface Folded {
  event: Event;
  first: string;
  count: number;
}

/** What repeats is one row with a count. */
export function fold(events: Event[]): Folded[] {
  const rows: Folded[] = [];
  const known = new Map<string, Folded>();
  for (const event of events) {
    const { at: _at, attempt: _attempt, ran_ms: _ran, ...rest } = (event.data ?? {}) as Record<string, unknown>;
    const key = JSON.stringify([event.kind, event.actor, rest]);
    const before = event.kind.startsWith("job.") ? undefined : known.get(key);
    if (before) {
      before.event = event;
      before.count += 1;
    } else {
      const row = { event, first: event.at, count: 1 };
      known.set(key, row);
      rows.push(row);
    }
  }
  return rows.sort((a, b) => b.event.id - a.event.id);
}

export default function EventsTab({ job }: { job: Job }) {
  const { t } = useTranslation("job");
  const events = useJobEvents(job.id);
  if (events.isPending) return <LoadingFace />;
  if (events.error) return <ErrorFace error={events.error} retry={() => void events.refetch()} />;
  if (!events.data.length) return <Face title={t("no_events")} />;
  const sentence = (event: Event): string => {
    const data = event.data as Record<string, unknown>;
    const known = t(`event.${event.kind}`, { defaultValue: "", ...data, number: Number(data.attempt ?? 0) + 1 });
    return [known || event.kind, data.message && !known.includes(String(data.message)) ? String(data.message) : ""].filter(Boolean).join(t("colon"));
  };
  return (
    <Table
      label={t("tab.events")}
      rows={fold(events.data)}
      rowKey={(row) => row.event.id}
      columns={[
        { key: "at", title: t("time"), cell: (row) => <Moment at={row.event.at} /> },
        { key: "what", title: t("what"), cell: (row) => sentence(row.event) },
        { key: "task", title: t("task"), cell: (row) => String((row.event.data as Record<string, unknown>).task ?? "–") },
        { key: "who", title: t("who"), cell: (row) => (row.event.actor === "trainyard" ? t("platform") : row.event.actor || "–") },
        { key: "count", title: t("count"), number: true, cell: (row) => row.count },
      ]}
    />
  );
}
