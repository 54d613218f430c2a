import { App, Button } from "antd";
import { useTranslation } from "react-i18next";
import { SaidText } from "@/shared/messages";
import type { Node } from "@/api/nodes";
import { useDrain } from "./api";

const NAMED = 5;

/** Takes a machine out of service, after saying what still runs there, and back into it. */
export function Drain({ node, jobs }: { node: Node; jobs: string[] }) {
  const { t } = useTranslation("nodes");
  const { modal, message } = App.useApp();
  const name = node.name;
  const drain = useDrain(name);
  const put = (draining: boolean) =>
    drain.mutateAsync(draining).then(
      () => void message.success(t(draining ? "drained" : "undrained", { name })),
      (error: Error) => void message.error({ content: <SaidText of={error} />, duration: 8 }),
    );
  const ask = () =>
    void modal.confirm({
      title: t("drain_ask", { name }),
      content: jobs.length
        ? t(jobs.length > NAMED ? "drain_jobs_more" : "drain_jobs", {
            names: jobs.slice(0, NAMED).join(t("comma")),
            count: jobs.length,
          })
        : t("drain_empty"),
      okText: t("drain"),
      cancelText: t("cancel"),
      onOk: () => put(true),
    });
  return node.draining ? (
    <Button onClick={() => void put(false)}>{t("undrain")}</Button>
  ) : (
    <Button onClick={ask}>{t("drain")}</Button>
  );
}
