import { useTranslation } from "react-i18next";
import type { JobState, TaskState } from "@/api/client";
import "./StateTag.css";

export type AnyState = JobState | TaskState | "unknown";

/** Colour and shape of a state; task states borrow from the job state they look like. */
const looks: Record<AnyState, string> = {
  queued: "queued",
  waiting: "queued",
  starting: "starting",
  running: "running",
  stopping: "stopping",
  paused: "paused",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  stopped: "cancelled",
  unknown: "unknown",
};

const shapes: Record<string, React.ReactNode> = {
  queued: <circle cx="8" cy="8" r="5" fill="none" strokeWidth="1.8" />,
  starting: (
    <g className="state-turn">
      <circle cx="8" cy="8" r="5.2" fill="none" strokeWidth="1.6" />
      <path d="M8 2.8a5.2 5.2 0 0 1 0 10.4z" stroke="none" />
    </g>
  ),
  running: <circle cx="8" cy="8" r="5" stroke="none" className="state-pulse" />,
  stopping: (
    <g>
      <rect x="3" y="3" width="10" height="10" fill="none" strokeWidth="1.6" />
      <rect x="3" y="3" width="5" height="10" stroke="none" />
    </g>
  ),
  paused: <path d="M4 3h3v10H4zM9 3h3v10H9z" stroke="none" />,
  succeeded: <path d="M3 8.5l3.4 3.4L13 4.6" fill="none" strokeWidth="2.2" />,
  failed: <path d="M4 4l8 8M12 4l-8 8" fill="none" strokeWidth="2.2" />,
  cancelled: <rect x="3.5" y="3.5" width="9" height="9" stroke="none" />,
  unknown: <path d="M5.4 6a2.6 2.6 0 1 1 3.8 2.3c-.8.4-1.2.9-1.2 1.7M8 12.6v.2" fill="none" strokeWidth="1.8" />,
};

/** The shape alone, for strips and tab icons; its meaning must stand beside it in words. */
export function StateShape({ state }: { state: AnyState }) {
  const look = looks[state] ?? "unknown";
  return (
    <svg className={`state-shape state-${look}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      {shapes[look]}
    </svg>
  );
}

export function StateTag({ state, plain = false }: { state: AnyState; plain?: boolean }) {
  const { t } = useTranslation("shared");
  return (
    <span className={`state-tag state-${looks[state] ?? "unknown"}${plain ? " state-plain" : ""}`}>
      <StateShape state={state} />
      {t(`state.${state}`)}
    </span>
  );
}
