import { Button } from "antd";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router-dom";
import type { JobSummary } from "@/api/client";
import { useMe } from "@/api/session";
import { useWorkspace } from "@/shared/hooks/useWorkspace";
import { useSample } from "@/shared/job/useSample";
import { JobMenu, useMayChange } from "@/shared/job/JobMenu";
import { hasEnded, mayStop } from "@/shared/job/states";
import { useJobActions } from "@/shared/job/useJobActions";
import { useExplained } from "@/shared/job/useExplained";
import { useSaid } from "@/shared/messages";
import { DataGrid, type GridHandle } from "@/shared/ui/DataGrid";
import { ErrorFace, Face, LoadingFace } from "@/shared/ui/Face";
import { Page } from "@/shared/ui/Page";
import { StateTag } from "@/shared/ui/StateTag";
import { Duration, Moment } from "@/shared/ui/Time";
import { BulkBar } from "./BulkBar";
import { useColumns } from "./columns";
import { FilterBar, ListTools } from "./FilterBar";
import { asQuery, isNarrowed, noFilters, readFilters, writeFilters, type Filters, type Sort } from "./filters";
import { useJobList } from "./useJobList";
import "./jobs.css";

const ColumnChooser = lazy(() => import("./ColumnChooser"));

export function Component() {
  const { t } = useTranslation("jobs");
  const navigate = useNavigate();
  const me = useMe();
  const [workspace] = useWorkspace();
  const [query, setQuery] = useSearchParams();
  const { filters, ignored } = useMemo(() => readFilters(query), [query]);
  const setFilters = useCallback(
    (next: Filters, replace = false) => setQuery((before) => writeFilters(next, before), { replace }),
    [setQuery],
  );
  const [atTop, setAtTop] = useState(true);
  const list = useJobList(asQuery(filters, workspace), atTop);
  const rows = useExplained(list.rows);
  const said = useSaid();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [choosing, setChoosing] = useState(false);
  const actions = useJobActions();
  const sample = useSample();
  const mayChange = useMayChange();
  const grid = useRef<GridHandle>(null);
  const columns = useColumns(actions);
  const byId = useMemo(() => new Map(list.rows.map((row) => [row.id, row])), [list.rows]);
  const chosen = useMemo(
    () => [...selected].map((id) => byId.get(id)).filter((job): job is JobSummary => job !== undefined),
    [selected, byId],
  );

  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== "/" || (event.target as HTMLElement).closest("input, textarea, [contenteditable]")) return;
      event.preventDefault();
      document.getElementById("job-search")?.focus();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);

  const onKey = (key: string, job: JobSummary) => {
    if (key === "l") navigate(`/jobs/${job.id}/logs`);
    if (key === "c") actions.clone(job);
    if (key === "x" && mayStop(job.state) && mayChange(job)) actions.stop(job);
  };
  const note = useCallback(
    (job: JobSummary) =>
      job.reason && (!hasEnded(job.state) || job.state === "failed") ? (
        <span className={job.state === "failed" ? "note-bad" : undefined}>
          └ {said(job, "reason")}
          {job.state === "failed" && (
            <>
              {" · "}
              <Link to={`/jobs/${job.id}`}>{t("see_why")}</Link>
            </>
          )}
        </span>
      ) : null,
    [t, said],
  );
  const narrowed = isNarrowed(filters);
  const scopes: Array<[string, string]> = [
    ["", t("scope.all")],
    ["me", t("scope.mine")],
  ];

  return (
    <Page
      fill
      title={t("title")}
      label={t("title")}
      actions={
        <>
          <div className="segments" role="group" aria-label={t("scope.title")}>
            {scopes.map(([owner, word]) => (
              <button
                key={owner}
                type="button"
                aria-pressed={filters.owner === owner || (owner === "me" && filters.owner === me.name)}
                onClick={() => setFilters({ ...filters, owner })}
              >
                {word}
              </button>
            ))}
          </div>
          <ListTools
            onColumns={() => setChoosing(true)}
            onReload={list.reload}
            query={asQuery(filters, workspace)}
            loading={list.loading}
          />
        </>
      }
    >
      {selected.size > 0 ? (
        <BulkBar jobs={chosen} total={selected.size} actions={actions} onClear={() => setSelected(new Set())} />
      ) : (
        <FilterBar filters={filters} onChange={setFilters} />
      )}
      {ignored.length > 0 && (
        <p className="quiet" role="status">
          {t("ignored", { what: ignored.join(", ") })}
        </p>
      )}
      <div className="jobs-list">
        {list.waiting > 0 && (
          <button
            type="button"
            className="pill"
            onClick={() => {
              list.showWaiting();
              grid.current?.scrollToTop();
            }}
          >
            {t("new_jobs", { count: list.waiting })} ↑
          </button>
        )}
        {list.rows.length > 0 ? (
          <DataGrid
            handle={grid}
            label={t("title")}
            rows={rows}
            rowKey={(job) => job.id}
            rowLabel={(job) => job.handle}
            columns={columns.shown}
            note={note}
            card={(job) => (
              <>
                <div className="row">
                  <StateTag state={job.state} />
                  <Link to={`/jobs/${job.id}`} className="grow cut card-name">
                    {job.handle}
                  </Link>
                  <JobMenu job={job} actions={actions} />
                </div>
                <div className="row quiet">
                  <span className="cut">{job.owner}</span>·<Moment at={job.created_at} />
                  {job.started_at && (
                    <>
                      ·<Duration from={job.started_at} to={job.ended_at} />
                    </>
                  )}
                  {job.gpus > 0 && <>· {t("gpus", { count: job.gpus })}</>}
                </div>
              </>
            )}
            selected={selected}
            onSelect={setSelected}
            sort={filters.sort}
            onSort={(sort) => setFilters({ ...filters, sort: sort as Sort })}
            onOpen={(job) => navigate(`/jobs/${job.id}`)}
            onKey={onKey}
            onResize={columns.resize}
            onNearEnd={list.loadMore}
            onTopChange={setAtTop}
            more={list.more}
          />
        ) : (
          <div className="card jobs-face">
            {list.error ? (
              <ErrorFace error={list.error} retry={list.reload} />
            ) : list.loading ? (
              <LoadingFace lines={10} />
            ) : narrowed ? (
              <Face
                icon="filter"
                title={t("no_match")}
                actions={<Button onClick={() => setFilters(noFilters)}>{t("clear")}</Button>}
              />
            ) : (
              <Face
                icon="file"
                title={t("empty")}
                actions={
                  <>
                    <Button type="primary" onClick={() => navigate("/jobs/new")}>
                      {t("submit")}
                    </Button>
                    <Button loading={sample.isPending} onClick={() => sample.mutate()}>
                      {t("run_sample")}
                    </Button>
                  </>
                }
              >
                {t("empty_text")}
              </Face>
            )}
          </div>
        )}
      </div>
      <p className="jobs-foot quiet numbers" role="status">
        {list.rows.length > 0 && t(list.more ? "loaded_more" : "loaded", { count: list.rows.length })}
      </p>
      {actions.dialogs}
      {choosing && (
        <Suspense fallback={null}>
          <ColumnChooser columns={columns} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </Page>
  );
}
