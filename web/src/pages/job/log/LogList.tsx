import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useImperativeHandle, useRef, useState, type Ref } from "react";
import { useTranslation } from "react-i18next";
import { languageNow } from "@/shared/language";
import { fullTime } from "@/shared/format/time";
import { folded, levelOf, plainText, runs } from "../ansi";
import type { Line, LogSource } from "./types";

const HEIGHT = 20;
/** Browsers cannot draw a box of more than some ten million pixels: beyond this many lines, a window of them moves. */
const WINDOW = 400_000;
const LONGEST = 2000;

export interface LogHandle {
  toLine: (index: number) => void;
  toEnd: () => void;
}

interface Props {
  source: LogSource;
  follow: boolean;
  onFollow: (follow: boolean) => void;
  wrap: boolean;
  times: boolean;
  merged: boolean;
  marked: number | null;
  pattern: RegExp | null;
  onMark: (line: number) => void;
  handle: Ref<LogHandle>;
}

/** The lines that can be seen, out of as many as there are. */
export function LogList({ source, follow, onFollow, wrap, times, merged, marked, pattern, onMark, handle }: Props) {
  const { t } = useTranslation("job");
  const scroller = useRef<HTMLDivElement>(null);
  const [base, setBase] = useState(0);
  const count = Math.min(source.total - base, WINDOW);
  const virtual = useVirtualizer({
    count: Math.max(0, count),
    getScrollElement: () => scroller.current,
    estimateSize: () => HEIGHT,
    overscan: 30,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const { want } = source;
  useEffect(() => {
    if (source.total) want(base + first, Math.min(base + last, source.total - 1));
  }, [want, base, first, last, source.total, source.version]);

  // Where to go, once the window that holds it has been drawn.
  const pending = useRef<{ to: number | "end"; base: number } | null>(null);
  const settle = () => {
    const target = pending.current;
    if (!target || target.base !== base || !scroller.current) return;
    pending.current = null;
    if (target.to === "end") scroller.current.scrollTop = scroller.current.scrollHeight;
    else virtual.scrollToIndex(target.to - base, { align: "center" });
  };
  const go = (to: number | "end", window: number) => {
    pending.current = { to, base: window };
    if (window !== base) setBase(window);
    else requestAnimationFrame(settle);
  };
  const toEnd = () => go("end", source.total > base + WINDOW ? source.total - WINDOW / 2 : base);
  useImperativeHandle(handle, () => ({
    toLine: (index) => go(index, index < base || index >= base + WINDOW ? Math.max(0, index - WINDOW / 2) : base),
    toEnd,
  }));
  useEffect(settle);
  // A log that outgrows the window while it is followed takes the window along.
  useEffect(() => {
    if (follow && source.total > 0) toEnd();
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [follow, source.total, source.version]);

  const before = useRef(0);
  const scrolled = () => {
    const box = scroller.current;
    if (!box) return;
    const up = box.scrollTop < before.current - 2;
    before.current = box.scrollTop;
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < HEIGHT;
    if (follow && up && !atEnd) onFollow(false);
  };
  return (
    <div
      ref={scroller}
      className={`log-scroll${wrap ? " log-wrap" : ""}`}
      role="log"
      aria-live="off"
      aria-label={t("tab.logs")}
      tabIndex={0}
      onScroll={scrolled}
    >
      {base > 0 && (
        <button
          type="button"
          className="link-button log-earlier"
          onClick={() => setBase(Math.max(0, base - WINDOW / 2))}
        >
          {t("earlier_lines", { count: base })}
        </button>
      )}
      <div className="log-body" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const line = source.get(base + item.index);
          const number = merged ? 0 : base + item.index + 1;
          return (
            <div
              key={item.key}
              data-index={item.index}
              ref={wrap ? virtual.measureElement : undefined}
              className={`log-line${marked === number && number > 0 ? " log-marked" : ""}`}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <Row line={line} number={number} times={times} merged={merged} pattern={pattern} onMark={onMark} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

const Row = memo(function Row({
  line,
  number,
  times,
  merged,
  pattern,
  onMark,
}: {
  line: Line | undefined;
  number: number;
  times: boolean;
  merged: boolean;
  pattern: RegExp | null;
  onMark: (line: number) => void;
}) {
  const { t } = useTranslation("job");
  const [whole, setWhole] = useState(false);
  if (!line) return <span className="log-text quiet">…</span>;
  const text = folded(line.text);
  const long = text.length > LONGEST && !whole;
  const shown = long ? text.slice(0, LONGEST) : text;
  const level = levelOf(shown);
  return (
    <>
      {!merged && (
        <button
          type="button"
          className="log-number numbers"
          tabIndex={-1}
          aria-label={t("line_link", { count: number })}
          onClick={() => onMark(number)}
        >
          {number}
        </button>
      )}
      {times && line.at && (
        <time className="log-time numbers" dateTime={line.at} title={fullTime(line.at, languageNow())}>
          {new Date(line.at).toLocaleTimeString("en-GB")}.{line.at.slice(20, 23)}
        </time>
      )}
      {merged && line.task && <span className="log-task">{line.task}</span>}
      <span className={`log-text${level ? ` log-${level}` : ""}`}>
        {level && <span className="visually-hidden">{t(`level.${level}`)} </span>}
        {pattern ? (
          <Marked text={plainText(shown)} pattern={pattern} />
        ) : (
          runs(shown).map((run, index) =>
            run.look ? (
              <span
                key={index}
                className={run.look
                  .split(" ")
                  .map((word) => `ansi-${word}`)
                  .join(" ")}
              >
                {run.text}
              </span>
            ) : (
              run.text
            ),
          )
        )}
        {(long || line.cut) && (
          <button type="button" className="link-button" disabled={!long} onClick={() => setWhole(true)}>
            {t(long ? "unfold" : "cut_line")}
          </button>
        )}
      </span>
    </>
  );
});

function Marked({ text, pattern }: { text: string; pattern: RegExp }) {
  const parts: React.ReactNode[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (!match[0]) break;
    parts.push(text.slice(at, match.index), <mark key={match.index}>{match[0]}</mark>);
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return <>{parts}</>;
}
