import { recallJson, remember, usePreference } from "@/shared/preferences";
import { readFilters, writeFilters, type Filters } from "./filters";

/** Filters kept under a name, in this browser. */
export function useViews() {
  usePreference("jobs.views", "");
  const kept = recallJson<Record<string, string>>("jobs.views", {});
  const write = (next: Record<string, string>) => remember("jobs.views", JSON.stringify(next));
  return {
    names: Object.keys(kept).sort(),
    open: (name: string): Filters => readFilters(new URLSearchParams(kept[name] ?? "")).filters,
    save: (name: string, filters: Filters) => {
      if (name.trim()) write({ ...kept, [name.trim()]: writeFilters(filters).toString() });
    },
    drop: (name: string) => {
      const { [name]: gone, ...rest } = kept;
      void gone;
      write(rest);
    },
  };
}
