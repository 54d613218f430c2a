import { useEffect, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "antd";
import { ApiError } from "@/api/client";
import { useSaid } from "@/shared/messages";
import { CopyText } from "./CopyText";
import { Icon, type IconName } from "./Icon";
import "./Face.css";

/** What a panel shows instead of its content, and what can be done about it. */
export function Face({
  title,
  children,
  actions,
  icon,
  tone = "calm",
}: {
  title: ReactNode;
  children?: ReactNode;
  actions?: ReactNode;
  icon?: IconName;
  tone?: "calm" | "bad";
}) {
  return (
    <div className={`face face-${tone}`} role={tone === "bad" ? "alert" : undefined}>
      {icon && (
        <span className="face-icon">
          <Icon name={icon} size={22} />
        </span>
      )}
      <div className="face-title">{title}</div>
      {children && <div className="face-text">{children}</div>}
      {actions && <div className="face-actions">{actions}</div>}
    </div>
  );
}

/** Bars in the shape of what is coming; only when it takes longer than a blink. */
export function LoadingFace({ lines = 5 }: { lines?: number }) {
  const { t } = useTranslation("shared");
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="face-loading" aria-busy="true" role="status">
      <span className="visually-hidden">{t("loading")}</span>
      {shown && Array.from({ length: lines }, (_, i) => <div key={i} className="face-bar" />)}
    </div>
  );
}

/** Why something could not be had, in words, with a way to try again. */
export function ErrorFace({ error, retry, children }: { error: unknown; retry?: () => void; children?: ReactNode }) {
  const { t } = useTranslation("shared");
  const said = useSaid();
  const known = error instanceof ApiError ? error : null;
  const code = known?.code ?? "internal";
  return (
    <Face
      tone="bad"
      icon="warning"
      title={t(`error.${code}`)}
      actions={
        <>
          {retry && code !== "forbidden" && <Button onClick={retry}>{t("retry")}</Button>}
          {children}
        </>
      }
    >
      {error instanceof Error && code !== "offline" && <p>{said(error)}</p>}
      {known?.requestId && code !== "not_found" && (
        <p className="quiet">
          {t("request_id")} <CopyText text={known.requestId} />
        </p>
      )}
    </Face>
  );
}
