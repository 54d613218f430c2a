import { useEffect, useId, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useTheme } from "@/shared/theme";
import { Table } from "@/shared/ui/Table";
import type { EChartsType } from "./drawing";
import { lookOf } from "./looks";
import { thin, type Point } from "./thin";
import "./chart.css";

export interface ChartLine {
  name: string;
  points: Point[];
  /** Drawn faint, behind the others, and left out of legend and table: what was smoothed. */
  faint?: boolean;
  /** The same look as another line. */
  like?: number;
}

interface Props {
  title: string;
  /** The chart in one sentence, for those who cannot see it. */
  summary: string;
  /** Shown beside the title: the newest figure. */
  now?: string;
  lines: ChartLine[];
  /** A height that is not to be passed, and what it is called. */
  limit?: { name: string; value: number } | null;
  /** What stands on the x axis: moments, or numbers. */
  time: boolean;
  xName: string;
  xText: (x: number) => string;
  text: (y: number) => string;
  /** Charts of one group share their crosshair and what part is looked at. */
  group: string;
  fromZero?: boolean;
  logarithmic?: boolean;
  /** Heights are bytes: the axis counts in powers of two. */
  binary?: boolean;
  /** Heights are counts: the axis has no halves. */
  whole?: boolean;
  /** The axis ends there, whatever is drawn: a share of a hundred is not seen against its own highest. */
  top?: number;
}

const DRAWN = 1_000;
const IN_TABLE = 500;
const LABELLED = 6;

type Engine = typeof import("./drawing");
let engine: Promise<Engine> | null = null;
const loadEngine = (): Promise<Engine> => {
  engine ??= import("./drawing").catch((fault: unknown) => {
    engine = null;
    throw fault;
  });
  return engine;
};

const inked = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

interface Hovered {
  seriesIndex: number;
  seriesName: string;
  axisValue: number;
  value: Point;
}

