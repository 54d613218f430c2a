import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import { useLive } from "@/api/events";
import { useMe } from "@/api/session";
import { versionQuery } from "@/api/site";
import { saveText } from "@/shared/copy";
import { bytes } from "@/shared/format/bytes";
import { useNodes } from "@/api/nodes";
import { useSaid } from "@/shared/messages";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Icon } from "@/shared/ui/Icon";
import { Page } from "@/shared/ui/Page";
import { StateShape } from "@/shared/ui/StateTag";
import { EVERY, metricsQuery, pulseQuery } from "./api";
import { sumOf } from "./metrics";
import "./health.css";

/** One part of the platform: how it is, its last figure, and what to do when it is not well. */
interface Part {
  key: string;
  well: boolean | undefined;
  figure: string;
  advice?: string;
}

export function Component() {
  const { t } = useTranslation("health");
  const said = useSaid();
  const me = useMe();
  const live = useLive();
  const pulse = useQuery(pulseQuery);
  const metrics = useQuery(metricsQuery);
  const nodes = useNodes(EVERY);
  const version = useQuery(versionQuery);

  if (!me.administrator) {
    return (
      <Page title={t("title")} label={t("title")}>
        <div className="card">
          <Face icon="key" title={t("forbidden")} actions={<Link to="/">{t("home")}</Link>}>
            {t("forbidden_text")}
          </Face>
        </div>
      </Page>
    );
  }
  const samples = metrics.data?.samples ?? [];
  const figure = (name: string) => sumOf(samples, name);
  const broken = (nodes.data ?? []).filter((node) => node.healthy === false);
  const failures = sumOf(samples, "trainyard_http_requests_total", (labels) => labels.class === "5xx") ?? 0;
  const answers = sumOf(samples, "trainyard_http_requests_total") ?? 0;
  const failing = figure("trainyard_store_failing");
  const skew = Math.abs(pulse.data?.ahead ?? 0);
  const parts: Part[] = [
    {
      key: "server",
      well: pulse.data?.ready,
      figure: pulse.data ? t("took", { count: Math.round(pulse.data.took) }) : "–",
      advice: pulse.data?.ready === false ? pulse.data.said : undefined,
    },
    {
      key: "store",
      well: failing === undefined ? undefined : failing === 0,
      figure: failing ? t("store_failing") : t("store_well"),
      advice: t("advice.store"),
    },
    {
      key: "nodes",
      well: nodes.data ? broken.length === 0 && nodes.data.length > 0 : undefined,
      figure: nodes.data ? t("nodes_figure", { well: nodes.data.length - broken.length, all: nodes.data.length }) : "–",
      advice: broken.length
        ? broken.map((node) => `${node.name}: ${said(node, "problem")}`).join("; ")
        : t("advice.nodes"),
    },
    {
      key: "stream",
      well: live.state === "live",
      figure: t(live.state === "live" ? "stream_live" : "stream_lost"),
      advice: t("advice.stream"),
    },
    {
      key: "answers",
      well: metrics.data ? failures === 0 : undefined,
      figure: t("answers_figure", { answers, failures }),
      advice: t("advice.answers"),
    },
    {
      key: "clock",
      well: pulse.data ? skew < 120_000 : undefined,
      figure: pulse.data ? t("clock_figure", { count: Math.round(skew / 1000) }) : "–",
      advice: t("advice.clock"),
    },
  ];
  const ill = parts.filter((part) => part.well === false);
  const figures: Array<[string, string]> = [
    ["jobs_live", String(figure("trainyard_jobs_live") ?? "–")],
    ["jobs_waiting", String(figure("trainyard_jobs_waiting") ?? "–")],
    ["resident", bytes(figure("process_resident_memory_bytes"))],
    ["files", String(figure("process_open_fds") ?? "–")],
    [
      "cpu",
      figure("process_cpu_seconds_total") === undefined
        ? "–"
        : t("seconds", { count: Math.round(figure("process_cpu_seconds_total") ?? 0) }),
    ],
    ["refused", String(figure("trainyard_http_refused_total") ?? "–")],
  ];
  const report = () =>
    saveText(
      `trainyard-diagnostics-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.txt`,
      [
        `version ${version.data?.version} engine ${version.data?.engine}`,
        `at ${new Date().toISOString()}`,
        ...parts.map(
          (part) => `${part.key} ${part.well === undefined ? "unknown" : part.well ? "well" : "ill"} ${part.figure}`,
        ),
        "",
        JSON.stringify(nodes.data?.map(({ jobs: _jobs, ...node }) => node) ?? [], null, 2),
        "",
        metrics.data?.text ?? "",
      ].join("\n"),
    );

  return (
    <Page
      title={t("title")}
      label={t("title")}
      actions={
        <Button icon={<Icon name="download" />} onClick={report}>
          {t("report")}
        </Button>
      }
    >
      {pulse.isPending && <LoadingFace />}
      {pulse.error && !pulse.data && <ErrorFace error={pulse.error} retry={() => void pulse.refetch()} />}
      {pulse.data && (
        <>
          <p role="status" className={`card health-word ${ill.length ? "health-ill" : "health-well"}`}>
            <StateShape state={ill.length ? "failed" : "succeeded"} />
            {ill.length
              ? t("ill", { count: ill.length, names: ill.map((part) => t(`part.${part.key}`)).join(t("comma")) })
              : t("well")}
          </p>
          <ul className="health-parts">
            {parts.map((part) => (
              <li key={part.key} className="card health-part">
                <h2>
                  <StateShape state={part.well === undefined ? "unknown" : part.well ? "succeeded" : "failed"} />
                  {t(`part.${part.key}`)}
                  <span className="visually-hidden">
                    {t(part.well === undefined ? "is_unknown" : part.well ? "is_well" : "is_ill")}
                  </span>
                </h2>
                <p className="numbers">{part.figure}</p>
                <p className="quiet">{t(`what.${part.key}`)}</p>
                {part.well === false && part.advice && <p className="fault">{part.advice}</p>}
              </li>
            ))}
          </ul>
          <section className="card health-part" aria-labelledby="figures">
            <h2 id="figures">{t("figures")}</h2>
            {metrics.error && !metrics.data ? (
              <ErrorFace error={metrics.error} retry={() => void metrics.refetch()} />
            ) : (
              <dl className="health-figures">
                {figures.map(([key, value]) => (
                  <div key={key}>
                    <dt>{t(`figure.${key}`)}</dt>
                    <dd className="numbers">{value}</dd>
                  </div>
                ))}
                <div>
                  <dt>{t("version")}</dt>
                  <dd>{version.data?.version}</dd>
                </div>
              </dl>
            )}
            <p className="quiet">{t("prometheus")}</p>
          </section>
        </>
      )}
    </Page>
  );
}
