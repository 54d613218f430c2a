import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useUnread } from "@/shared/inbox";
import { Icon } from "@/shared/ui/Icon";

const Inbox = lazy(() => import("@/pages/inbox"));

export function Bell() {
  const { t } = useTranslation("app");
  const unread = useUnread();
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="icon-button bell"
        title={t("bell")}
        aria-label={unread ? t("bell_unread", { count: unread }) : t("bell")}
        onClick={() => setOpen(true)}
      >
        <Icon name="bell" size={18} />
        {unread > 0 && (
          <span className="bell-count" aria-hidden="true">
            {unread > 99 ? "99+" : unread}
          </span>
        )}
      </button>
      {open && (
        <Suspense fallback={null}>
          <Inbox onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
