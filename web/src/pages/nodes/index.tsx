import { Input, Select } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { bytes } from "@/shared/format/bytes";
import { useAddress } from "@/shared/hooks/useAddress";
import { useNodes } from "@/api/nodes";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { Table } from "@/shared/ui/Table";
import { CopyText } from "@/shared/ui/CopyText";
import { NodeMap } from "./NodeMap";
import { NodeState } from "./NodeState";
import { NodePanel } from "./NodePanel";
import { Totals } from "./Totals";
import { freeGpus, totalsOf, usedGpus } from "./totals";
import "./nodes.css";

export type Node = Schemas["Node"];
const views = ["map", "list"] as const;

export function Component() {
  const { t } = useTranslation("nodes");
  const { t: shared } = useTranslation("shared");
  const [query, put] = useAddress();
  const view = query.get("view") === "list" ? "list" : "map";
  const text = query.get("q") ?? "";
  const type = query.get("gpu") ?? "";
  const state = query.get("state") ?? "";
  const [chosen, setChosen] = useState<string | null>(query.get("node"));
  const nodes = useNodes(5000);
  const set = (key: string, value: string) => put({ [key]: value || null }, key === "q");
  const totals = useMemo(() => totalsOf(nodes.data ?? []), [nodes.data]);
  const shown = useMemo(
    () =>
      (nodes.data ?? []).filter((node) => {
        const found = `${node.name} ${node.address} ${Object.entries(node.labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(" ")}`.toLowerCase();
        if (text && !found.includes(text.toLowerCase())) return false;
        if (type && !node.gpus.some((gpu) => gpu.type === type)) return false;
        if (state === "free")
          return node.healthy !== false && (node.gpus.length ? freeGpus(node) > 0 : node.cpus > node.cpus_used);
        if (state === "down") return node.healthy === false;
        return true;
      }),
    [nodes.data, text, type, state],
  );
  // A site of one machine has nothing to choose from: its machine stands open.
  const only = nodes.data?.length === 1;
  const open = shown.find((node) => node.name === chosen) ?? (only ? shown[0] : undefined) ?? null;
  return (
    <Page
      title={t("title")}
      label={t("title")}
      actions={
        <div className="segments" role="group" aria-label={t("view")}>
          {views.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={view === name}
              onClick={() => set("view", name === "map" ? "" : name)}
            >
              {t(`views.${name}`)}
            </button>
          ))}
        </div>
      }
    >
      {nodes.isPending && <LoadingFace />}
      {nodes.error && !nodes.data && <ErrorFace error={nodes.error} retry={() => void nodes.refetch()} />}
      {nodes.data?.length === 0 && (
        <div className="card">
          <Face icon="nodes" title={t("none")} actions={<CopyText text="trainyard serve" />}>
            {t("none_text")}
          </Face>
        </div>
      )}
      {nodes.data && nodes.data.length > 0 && (
        <>
          <Totals totals={totals} />
          {(!only || text || type || state) && (
            <div className="node-filters">
              <Input
                allowClear
                className="node-search"
                aria-label={t("search")}
                placeholder={t("search")}
                value={text}
                onChange={(event) => set("q", event.target.value)}
              />
              {totals.gpus.length > 0 && (
                <Select
                  aria-label={t("gpu_type")}
                  value={type}
                  options={[
                    { value: "", label: t("any_type") },
                    ...totals.gpus.map((gpu) => ({ value: gpu.type, label: gpu.type || "GPU" })),
                  ]}
                  onChange={(value: string) => set("gpu", value)}
                />
              )}
              <Select
                aria-label={t("state")}
                value={state}
                options={["", "free", "down"].map((value) => ({ value, label: t(`states.${value || "any"}`) }))}
                onChange={(value: string) => set("state", value)}
              />
              <span className="quiet" role="status">
                {t("shown", { count: shown.length, all: nodes.data.length })}
              </span>
            </div>
          )}
          {shown.length === 0 ? (
            <div className="card">
              <Face
                title={t("no_match")}
                actions={
                  <button
                    type="button"
                    className="link-button"
                    onClick={() => put({ q: null, gpu: null, state: null })}
                  >
                    {t("clear")}
                  </button>
                }
              />
            </div>
          ) : view === "map" ? (
            <NodeMap nodes={shown} chosen={open?.name ?? null} onChoose={setChosen} />
          ) : (
            <Table
              label={t("title")}
              rows={shown}
              rowKey={(node) => node.name}
              columns={[
                {
                  key: "name",
                  head: true,
                  title: t("node"),
                  cell: (node) => (
                    <button type="button" className="link-button" onClick={() => setChosen(node.name)}>
                      {node.name}
                    </button>
                  ),
                },
                { key: "state", title: t("state"), cell: (node) => <NodeState node={node} /> },
                {
                  key: "gpus",
                  title: t("gpus"),
                  number: true,
                  cell: (node) => (node.gpus.length ? `${usedGpus(node)}/${node.gpus.length}` : "–"),
                },
                {
                  key: "types",
                  title: t("gpu_type"),
                  cell: (node) => [...new Set(node.gpus.map((gpu) => gpu.type))].join(", ") || "–",
                },
                {
                  key: "cpus",
                  title: t("cpus"),
                  number: true,
                  cell: (node) => `${node.cpus_used}/${node.cpus}`,
                },
                {
                  key: "memory",
                  title: t("memory"),
                  number: true,
                  cell: (node) => `${bytes(node.memory_used)} / ${bytes(node.memory)}`,
                },
                {
                  key: "runtime",
                  title: t("runtime"),
                  wideOnly: true,
                  cell: (node) => (node.runtime ? shared(`runtime.${node.runtime}`) : "–"),
                },
                {
                  key: "address",
                  title: t("address"),
                  wideOnly: true,
                  cell: (node) => <span className="mono">{node.address || "–"}</span>,
                },
              ]}
            />
          )}
          {open && (
            <NodePanel
              key={open.name}
              node={open}
              chosen={open.name === chosen}
              onClose={only ? undefined : () => setChosen(null)}
            />
          )}
        </>
      )}
    </Page>
  );
}
