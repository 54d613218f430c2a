/** One line as it is shown. */
export interface Line {
  /** From 1; 0 in a merged view, which has no numbers of its own. */
  number: number;
  at: string | null;
  task: string;
  text: string;
  cut: boolean;
}

/** Where lines come from: one task's log of any length, or all tasks merged. */
export interface LogSource {
  /** How many lines there are, loaded or not. */
  total: number;
  /** A line by its place from 0; undefined while it is on its way. */
  get: (index: number) => Line | undefined;
  /** These places are being looked at. */
  want: (from: number, to: number) => void;
  loading: boolean;
  error: unknown;
  retry: () => void;
  /** Changes whenever lines did. */
  version: number;
}
