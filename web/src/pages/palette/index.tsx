import { useQuery } from "@tanstack/react-query";
import { Modal } from "antd";
import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import type { Job, JobSummary } from "@/api/client";
import { signOut, useMe } from "@/api/session";
import { keys, queries } from "@/api/queries";
import { setLanguage } from "@/shared/language";
import { useNodes } from "@/api/nodes";
import { setTheme, themeNow } from "@/shared/theme";
import { mayStop } from "@/shared/job/states";
import { useJobActions } from "@/shared/job/useJobActions";
import { useMayChange } from "@/shared/job/JobMenu";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { StateTag } from "@/shared/ui/StateTag";
import { foundQuery } from "./api";
import { best, score, synonyms } from "./match";
import "./palette.css";

interface Entry {
  key: string;
  group: "pages" | "actions" | "jobs" | "nodes";
  label: string;
  icon?: IconName;
  job?: JobSummary;
  rank: number;
  /** False: the palette stays open behind what it asks. */
  run: () => void;
}

const groups = ["actions", "pages", "jobs", "nodes"] as const;

/** One box for everything: pages, jobs, nodes, and what can be done with the open job. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const { t, i18n } = useTranslation("palette");
  const { t: app } = useTranslation("app");
  const { t: shared } = useTranslation("shared");
  const navigate = useNavigate();
  const place = useLocation();
  const me = useMe();
  const mayChange = useMayChange();
  const actions = useJobActions();
  const [text, setText] = useState("");
  const [asked, setAsked] = useState("");
  const [at, setAt] = useState(0);
  const [hidden, setHidden] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text.replace(/^[>@#:]/, "").trim()), 120);
    return () => clearTimeout(timer);
  }, [text]);

  const prefix = /^[>@#:]/.exec(text)?.[0] ?? "";
  const words = text.slice(prefix.length).trim();
  const found = useQuery(foundQuery(asked, prefix));
  const nodes = useNodes();
  const openId = /^\/jobs\/([^/]+)/.exec(place.pathname)?.[1];
  const open = openId && openId !== "new" ? queries.getQueryData<Job>(keys.job(openId)) : undefined;

  const entries = useMemo(() => {
    const go = (path: string) => () => {
      onClose();
      navigate(path);
    };
    const all: Entry[] = [];
    const pages: Array<[string, string, IconName]> = [
      ["/", "overview", "home"],
      ["/jobs/new", "submit", "plus"],
      ["/jobs", "jobs", "jobs"],
      ["/queue", "queue", "queue"],
      ["/nodes", "nodes", "nodes"],
      ["/me/tokens", "tokens", "key"],
      ["/me/profile", "profile", "person"],
      ...(me.administrator
        ? ([
            ["/admin/settings", "settings", "gear"],
            ["/admin/health", "health", "pulse"],
          ] as Array<[string, string, IconName]>)
        : []),
    ];
    if (prefix === "" || prefix === ">") {
      for (const [path, word, icon] of pages) {
        const label = app(`nav.${word}`);
        const rank = best([label, ...(synonyms[word] ?? [])], words);
        if (rank && prefix === "") all.push({ key: path, group: "pages", label, icon, rank, run: go(path) });
      }
      const act = (key: string, label: string, icon: IconName, run: () => void, more: string[] = []) => {
        const rank = best([label, ...more], words);
        if (rank) all.push({ key, group: "actions", label, icon, rank: rank + (prefix === ">" ? 1 : 0), run });
      };
      // What asks a question keeps the palette alive, unseen, until it is answered.
      const ask = (run: () => void) => () => {
        setHidden(true);
        run();
      };
      if (open) {
        const name = open.handle;
        act("log", t("log", { name }), "log", go(`/jobs/${open.id}/logs`), ["日志", "logs"]);
        act("clone", t("clone", { name }), "copy", go(`/jobs/new?from=${open.id}`), ["克隆", "clone"]);
        if (mayStop(open.state) && mayChange(open))
          act(
            "stop",
            t("stop", { name }),
            "stop",
            ask(() => actions.stop(open, onClose)),
            ["停止", "终止", "halt", "kill", "stop"],
          );
        if (mayChange(open))
          act(
            "remove",
            t("remove", { name }),
            "trash",
            ask(() => actions.remove(open, go("/jobs"))),
            ["删除", "delete"],
          );
      }
      if (words || prefix === ">") {
        act(
          "theme",
          t("theme"),
          "theme",
          () => {
            setTheme(themeNow() === "dark" ? "light" : "dark");
            onClose();
          },
          ["主题", "深色", "dark", "theme"],
        );
        act(
          "language",
          t("language"),
          "edit",
          () => {
            void setLanguage(i18n.language === "zh" ? "en" : "zh");
            onClose();
          },
          ["语言", "english", "中文", "language"],
        );
        act("out", app("sign_out"), "right", () => void signOut(), ["登出", "logout"]);
      }
    }
    if (prefix !== ">") {
      for (const job of found.data ?? [])
        all.push({ key: job.id, group: "jobs", label: job.handle, job, rank: 1, run: go(`/jobs/${job.id}`) });
      for (const node of nodes.data ?? []) {
        const rank = words ? score(node.name, words) : 0;
        if (rank)
          all.push({
            key: `node ${node.name}`,
            group: "nodes",
            label: node.name,
            icon: "nodes",
            rank,
            run: go("/nodes"),
          });
      }
    }
    return groups.flatMap((group) =>
      all
        .filter((entry) => entry.group === group)
        .sort((a, b) => b.rank - a.rank)
        .slice(0, words ? 8 : 9),
    );
    // `actions` is made anew with each draw; what it does never differs.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [words, prefix, found.data, nodes.data, open, me.administrator, i18n.language, navigate, onClose]);

  const chosen = Math.min(at, Math.max(0, entries.length - 1));
  useEffect(() => setAt(0), [text]);
  // Nothing may be returned: newer browsers answer a scroll with a promise, which React would call in the end.
  useEffect(
    () => void list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }),
    [chosen],
  );
  return (
    <>
      <Modal
        open={!hidden}
        onCancel={onClose}
        footer={null}
        closable={false}
        width={620}
        title={<span className="visually-hidden">{t("title")}</span>}
        className="palette"
        style={{ top: 72 }}
        destroyOnHidden
      >
        <div className="palette-box">
          <Icon name="search" size={18} />
          <input
            autoFocus
            role="combobox"
            aria-expanded
            aria-controls="palette-list"
            aria-activedescendant={entries[chosen] ? `palette-${chosen}` : undefined}
            aria-label={t("title")}
            placeholder={t("hint")}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
              if (step) {
                event.preventDefault();
                setAt((chosen + step + entries.length) % Math.max(1, entries.length));
              } else if (event.key === "Enter") {
                event.preventDefault();
                entries[chosen]?.run();
              }
            }}
          />
        </div>
        <div id="palette-list" ref={list} role="listbox" aria-label={t("results")} className="palette-list">
          {entries.map((entry, index) => (
            <div key={entry.key} role="presentation">
              {entry.group !== entries[index - 1]?.group && (
                <p className="palette-group" role="presentation">
                  {t(`group.${entry.group}`)}
                </p>
              )}
              <div
                id={`palette-${index}`}
                role="option"
                aria-selected={index === chosen}
                className="palette-entry"
                onMouseMove={() => setAt(index)}
                onClick={entry.run}
              >
                {entry.icon && <Icon name={entry.icon} />}
                {entry.job && <StateTag state={entry.job.state} plain />}
                <span className="grow cut">{entry.label}</span>
                {entry.job && <span className="quiet">{entry.job.owner}</span>}
              </div>
            </div>
          ))}
        </div>
        {entries.length === 0 && !found.isFetching && (
          <p className="palette-none" role="status">
            {t("empty")}
          </p>
        )}
        <p className="palette-keys quiet">
          {t("keys")} · {shared("close")} <kbd>Esc</kbd>
        </p>
      </Modal>
      {actions.dialogs}
    </>
  );
}
