import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import { keys } from "@/app/queries";
import { bytes } from "@/shared/format/bytes";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { Table } from "@/shared/ui/Table";

export function Component() {
  const { t } = useTranslation("nodes");
  const nodes = useQuery({
    queryKey: keys.nodes,
    queryFn: async () => (await api.GET("/api/v1/nodes")).data?.nodes ?? [],
    refetchInterval: 5000,
  });
  return (
    <Page title={t("title")} label={t("title")}>
      {nodes.isPending && <LoadingFace />}
      {nodes.error && <ErrorFace error={nodes.error} retry={() => void nodes.refetch()} />}
      {nodes.data && (
        <Table
          label={t("title")}
          rows={nodes.data}
          rowKey={(node) => node.name ?? ""}
          columns={[
            { key: "name", title: t("node"), cell: (node) => node.name },
            { key: "state", title: t("state"), cell: (node) => (node.healthy ? t("healthy") : node.problem) },
            { key: "gpus", title: t("gpus"), number: true, cell: (node) => `${node.gpus?.filter((gpu) => gpu.used).length ?? 0}/${node.gpus?.length ?? 0}` },
            { key: "cpus", title: t("cpus"), number: true, cell: (node) => `${node.cpus_used ?? 0}/${node.cpus ?? 0}` },
            { key: "memory", title: t("memory"), number: true, cell: (node) => `${bytes(node.memory_used)} / ${bytes(node.memory)}` },
          ]}
        />
      )}
    </Page>
  );
}
