import { Button } from "antd";
import { lazy, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useLocation, useNavigate } from "react-router-dom";
import { useMe } from "@/api/session";
import { Icon } from "@/shared/ui/Icon";
import { LINE, Menu } from "@/shared/ui/Menu";
import { setTheme, themes, useTheme } from "@/shared/theme";
import { signOut } from "@/api/session";
import { setLanguage } from "@/shared/language";
import { WorkspaceSwitcher } from "./WorkspaceSwitcher";
import { Bell } from "./Bell";

const Palette = lazy(() => import("@/pages/palette"));

/** Keys that mean something on every page, unless somebody is typing. */
function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

const places: Record<string, string> = { h: "/", j: "/jobs", n: "/nodes", q: "/queue", s: "/jobs/new" };

function useKeys(openPalette: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let going = 0;
    const press = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        openPalette();
        return;
      }
      if (typing(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "g") {
        going = Date.now();
        return;
      }
      const place = places[event.key];
      if (place && Date.now() - going < 1200) {
        event.preventDefault();
        going = 0;
        navigate(place);
      } else if (event.key === "?") {
        openPalette();
      }
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [navigate, openPalette]);
}

export function Header({ onMenu, drawer }: { onMenu: () => void; drawer: boolean }) {
  const { t, i18n } = useTranslation("app");
  const me = useMe();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { choice } = useTheme();
  const [palette, setPalette] = useState(false);
  useKeys(() => setPalette(true));
  const other = i18n.language === "zh" ? "en" : "zh";
  return (
    <header className="header">
      <button
        type="button"
        className="icon-button menu-button"
        aria-label={t("menu")}
        aria-expanded={drawer}
        onClick={onMenu}
      >
        <Icon name="menu" size={20} />
      </button>
      <Link to="/" className="brand">
        Trainyard
      </Link>
      <WorkspaceSwitcher />
      <button type="button" className="search-button" onClick={() => setPalette(true)}>
        <Icon name="search" />
        <span className="cut grow">{t("search")}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <div className="header-end">
        <Button
          type="primary"
          className="header-submit"
          data-here={pathname === "/jobs/new" || undefined}
          icon={<Icon name="plus" />}
          onClick={() => navigate("/jobs/new")}
        >
          {t("nav.submit")}
        </Button>
        <Bell />
        <button
          type="button"
          className="icon-button language"
          lang={other}
          aria-label={other === "zh" ? "中：切换到中文" : "EN: switch to English"}
          title={other === "zh" ? "切换到中文" : "Switch to English"}
          onClick={() => void setLanguage(other)}
        >
          {other === "zh" ? "中" : "EN"}
        </button>
        <Menu
          items={themes.map((name) => ({ key: name, label: t(`theme.${name}`) }))}
          selected={choice}
          onChoose={(key) => setTheme(key as (typeof themes)[number])}
        >
          <button type="button" className="icon-button" aria-label={t("theme.title")} title={t("theme.title")}>
            <Icon name="theme" size={18} />
          </button>
        </Menu>
        <Menu
          items={[
            { key: "/me/profile", label: t("nav.profile"), onClick: () => navigate("/me/profile") },
            { key: "/me/tokens", label: t("nav.tokens"), onClick: () => navigate("/me/tokens") },
            LINE,
            { key: "out", label: t("sign_out"), onClick: () => void signOut() },
          ]}
        >
          <button
            type="button"
            className="person-button"
            aria-label={t("person", { name: me.display_name || me.name })}
          >
            <span className="person-sign" data-sign={(me.display_name || me.name || "?").slice(0, 1).toUpperCase()} />
            <span className="person-name cut">{me.display_name || me.name}</span>
          </button>
        </Menu>
      </div>
      {palette && (
        <Suspense fallback={null}>
          <Palette onClose={() => setPalette(false)} />
        </Suspense>
      )}
    </header>
  );
}