/** Lines over time or steps, with their table for those who read rather than look. */
export function Chart(props: Props) {
  const {
    title,
    summary,
    now,
    lines,
    limit,
    time,
    xName,
    xText,
    text,
    group,
    fromZero = false,
    logarithmic = false,
    binary = false,
    whole = false,
    top,
  } = props;
  const { t } = useTranslation("shared");
  const { name: theme } = useTheme();
  const [open, setOpen] = useState(false);
  const [fault, setFault] = useState(false);
  const heading = useId();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType | null>(null);
  // A tooltip is drawn long after the words for it were made.
  const words = useRef({ xText, text });
  words.current = { xText, text };
  const [ready, setReady] = useState(false);

  useEffect(() => {
    let gone = false;
    let watch: ResizeObserver | undefined;
    loadEngine()
      .then(({ init, connect }) => {
        if (gone || !box.current) return;
        const made = init(box.current, undefined, { renderer: "canvas" });
        made.group = group;
        connect(group);
        // Dragging over a part enlarges it in all charts of the group; a double click shows all again.
        made.getZr().on("dblclick", () => made.dispatchAction({ type: "dataZoom", start: 0, end: 100 }));
        watch = new ResizeObserver(() => made.resize());
        watch.observe(box.current);
        chart.current = made;
        setReady(true);
      })
      .catch(() => {
        if (!gone) setFault(true);
      });
    return () => {
      gone = true;
      watch?.disconnect();
      chart.current?.dispose();
      chart.current = null;
      setReady(false);
    };
  }, [group]);

  const option = useMemo(() => {
    const colours = { text: inked("--third"), line: inked("--line"), card: inked("--card"), limit: inked("--failed") };
    const drawn = lines.map((line, index) => {
      const { colour, dash } = lookOf(line.like ?? index, theme);
      return {
        id: `${index}`,
        type: "line",
        name: line.name,
        data: thin(line.points, DRAWN),
        showSymbol: line.points.length === 1,
        symbolSize: 5,
        animation: false,
        connectNulls: false,
        lineStyle: { width: line.faint ? 1 : 1.5, type: dash, opacity: line.faint ? 0.25 : 1 },
        itemStyle: { color: colour },
        silent: true,
        z: line.faint ? 1 : 2,
        tooltip: { show: !line.faint },
        ...(!line.faint && lines.length > 1 && lines.length <= LABELLED
          ? {
              endLabel: {
                show: true,
                formatter: line.name.length > 16 ? `${line.name.slice(0, 15)}…` : line.name,
                color: colour,
                fontSize: 11,
              },
              labelLayout: { moveOverlap: "shiftY" },
            }
          : {}),
      };
    });
    const ends = lines.flatMap((line) =>
      line.points.length ? [line.points[0]?.[0] ?? 0, line.points.at(-1)?.[0] ?? 0] : [],
    );
    if (limit && ends.length) {
      const [from, to] = [Math.min(...ends), Math.max(...ends)];
      drawn.push({
        id: "limit",
        type: "line",
        name: limit.name,
        data: [
          [from, limit.value],
          [to, limit.value],
        ],
        showSymbol: false,
        symbolSize: 0,
        animation: false,
        connectNulls: false,
        lineStyle: { width: 1, type: [4, 4], opacity: 1 },
        itemStyle: { color: colours.limit },
        silent: true,
        z: 0,
        tooltip: { show: false },
      });
    }
    const highest = Math.max(limit?.value ?? 0, ...lines.flatMap((line) => line.points.map((point) => point[1] ?? 0)));
    const stride = 2 ** Math.ceil(Math.log2(Math.max(4, highest) / 4));
    const inPowers = binary ? { interval: stride, max: Math.ceil(Math.max(1, highest) / stride) * stride } : {};
    const labels = { color: colours.text, fontSize: 11, hideOverlap: true };
    return {
      animation: false,
      grid: {
        left: 8,
        right: lines.length > 1 && lines.length <= LABELLED ? 76 : 16,
        top: 10,
        bottom: 6,
        containLabel: true,
      },
      xAxis: {
        type: time ? "time" : "value",
        min: "dataMin",
        max: "dataMax",
        splitLine: { show: false },
        axisLine: { lineStyle: { color: colours.line } },
        axisTick: { show: false },
        axisLabel: time ? labels : { ...labels, formatter: (x: number) => words.current.xText(x) },
        splitNumber: 4,
      },
      yAxis: {
        type: logarithmic ? "log" : "value",
        scale: !fromZero,
        min: fromZero && !logarithmic ? 0 : undefined,
        splitNumber: 4,
        minInterval: whole ? 1 : undefined,
        splitLine: { lineStyle: { color: colours.line } },
        axisLine: { show: false },
        axisTick: { show: false },
        ...(top ? { max: top, interval: top / 4 } : inPowers),
        axisLabel: { ...labels, formatter: (y: number) => words.current.text(y) },
      },
      dataZoom: [
        {
          type: "inside",
          zoomOnMouseWheel: "ctrl",
          moveOnMouseWheel: false,
          moveOnMouseMove: "shift",
          filterMode: "none",
        },
      ],
      toolbox: { show: true, top: -60, feature: { dataZoom: { yAxisIndex: "none" } } },
      tooltip: {
        trigger: "axis",
        confine: true,
        backgroundColor: colours.card,
        borderColor: colours.line,
        padding: [6, 10],
        transitionDuration: 0,
        axisPointer: { type: "line", lineStyle: { color: colours.text, type: "solid", width: 1 } },
        // An element of our own: what a job prints as a name stays text.
        formatter: (hovered: Hovered[]) =>
          tip(
            hovered.filter((one) => !lines[one.seriesIndex]?.faint && one.seriesIndex < lines.length),
            words.current,
            (index) => lookOf(lines[index]?.like ?? index, theme).colour,
          ),
      },
      series: drawn,
    };
  }, [lines, limit, time, theme, fromZero, top, logarithmic, binary, whole]);

  useEffect(() => {
    if (!ready || !chart.current) return;
    chart.current.setOption(option, { replaceMerge: ["series"] });
    chart.current.dispatchAction({ type: "takeGlobalCursor", key: "dataZoomSelect", dataZoomSelectActive: true });
  }, [option, ready]);

  const seen = lines.flatMap((line, index) => (line.faint ? [] : [{ line, index }]));
  return (
    <section className="card chart" aria-labelledby={heading}>
      <div className="chart-head">
        <h2 id={heading}>{title}</h2>
        {now && <span className="chart-now numbers quiet">{now}</span>}
      </div>
      {fault ? (
        <p className="quiet">{t("chart.no_engine")}</p>
      ) : (
        <div ref={box} className="chart-canvas" role="img" aria-label={summary} />
      )}
      {(seen.length > LABELLED || limit) && (
        <ul className="chart-legend">
          {seen.length > LABELLED &&
            seen.map(({ line, index }) => (
              <li key={index}>
                <Key {...lookOf(line.like ?? index, theme)} />
                {line.name}
              </li>
            ))}
          {limit && (
            <li>
              <Key colour="var(--failed)" dash={[4, 4]} />
              {limit.name}
            </li>
          )}
        </ul>
      )}
      <button
        type="button"
        className="chart-data"
        aria-expanded={open}
        aria-label={t(open ? "chart.hide_data_of" : "chart.show_data_of", { name: title })}
        onClick={() => setOpen(!open)}
      >
        {t(open ? "chart.hide_data" : "chart.show_data")}
      </button>
      {open && (
        <DataTable
          title={t("chart.data_of", { name: title })}
          xName={xName}
          xText={xText}
          text={text}
          lines={seen.map(({ line }) => line)}
        />
      )}
    </section>
  );
}

