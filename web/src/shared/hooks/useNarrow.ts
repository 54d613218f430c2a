import { useSyncExternalStore } from "react";

const narrowness = matchMedia("(max-width: 767px)");
const subscribe = (listener: () => void) => {
  narrowness.addEventListener("change", listener);
  return () => narrowness.removeEventListener("change", listener);
};

/** Whether rows must become cards. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrowness.matches);
}
