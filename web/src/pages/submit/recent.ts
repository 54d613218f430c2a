import { recall, recallJson, remember } from "@/shared/preferences";
import type { Checked } from "./api";

const IMAGES = 20;

/** The number in the name that the next new job gets. */
export const nextNumber = (): number => Number(recall("submit.number") ?? "1");
export const countUp = (number: number): void => remember("submit.number", String(number + 1));

/** Images of the latest jobs from this browser, newest first. */
export const recentImages = (): string[] => recallJson<string[]>("submit.images", []);

export function rememberImages(checked: Checked | undefined): void {
  const used = (checked?.jobs ?? []).flatMap((job) => job.roles.map((role) => role.image ?? "")).filter(Boolean);
  if (used.length)
    remember("submit.images", JSON.stringify([...new Set([...used, ...recentImages()])].slice(0, IMAGES)));
}
