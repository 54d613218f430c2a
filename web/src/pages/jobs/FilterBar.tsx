import { useQuery } from "@tanstack/react-query";
import { Button, Dropdown } from "antd";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, type JobState, type JobSummary } from "@/api/client";
import { keys } from "@/app/queries";
import { Icon } from "@/shared/ui/Icon";
import { isNarrowed, noFilters, type Filters } from "./filters";
import { useViews } from "./views";

const Advanced = lazy(() => import("./Advanced"));

interface Props {
  filters: Filters;
  onChange: (next: Filters, replace?: boolean) => void;
  onColumns: () => void;
  onReload: () => void;
  rows: JobSummary[];
  query: Record<string, string>;
  loading: boolean;
}

const chips: Array<{ word: string; states: JobState[] }> = [
  { word: "running", states: ["starting", "running", "stopping"] },
  { word: "waiting", states: ["queued", "paused"] },
  { word: "succeeded", states: ["succeeded"] },
  { word: "failed", states: ["failed"] },
  { word: "cancelled", states: ["cancelled"] },
];

/** The search box, the chips, and what else narrows or takes away the list. */
export function FilterBar({ filters, onChange, onColumns, onReload, query, loading }: Props) {
  const { t } = useTranslation("jobs");
  const [text, setText] = useState(filters.q);
  const [advanced, setAdvanced] = useState(false);
  const views = useViews();
  const { data } = useQuery({ queryKey: keys.counts, queryFn: async () => (await api.GET("/api/v1/jobs/counts")).data });
  const counts = (data?.states ?? {}) as Partial<Record<JobState, number>>;
  const latest = useRef({ filters, onChange });
  latest.current = { filters, onChange };

  useEffect(() => setText(filters.q), [filters.q]);
  useEffect(() => {
    if (text === latest.current.filters.q) return undefined;
    const timer = setTimeout(() => latest.current.onChange({ ...latest.current.filters, q: text }, true), 250);
    return () => clearTimeout(timer);
  }, [text]);

  const same = (states: JobState[]) => states.length === filters.state.length && states.every((state) => filters.state.includes(state));
  return (
    <>
      <div className="toolbar" role="search">
        <div className="search-box">
          <Icon name="search" />
          <input id="job-search" type="search" value={text} placeholder={t("search")} aria-label={t("search")} onChange={(event) => setText(event.target.value)} />
          <kbd>/</kbd>
        </div>
        <div className="chips">
          {chips.map(({ word, states }) => {
            const count = states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
            return (
              <button key={word} type="button" className="chip" aria-pressed={same(states)} onClick={() => onChange({ ...filters, state: same(states) ? [] : states })}>
                {t(`chip.${word}`)} <span className="numbers">{count > 9999 ? "9999+" : count}</span>
              </button>
            );
          })}
        </div>
        <div className="toolbar-end">
          {isNarrowed(filters) && (
            <Button type="text" onClick={() => onChange({ ...noFilters, sort: filters.sort })}>
              {t("reset")}
            </Button>
          )}
          <Button icon={<Icon name="filter" />} aria-expanded={advanced} onClick={() => setAdvanced(!advanced)}>
            {t("advanced")}
          </Button>
          <Dropdown
            trigger={["click"]}
            menu={{
              items: [
                ...views.names.map((name) => ({ key: `open ${name}`, label: name, onClick: () => onChange(views.open(name)) })),
                ...(views.names.length ? [{ type: "divider" as const }] : []),
                { key: "save", label: t("save_view"), disabled: !isNarrowed(filters), onClick: () => views.save(window.prompt(t("view_name")) ?? "", filters) },
                ...views.names.map((name) => ({ key: `drop ${name}`, label: t("drop_view", { name }), danger: true, onClick: () => views.drop(name) })),
              ],
            }}
          >
            <Button>{t("views")}</Button>
          </Dropdown>
          <Button icon={<Icon name="columns" />} aria-label={t("columns")} onClick={onColumns} />
          <Button icon={<Icon name="download" />} aria-label={t("export")} onClick={() => void import("./export").then((module) => module.exportCsv(query, t))} />
          <Button icon={<Icon name="refresh" />} aria-label={t("refresh")} loading={loading} onClick={onReload} />
        </div>
      </div>
      {advanced && (
        <Suspense fallback={null}>
          <Advanced filters={filters} onChange={onChange} />
        </Suspense>
      )}
    </>
  );
}
