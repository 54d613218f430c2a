import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Job, Schemas } from "@/api/client";
import { useSaid } from "@/shared/messages";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { Menu } from "@/shared/ui/Menu";
import { StateShape } from "@/shared/ui/StateTag";
import { AttemptChoice } from "../AttemptChoice";
import { ALL, type LogView } from "./useLogView";

/** Which log, what to look for in it, and how it is shown. */
export function LogTools({ job, view, attempts }: { job: Job; view: LogView; attempts: Schemas["Attempt"][] }) {
  const { t } = useTranslation("job");
  const { t: shared } = useTranslation("shared");
  const { tasks, task, merged } = view;
  return (
    <div className="log-tools">
      {tasks.length > 1 && (
        <select
          aria-label={t("task")}
          value={task}
          onChange={(event) => view.choose(event.target.value)}
          className="log-select"
        >
          <option value={ALL}>{t("all_merged")}</option>
          {tasks.map((item) => (
            <option key={item.name} value={item.name}>
              {item.name} · {shared(`state.${item.state}`)}
            </option>
          ))}
        </select>
      )}
      {!merged && tasks.length > 1 && (
        <StateShape state={tasks.find((item) => item.name === task)?.state ?? "unknown"} />
      )}
      <AttemptChoice attempts={attempts} latest={job.attempt} value={view.attempt} onChange={view.chooseAttempt} />
      <SearchBox view={view} />
      <div className="log-tools-end">
        {view.live && (
          <Toggle icon="bottom" word={t("follow")} on={view.follow} onClick={() => view.setFollow(!view.follow)} />
        )}
        <Toggle icon="wrap" word={t("wrap")} on={view.wrap} onClick={view.toggleWrap} />
        {!merged && <Toggle icon="clock" word={t("times")} on={view.times} onClick={view.toggleTimes} />}
        {!merged && <JumpToTime onJump={view.toMoment} />}
        <Menu
          items={[
            {
              key: "one",
              label: t("download_task", { name: merged ? t("all_merged") : task }),
              onClick: () => view.download("shown"),
            },
            ...(job.tasks > 1 && !merged
              ? [{ key: "all", label: t("download_all"), onClick: () => view.download("all") }]
              : []),
            ...(view.search.text
              ? [{ key: "hits", label: t("download_hits"), onClick: () => view.download("hits") }]
              : []),
          ]}
        >
          <Button icon={<Icon name="download" />}>{t("download")}</Button>
        </Menu>
        {!merged && <Button onClick={view.toStart}>{t("full_record")}</Button>}
      </div>
    </div>
  );
}

function SearchBox({ view }: { view: LogView }) {
  const { t } = useTranslation("job");
  const said = useSaid();
  const { text, ignoreCase, at, found } = view.search;
  const count = { at: found.hits.length ? at + 1 : 0, count: found.hits.length };
  return (
    <>
      <form
        className="search-box log-search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          view.enterSearch();
        }}
      >
        <Icon name="search" />
        <input
          id="log-search"
          type="search"
          value={text}
          placeholder={t("search_log")}
          aria-label={t("search_log")}
          onChange={(event) => view.setSearch(event.target.value)}
        />
        <button
          type="button"
          className="icon-button"
          aria-pressed={!ignoreCase}
          aria-label={t("match_case")}
          title={t("match_case")}
          onClick={view.toggleCase}
        >
          Aa
        </button>
      </form>
      {text && (
        <span className="row numbers" role="status">
          {found.fault ? (
            <span className="fault">{said(found.fault)}</span>
          ) : found.busy ? (
            t("searching")
          ) : (
            t(found.more ? "hits_more" : "hits", count)
          )}
          <button type="button" className="icon-button" aria-label={t("previous_hit")} onClick={() => view.goHit(-1)}>
            <Icon name="up" />
          </button>
          <button type="button" className="icon-button" aria-label={t("next_hit")} onClick={() => view.goHit(1)}>
            <Icon name="bottom" />
          </button>
        </span>
      )}
    </>
  );
}

function Toggle({ icon, word, on, onClick }: { icon: IconName; word: string; on: boolean; onClick: () => void }) {
  return (
    <button type="button" className="log-toggle" aria-pressed={on} onClick={onClick}>
      <Icon name={icon} />
      {word}
    </button>
  );
}

function JumpToTime({ onJump }: { onJump: (moment: string) => void }) {
  const { t } = useTranslation("job");
  const [open, setOpen] = useState(false);
  const jump = (value: string) => {
    if (value) onJump(new Date(value).toISOString());
    setOpen(false);
  };
  return open ? (
    <input
      type="datetime-local"
      step={1}
      autoFocus
      aria-label={t("jump")}
      className="log-select"
      onKeyDown={(event) => {
        if (event.key === "Escape") setOpen(false);
        if (event.key === "Enter" && event.currentTarget.value) jump(event.currentTarget.value);
      }}
      onBlur={(event) => jump(event.currentTarget.value)}
    />
  ) : (
    <button type="button" className="log-toggle" onClick={() => setOpen(true)}>
      {t("jump")}
    </button>
  );
}
