import type { ThemeName } from "@/shared/theme";

const colours: Record<ThemeName, string[]> = {
  light: ["#2456C8", "#D96A00", "#4F9A86", "#8F1F6F", "#1D232B"],
  dark: ["#5B8DEF", "#FF9A3D", "#3FC9A5", "#E85FB5", "#F2F4F7"],
  contrast: ["#2456C8", "#D96A00", "#4F9A86", "#8F1F6F", "#1D232B"],
};
const dashes: Array<"solid" | number[]> = ["solid", [6, 4], [2, 3], [8, 3, 2, 3]];

/** Five colours in four dashes: twenty lines that stay apart, also for eyes that see few colours. */
export function lookOf(index: number, theme: ThemeName): { colour: string; dash: "solid" | number[] } {
  const list = colours[theme];
  return {
    colour: list[index % list.length] ?? "#2456C8",
    dash: dashes[Math.floor(index / list.length) % dashes.length] ?? "solid",
  };
}