/** A piece of the line itself. */
function Key({ colour, dash }: { colour: string; dash: "solid" | number[] }) {
  return (
    <svg width="22" height="4" aria-hidden="true">
      <line
        x1="0"
        y1="2"
        x2="22"
        y2="2"
        stroke={colour}
        strokeWidth="2"
        strokeDasharray={dash === "solid" ? undefined : dash.join(" ")}
      />
    </svg>
  );
}

function tip(
  hovered: Hovered[],
  words: { xText: (x: number) => string; text: (y: number) => string },
  colour: (index: number) => string,
): HTMLElement {
  const box = document.createElement("div");
  box.className = "chart-tip";
  const first = hovered[0];
  if (!first) return box;
  box.append(Object.assign(document.createElement("div"), { textContent: words.xText(first.axisValue) }));
  const list = document.createElement("dl");
  for (const one of hovered) {
    const key = document.createElement("span");
    key.className = "chart-key";
    key.style.background = colour(one.seriesIndex);
    const value = one.value[1];
    list.append(
      key,
      Object.assign(document.createElement("dt"), { textContent: one.seriesName }),
      Object.assign(document.createElement("dd"), {
        textContent: value === null || value === undefined ? "–" : words.text(value),
      }),
    );
  }
  box.append(list);
  return box;
}

/** The same figures as rows; of very many, as many as the picture shows. */
function DataTable({ title, xName, xText, text, lines }: Pick<Props, "title" | "xName" | "xText" | "text" | "lines">) {
  const rows = useMemo(() => {
    const values = new Map<number, Array<number | null>>();
    lines.forEach((line, index) => {
      for (const [x, y] of thin(line.points, IN_TABLE)) {
        if (!values.has(x))
          values.set(
            x,
            lines.map(() => null),
          );
        (values.get(x) as Array<number | null>)[index] = y;
      }
    });
    return [...values].filter(([, row]) => row.some((value) => value !== null)).sort((a, b) => b[0] - a[0]);
  }, [lines]);
  return (
    <Table
      label={title}
      rows={rows}
      rowKey={([x]) => x}
      columns={[
        { key: "x", title: xName, narrow: true, cell: ([x]) => xText(x) },
        ...lines.map((line, index) => ({
          key: String(index),
          title: line.name,
          number: true,
          cell: ([, row]: [number, Array<number | null>]) =>
            row[index] === null || row[index] === undefined ? "–" : text(row[index] as number),
        })),
      ]}
    />
  );
}
