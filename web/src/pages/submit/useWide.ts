import { useSyncExternalStore } from "react";

const width = matchMedia("(min-width: 1200px)");
const subscribe = (listener: () => void) => {
  width.addEventListener("change", listener);
  return () => width.removeEventListener("change", listener);
};

/** Whether the preview stands beside the form; otherwise it is shown before submitting. */
export function useWide(): boolean {
  return useSyncExternalStore(subscribe, () => width.matches);
}
