import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { retryEvents, useLive } from "@/api/events";
import { queries } from "@/api/queries";
import { useNow } from "@/shared/hooks/useNow";
import { shortTime } from "@/shared/format/time";
import { languageNow } from "@/shared/language";

const POLL = 10_000;

/** Says so when the page no longer hears what happens, and asks every ten seconds meanwhile. */
export function LiveStrip() {
  const { t } = useTranslation("app");
  const live = useLive();
  const now = useNow(live.state === "live" ? 0 : 1000);
  const [back, setBack] = useState(false);
  const shown = live.lostSince > 0 && now - live.lostSince > 3000 && live.state !== "over";

  useEffect(() => {
    if (!shown) return undefined;
    const timer = setInterval(() => void queries.invalidateQueries(), POLL);
    return () => {
      clearInterval(timer);
      setBack(true);
    };
  }, [shown]);
  useEffect(() => {
    if (!back) return undefined;
    const timer = setTimeout(() => setBack(false), 4000);
    return () => clearTimeout(timer);
  }, [back]);

  const seconds = Math.max(0, Math.ceil((live.retryAt - now) / 1000));
  return (
    <div role="status" className="strip-place">
      {shown && (
        <div className="strip strip-warn">
          <span>
            {live.state === "lost" && seconds > 0 ? t("live.lost_for", { count: seconds }) : t("live.lost")}
            {" · "}
            {t("live.as_of", { time: shortTime(live.lostSince, languageNow()) })}
          </span>
          <button type="button" className="link-button" onClick={retryEvents}>
            {t("live.retry")}
          </button>
        </div>
      )}
      {!shown && back && live.state === "live" && <div className="strip strip-good">{t("live.back")}</div>}
    </div>
  );
}
