import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobState } from "@/api/client";
import { countsQuery } from "@/api/jobs";
import { Icon } from "@/shared/ui/Icon";
import { LINE, Menu } from "@/shared/ui/Menu";
import { isNarrowed, noFilters, type Filters } from "./filters";
import { useViews } from "./views";

const Advanced = lazy(() => import("./Advanced"));
const ViewDialog = lazy(() => import("./ViewDialog"));

interface Props {
  filters: Filters;
  onChange: (next: Filters, replace?: boolean) => void;
}

const chips: Array<{ word: string; states: JobState[] }> = [
  { word: "running", states: ["starting", "running", "stopping"] },
  { word: "waiting", states: ["queued", "paused"] },
  { word: "succeeded", states: ["succeeded"] },
  { word: "failed", states: ["failed"] },
  { word: "cancelled", states: ["cancelled"] },
];

/** The search box, the chips, and what else narrows the list. */
export function FilterBar({ filters, onChange }: Props) {
  const { t } = useTranslation("jobs");
  const [text, setText] = useState(filters.q);
  const [advanced, setAdvanced] = useState(false);
  const [naming, setNaming] = useState(false);
  const views = useViews();
  const { data: counts = {} } = useQuery(countsQuery);
  const latest = useRef({ filters, onChange });
  latest.current = { filters, onChange };

  useEffect(() => setText(filters.q), [filters.q]);
  useEffect(() => {
    if (text === latest.current.filters.q) return undefined;
    const timer = setTimeout(() => latest.current.onChange({ ...latest.current.filters, q: text }, true), 250);
    return () => clearTimeout(timer);
  }, [text]);

  const same = (states: JobState[]) =>
    states.length === filters.state.length && states.every((state) => filters.state.includes(state));
  return (
    <>
      <div className="toolbar" role="search">
        <div className="search-box">
          <Icon name="search" />
          <input
            id="job-search"
            type="search"
            value={text}
            placeholder={t("search")}
            aria-label={t("search")}
            onChange={(event) => setText(event.target.value)}
          />
          <kbd>/</kbd>
        </div>
        <div className="chips">
          {chips.map(({ word, states }) => {
            const count = states.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
            return (
              <button
                key={word}
                type="button"
                className="chip"
                aria-pressed={same(states)}
                onClick={() => onChange({ ...filters, state: same(states) ? [] : states })}
              >
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
          <Menu
            items={[
              ...views.names.map((name) => ({
                key: `open ${name}`,
                label: name,
                onClick: () => onChange(views.open(name)),
              })),
              ...(views.names.length ? [LINE as typeof LINE] : []),
              {
                key: "save",
                label: t("save_view"),
                disabled: !isNarrowed(filters),
                title: isNarrowed(filters) ? undefined : t("save_view_when"),
                onClick: () => setNaming(true),
              },
              ...views.names.map((name) => ({
                key: `drop ${name}`,
                label: t("drop_view", { name }),
                danger: true,
                onClick: () => views.drop(name),
              })),
            ]}
          >
            <Button icon={<Icon name="down" size={12} />} iconPosition="end">
              {t("views")}
            </Button>
          </Menu>
        </div>
      </div>
      {naming && (
        <Suspense fallback={null}>
          <ViewDialog onSave={(name) => views.save(name, filters)} onClose={() => setNaming(false)} />
        </Suspense>
      )}
      {advanced && (
        <Suspense fallback={null}>
          <Advanced filters={filters} onChange={onChange} />
        </Suspense>
      )}
    </>
  );
}

/** What is done with the list as it is: its columns, a file of it, a fresh look. */
export function ListTools({
  onColumns,
  onReload,
  query,
  loading,
}: {
  onColumns: () => void;
  onReload: () => void;
  query: Record<string, string>;
  loading: boolean;
}) {
  const { t } = useTranslation("jobs");
  return (
    <>
      <Button icon={<Icon name="columns" />} aria-label={t("columns")} title={t("columns")} onClick={onColumns} />
      <Button
        icon={<Icon name="download" />}
        aria-label={t("export")}
        title={t("export")}
        onClick={() => void import("./export").then((module) => module.exportCsv(query, t))}
      />
      <Button
        icon={<Icon name="refresh" />}
        aria-label={t("refresh")}
        title={t("refresh")}
        loading={loading}
        onClick={onReload}
      />
    </>
  );
}
