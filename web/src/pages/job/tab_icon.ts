import type { JobState } from "@/api/client";

const signs: Record<JobState, [string, string]> = {
  queued: ["○", "%2359636f"],
  starting: ["◐", "%230a6f86"],
  running: ["●", "%230a4fc4"],
  stopping: ["◧", "%238f6200"],
  paused: ["‖", "%238f6200"],
  succeeded: ["✓", "%2300704a"],
  failed: ["✗", "%23a8140c"],
  cancelled: ["■", "%23343a43"],
};

let usual: string | null = null;

/** The browser's tab says how the job stands, so that it can be watched from another one. Returns what undoes it. */
export function showState(state: JobState, title: string): () => void {
  const icon = document.getElementById("icon") as HTMLLinkElement | null;
  const [sign, colour] = signs[state];
  document.title = `${sign} ${title}`;
  if (icon) {
    usual ??= icon.href;
    icon.href = `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='7' fill='${colour}'/%3E%3Ctext x='16' y='23' font-size='20' text-anchor='middle' fill='white'%3E${sign}%3C/text%3E%3C/svg%3E`;
  }
  return () => {
    if (icon && usual) icon.href = usual;
  };
}
