import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { api } from "@/api/client";
import { keys } from "@/app/queries";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { Table } from "@/shared/ui/Table";
import { Duration } from "@/shared/ui/Time";

export function Component() {
  const { t } = useTranslation("queue");
  const queue = useQuery({
    queryKey: keys.queue,
    queryFn: async () => (await api.GET("/api/v1/queue", { params: { query: { limit: 1000 } } })).data?.queue ?? [],
  });
  return (
    <Page title={t("title")} label={t("title")}>
      {queue.isPending && <LoadingFace />}
      {queue.error && <ErrorFace error={queue.error} retry={() => void queue.refetch()} />}
      {queue.data?.length === 0 && <Face title={t("empty")}>{t("empty_text")}</Face>}
      {queue.data && queue.data.length > 0 && (
        <Table
          label={t("title")}
          rows={queue.data}
          rowKey={(entry) => entry.position ?? 0}
          columns={[
            { key: "position", title: t("position"), number: true, cell: (entry) => entry.position },
            { key: "name", title: t("job"), cell: (entry) => (entry.id ? <Link to={`/jobs/${entry.id}`}>{entry.name}</Link> : t("hidden")) },
            { key: "gpus", title: t("gpus"), number: true, cell: (entry) => entry.gpus },
            { key: "tasks", title: t("tasks"), number: true, cell: (entry) => entry.tasks },
            { key: "priority", title: t("priority"), number: true, cell: (entry) => entry.priority },
            { key: "waited", title: t("waited"), cell: (entry) => <Duration from={entry.queued_at} /> },
          ]}
        />
      )}
    </Page>
  );
}
