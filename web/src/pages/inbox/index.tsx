import { Button, Drawer } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router-dom";
import type { JobState } from "@/api/client";
import { clearInbox, markRead, useInbox, type Notice } from "@/shared/inbox";
import { Face } from "@/shared/ui/Face";
import { StateShape } from "@/shared/ui/StateTag";
import { Moment } from "@/shared/ui/Time";
import "./inbox.css";

const stateOf = (kind: string) => kind.replace("job.", "") as JobState;

/** What happened to my jobs while I looked elsewhere, newest first, together per job. */
export default function Inbox({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("inbox");
  const notices = useInbox();
  const [unreadOnly, setUnreadOnly] = useState(true);
  const shown = notices.filter((notice) => !unreadOnly || !notice.read);
  const byJob = new Map<string, Notice[]>();
  for (const notice of shown) byJob.set(notice.job, [...(byJob.get(notice.job) ?? []), notice]);
  return (
    <Drawer
      open
      onClose={onClose}
      title={t("title")}
      size={400}
      extra={
        <div className="row">
          <Button size="small" disabled={!notices.some((notice) => !notice.read)} onClick={() => markRead()}>
            {t("read_all")}
          </Button>
          <Button size="small" disabled={notices.length === 0} onClick={clearInbox}>
            {t("clear")}
          </Button>
        </div>
      }
    >
      <div className="segments" role="group" aria-label={t("title")}>
        <button type="button" aria-pressed={unreadOnly} onClick={() => setUnreadOnly(true)}>
          {t("unread")}
        </button>
        <button type="button" aria-pressed={!unreadOnly} onClick={() => setUnreadOnly(false)}>
          {t("all")}
        </button>
      </div>
      {byJob.size === 0 && (
        <Face icon="bell" title={t("empty")}>
          {t("empty_text")}
        </Face>
      )}
      <ul className="inbox">
        {[...byJob].map(([job, own]) => (
          <li key={job} className={own.some((notice) => !notice.read) ? "inbox-new" : undefined}>
            <Link
              to={own[0]?.kind === "job.failed" ? `/jobs/${job}` : `/jobs/${job}/logs`}
              onClick={() => {
                markRead(own.map((notice) => notice.id));
                onClose();
              }}
            >
              {own[0]?.name}
            </Link>
            <ol>
              {own.slice(0, 5).map((notice) => (
                <li key={notice.id}>
                  <StateShape state={stateOf(notice.kind)} />
                  <span className="grow">{t(`kind.${notice.kind}`)}</span>
                  <Moment at={notice.at} />
                </li>
              ))}
            </ol>
          </li>
        ))}
      </ul>
    </Drawer>
  );
}
