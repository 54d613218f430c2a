import { useEffect, type ReactNode } from "react";
import "./Page.css";

/** The frame of a page's content: title, actions at the right, what follows below. */
export function Page({
  title,
  label,
  actions,
  children,
  fill = false,
}: {
  title: ReactNode;
  label: string;
  actions?: ReactNode;
  children: ReactNode;
  fill?: boolean;
}) {
  useEffect(() => {
    document.title = `${label} · Trainyard`;
  }, [label]);
  return (
    <div className={`page${fill ? " page-fill" : ""}`}>
      <div className="page-head">
        {typeof title === "string" ? <h1>{title}</h1> : title}
        {actions && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}
