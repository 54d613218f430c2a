import { useEffect, useState } from "react";
import { recall, remember, usePreference } from "./preferences";

export const themes = ["system", "light", "dark", "contrast"] as const;
export type ThemeChoice = (typeof themes)[number];
export type ThemeName = "light" | "dark" | "contrast";

const darkness = matchMedia("(prefers-color-scheme: dark)");

export function themeNow(choice = recall("theme")): ThemeName {
  if (choice === "contrast") return "contrast";
  if (choice === "dark" || (choice !== "light" && darkness.matches)) return "dark";
  return "light";
}

function apply(): ThemeName {
  const name = themeNow();
  document.documentElement.dataset.theme = name;
  return name;
}

export function setTheme(choice: ThemeChoice): void {
  remember("theme", choice);
  apply();
}

/** The chosen theme and the one it comes to; follows the system while the choice is left to it. */
export function useTheme(): { choice: ThemeChoice; name: ThemeName } {
  const [kept] = usePreference("theme", "system");
  const [name, setName] = useState<ThemeName>(apply);
  useEffect(() => {
    const follow = () => setName(apply());
    follow();
    darkness.addEventListener("change", follow);
    return () => darkness.removeEventListener("change", follow);
  }, [kept]);
  return { choice: (themes as readonly string[]).includes(kept) ? (kept as ThemeChoice) : "system", name };
}
