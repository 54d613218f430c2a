import { recallJson, remember } from "@/shared/preferences";
import { withoutSecrets } from "./job_file";

export interface Draft {
  text: string;
  at: number;
}

const DAYS = 30;
const keyFor = (user: string) => `draft.${user}`;

/** What somebody was writing when the page was left; secrets are not kept. */
export function recallDraft(user: string): Draft | null {
  const draft = recallJson<Draft | null>(keyFor(user), null);
  return draft && typeof draft.text === "string" && Date.now() - draft.at < DAYS * 86_400_000 ? draft : null;
}

export function keepDraft(user: string, text: string): void {
  remember(keyFor(user), JSON.stringify({ text: withoutSecrets(text), at: Date.now() } satisfies Draft));
}

export function dropDraft(user: string): void {
  remember(keyFor(user), null);
}
