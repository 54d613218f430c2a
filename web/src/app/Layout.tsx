import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useLocation, useNavigation } from "react-router-dom";
import { startEvents } from "@/api/events";
import { ApiError } from "@/api/client";
import { meQuery } from "@/api/session";
import { collectNotices } from "@/shared/inbox";
import { recall, usePreference } from "@/shared/preferences";
import { ErrorFace } from "@/shared/ui/Face";
import { BottomBar, Navigation } from "./Navigation";
import { Header } from "./Header";
import { keepFresh } from "./keep_fresh";
import { DropAnywhere } from "./DropAnywhere";
import { LiveStrip } from "./LiveStrip";
import { SessionWatch } from "./SessionWatch";

let tied = false;

/** The frame around every page: header, navigation, what is said to everybody, and the page itself. */
export function Layout() {
  const { t, i18n } = useTranslation("app");
  const [collapsed, setCollapsed] = usePreference("nav", "wide");
  const [drawer, setDrawer] = useState(false);
  const place = useLocation();
  const navigation = useNavigation();
  const me = useQuery({ ...meQuery, retry: 1 });
  const stranger = me.error instanceof ApiError && me.error.status === 401 && !me.data;

  useEffect(() => {
    if (stranger) location.replace(`/signin?from=${encodeURIComponent(place.pathname + place.search)}`);
  }, [stranger, place]);
  useEffect(() => {
    if (!me.data || tied) return;
    tied = true;
    startEvents();
    keepFresh();
    collectNotices();
  }, [me.data]);
  useEffect(() => setDrawer(false), [place.pathname]);
  useEffect(() => {
    // An administrator who came by the one-time link has no password yet: that comes first.
    if (me.data && !me.data.has_password && place.pathname !== "/setup" && recall("later") !== me.data.name)
      location.replace("/setup");
  }, [me.data, place.pathname]);

  if (stranger || (me.isPending && !me.data)) return <div className="boot" role="status" aria-label={t("loading")} />;
  if (me.error && !me.data) return <ErrorFace error={me.error} retry={() => void me.refetch()} />;

  return (
    <div className="frame" data-nav={collapsed} data-drawer={drawer ? "open" : undefined} lang={i18n.language}>
      <a className="skip" href="#main">
        {t("skip")}
      </a>
      <Header onMenu={() => setDrawer(!drawer)} drawer={drawer} />
      <Navigation
        collapsed={collapsed === "narrow"}
        onCollapse={() => setCollapsed(collapsed === "narrow" ? "wide" : "narrow")}
      />
      {drawer && (
        <button type="button" className="veil" aria-label={t("close_menu")} onClick={() => setDrawer(false)} />
      )}
      <main id="main" tabIndex={-1} className="main">
        {navigation.state === "loading" && <div className="progress" role="progressbar" aria-label={t("loading")} />}
        <LiveStrip />
        <Outlet />
      </main>
      <BottomBar />
      <DropAnywhere />
      <SessionWatch />
    </div>
  );
}
