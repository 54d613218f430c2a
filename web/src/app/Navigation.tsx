import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { NavLink } from "react-router-dom";
import { useMe } from "@/api/session";
import { Icon, type IconName } from "@/shared/ui/Icon";
import { countsQuery } from "@/api/jobs";

interface Entry {
  to: string;
  word: string;
  icon: IconName;
  exact?: boolean;
  badge?: number;
}

function useGroups(): Array<{ word: string; entries: Entry[] }> {
  const me = useMe();
  const { data: states = {} } = useQuery(countsQuery);
  const live = (states.queued ?? 0) + (states.starting ?? 0) + (states.running ?? 0) + (states.stopping ?? 0);
  const groups: Array<{ word: string; entries: Entry[] }> = [
    { word: "", entries: [{ to: "/", word: "overview", icon: "home", exact: true }] },
    {
      word: "training",
      entries: [
        { to: "/jobs/new", word: "submit", icon: "plus" },
        { to: "/jobs", word: "jobs", icon: "jobs", badge: live },
        { to: "/queue", word: "queue", icon: "queue" },
      ],
    },
    { word: "resources", entries: [{ to: "/nodes", word: "nodes", icon: "nodes" }] },
    {
      word: "me",
      entries: [
        { to: "/me/tokens", word: "tokens", icon: "key" },
        { to: "/me/profile", word: "profile", icon: "person" },
      ],
    },
  ];
  if (me.administrator) {
    groups.push({
      word: "administration",
      entries: [
        { to: "/admin/settings", word: "settings", icon: "gear" },
        { to: "/admin/health", word: "health", icon: "pulse" },
      ],
    });
  }
  return groups;
}

function EntryLink({ entry, collapsed }: { entry: Entry; collapsed: boolean }) {
  const { t } = useTranslation("app");
  const label = t(`nav.${entry.word}`);
  // /jobs/new is a page of its own, not a part of /jobs.
  const exact = entry.exact ?? entry.to === "/jobs/new";
  return (
    <NavLink
      to={entry.to}
      end={exact}
      title={collapsed ? label : undefined}
      className={({ isActive }) =>
        `nav-link${isActive && !(entry.to === "/jobs" && location.pathname === "/jobs/new") ? " nav-here" : ""}`
      }
    >
      <Icon name={entry.icon} />
      <span className="nav-word">{label}</span>
      {entry.badge ? (
        <span className="nav-badge" aria-label={t("live_jobs", { count: entry.badge })}>
          {entry.badge > 999 ? "999+" : entry.badge}
        </span>
      ) : null}
    </NavLink>
  );
}

export function Navigation({ collapsed, onCollapse }: { collapsed: boolean; onCollapse: () => void }) {
  const { t } = useTranslation("app");
  return (
    <nav className="nav" aria-label={t("navigation")}>
      <div className="nav-scroll">
        {useGroups().map((group) => (
          <div key={group.word} className="nav-group">
            {group.word && <p className="nav-title">{t(`group.${group.word}`)}</p>}
            {group.entries.map((entry) => (
              <EntryLink key={entry.to} entry={entry} collapsed={collapsed} />
            ))}
          </div>
        ))}
      </div>
      <button
        type="button"
        className="nav-collapse"
        onClick={onCollapse}
        aria-label={t(collapsed ? "expand" : "collapse")}
        title={t(collapsed ? "expand" : "collapse")}
      >
        <Icon name={collapsed ? "right" : "left"} />
      </button>
    </nav>
  );
}

/** The four places a thumb needs. */
export function BottomBar() {
  const { t } = useTranslation("app");
  const entries: Array<[string, string, IconName]> = [
    ["/", "overview", "home"],
    ["/jobs", "jobs", "jobs"],
    ["/jobs/new", "submit", "plus"],
    ["/queue", "queue", "queue"],
  ];
  return (
    <nav className="bottom-bar" aria-label={t("quick_navigation")}>
      {entries.map(([to, word, icon]) => (
        <NavLink key={to} to={to} end>
          <Icon name={icon} />
          <span>{t(`nav.${word}`)}</span>
        </NavLink>
      ))}
    </nav>
  );
}
