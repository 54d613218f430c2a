import { useAddress } from "@/shared/hooks/useAddress";
import { usePreference } from "@/shared/preferences";

export const modes = ["basic", "professional", "editor"] as const;
export type Mode = (typeof modes)[number];

/** How somebody writes jobs: what the address says, or what was chosen last. */
export function useMode(): [Mode, (mode: Mode) => void] {
  const [query, put] = useAddress();
  const [kept, setKept] = usePreference("submit.mode", "basic");
  const asked = query.get("mode") ?? kept;
  const mode = modes.find((one) => one === asked) ?? "basic";
  return [
    mode,
    (next) => {
      setKept(next);
      put({ mode: next });
    },
  ];
}
