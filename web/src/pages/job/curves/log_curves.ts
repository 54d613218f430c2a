import type { Schemas } from "@/api/client";
import { plainText } from "../ansi";
import { readLine } from "./read_line";

export interface Mark {
  line: number;
  /** Milliseconds, as the clock shows it. */
  at: number | null;
  step: number | null;
  epoch: number | null;
  value: number | null;
}

export type AskLines = (part: { first?: number; count: number }) => Promise<Schemas["LogLines"]>;

/** Up to here a log is read whole; of longer ones, windows spread evenly over all of it, and all that comes afterwards. */
export const WHOLE = 20_000;
const ASKED = 2_000; // lines in one question
const WINDOWS = 60;
const WINDOW = 200;
const MOST_CURVES = 40;
const MOST_MARKS = 8_000;

/** The curves of one task's log, as far as it has been read. However long the log is, what is read of it is bounded. */
export class LogCurves {
  readonly curves = new Map<string, Mark[]>();
  total = 0;
  /** Not every line was looked at. */
  sampled = false;
  private next = 1;

  constructor(private readonly ask: AskLines) {}

  /** Reads what has been written since the last time. */
  async advance(): Promise<void> {
    for (;;) {
      const answer = await this.ask({ first: this.next, count: ASKED });
      this.total = answer.total;
      if (answer.total - this.next >= WHOLE) {
        await this.sample(this.next, answer.total);
        continue;
      }
      this.take(answer);
      // A line that is still being written is read again once it is whole.
      const open = answer.lines.at(-1)?.at === null ? 1 : 0;
      this.next = Math.max(this.next, answer.first + answer.lines.length - open);
      if (answer.lines.length <= open || this.next + open > this.total) return;
    }
  }

  private async sample(from: number, to: number): Promise<void> {
    this.sampled = true;
    const stride = (to - ASKED - from) / WINDOWS;
    for (let i = 0; i < WINDOWS; i += 1)
      this.take(await this.ask({ first: Math.floor(from + i * stride), count: WINDOW }));
    this.next = to - ASKED + 1;
  }

  private take(answer: Schemas["LogLines"]): void {
    answer.lines.forEach((line, index) => {
      const found = readLine(plainText(line.text));
      if (!found) return;
      const at = line.at ? Date.parse(line.at) : null;
      for (const [name, value] of found.values) {
        let marks = this.curves.get(name);
        if (!marks) {
          if (this.curves.size >= MOST_CURVES) continue;
          marks = [];
          this.curves.set(name, marks);
        }
        const mark = { line: answer.first + index, at, step: found.step, epoch: found.epoch, value };
        if (marks.at(-1)?.line === mark.line) marks[marks.length - 1] = mark;
        else marks.push(mark);
        // Every other one goes: a curve of thousands of points looks the same with half of them.
        if (marks.length > MOST_MARKS)
          this.curves.set(
            name,
            marks.filter((_, i) => i % 2 === 0 || i === (marks?.length ?? 0) - 1),
          );
      }
    });
  }
}

export const axes = ["step", "epoch", "time", "elapsed", "line"] as const;
export type Axis = (typeof axes)[number];

/** Where a mark stands on an axis; `start` is when the task began. */
export function place(mark: Mark, axis: Axis, start: number): number | null {
  if (axis === "time") return mark.at;
  if (axis === "elapsed") return mark.at === null ? null : (mark.at - start) / 1000;
  return mark[axis];
}

/** The axis that tells most: steps if they are counted and only grow, then epochs, then the time since the start. */
export function usualAxis(curves: Iterable<Mark[]>): Axis {
  const all = [...curves].filter((marks) => marks.length > 1);
  const grows = (axis: "step" | "epoch") =>
    all.length > 0 &&
    all.every((marks) =>
      marks.every((mark, i) => mark[axis] !== null && (i === 0 || (mark[axis] ?? 0) > (marks[i - 1]?.[axis] ?? 0))),
    );
  if (grows("step")) return "step";
  if (grows("epoch")) return "epoch";
  return all.some((marks) => marks.some((mark) => mark.at === null)) ? "line" : "elapsed";
}
