import { useVirtualizer } from "@tanstack/react-virtual";
import {
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from "react";
import { useTranslation } from "react-i18next";
import { useNarrow } from "@/shared/hooks/useNarrow";
import { Icon } from "./Icon";
import "./DataGrid.css";

export interface GridColumn<Row> {
  key: string;
  title: string;
  width: number;
  cell: (row: Row) => ReactNode;
  number?: boolean;
  /** Takes what room is left. */
  grow?: boolean;
  /** The server's words for this order, first the one a first click gives. */
  sort?: [string, string?];
}

export interface GridHandle {
  scrollToTop: () => void;
}

interface Props<Row> {
  label: string;
  rows: Row[];
  rowKey: (row: Row) => string;
  columns: GridColumn<Row>[];
  /** What stands under a row, over its whole width; null for nothing. */
  note?: (row: Row) => ReactNode;
  /** How a row looks where there is no room for columns. */
  card: (row: Row) => ReactNode;
  rowLabel: (row: Row) => string;
  selected?: ReadonlySet<string>;
  onSelect?: (selected: Set<string>) => void;
  sort?: string;
  onSort?: (sort: string) => void;
  onOpen: (row: Row) => void;
  onKey?: (key: string, row: Row) => void;
  onResize?: (key: string, width: number) => void;
  onNearEnd?: () => void;
  onTopChange?: (atTop: boolean) => void;
  more?: boolean;
  handle?: Ref<GridHandle>;
}

const NOTE = 24;
const CARD = 92;
const TICK = 40;

/** A list of any length: only what is seen is drawn, rows are rows to a screen reader, and every key works. */
export function DataGrid<Row>(props: Props<Row>) {
  const { rows, rowKey, columns, note, selected, onSelect, onOpen, onKey, onNearEnd, onTopChange, more } = props;
  const { t } = useTranslation("shared");
  const narrow = useNarrow();
  const compact = document.documentElement.dataset.density === "compact";
  const rowHeight = compact ? 32 : 44;
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const notes = useMemo(() => rows.map((row) => (note ? note(row) : null)), [rows, note]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (narrow ? CARD : rowHeight) + (notes[index] ? NOTE : 0),
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : rowKey(row);
    },
    overscan: 8,
  });
  // Heights are known, not measured: they change with what stands under the rows.
  const heights = useMemo(() => notes.map((text) => (text ? "1" : "0")).join(""), [notes]);
  useEffect(() => virtual.measure(), [virtual, heights, narrow, rowHeight]);
  useImperativeHandle(props.handle, () => ({ scrollToTop: () => scroller.current?.scrollTo({ top: 0 }) }), []);

  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && last >= rows.length - 40) onNearEnd?.();
  }, [more, last, rows.length, onNearEnd]);

  const tick = useCallback(
    (index: number, extend: boolean) => {
      if (!selected || !onSelect) return;
      const next = new Set(selected);
      const [from, to] = extend ? [Math.min(anchor.current, index), Math.max(anchor.current, index)] : [index, index];
      const key = rows[index] && rowKey(rows[index]);
      const on = extend || !(key !== undefined && selected.has(key));
      for (let i = from; i <= to; i += 1) {
        const row = rows[i];
        if (row === undefined) continue;
        if (on) next.add(rowKey(row));
        else next.delete(rowKey(row));
      }
      anchor.current = index;
      onSelect(next);
    },
    [selected, onSelect, rows, rowKey],
  );

  const go = (index: number) => {
    const target = Math.max(0, Math.min(rows.length - 1, index));
    setActive(target);
    virtual.scrollToIndex(target);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus());
  };
  const press = (event: KeyboardEvent<HTMLDivElement>, index: number) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[index];
    if (row === undefined) return;
    const step = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 1);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      j: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      k: () => go(index - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      PageDown: () => go(index + step),
      PageUp: () => go(index - step),
      Enter: () => onOpen(row),
      " ": () => tick(index, event.shiftKey),
      Escape: () => onSelect?.(new Set()),
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      move();
    } else onKey?.(event.key, row);
  };

  const all = rows.length > 0 && selected !== undefined && rows.every((row) => selected.has(rowKey(row)));
  const width = columns.reduce((sum, column) => sum + column.width, 0) + (onSelect ? TICK : 0);
  return (
    <div
      ref={scroller}
      className="grid card"
      role="grid"
      aria-label={props.label}
      aria-rowcount={more ? -1 : rows.length + 1}
      aria-multiselectable={onSelect ? true : undefined}
      onScroll={(event) => onTopChange?.(event.currentTarget.scrollTop < 4)}
    >
      <div className="grid-width" style={narrow ? undefined : { minWidth: width }}>
        <div role="rowgroup" className="grid-head">
          <div role="row" aria-rowindex={1} className="grid-row grid-titles">
            {onSelect && (
              <div role="columnheader" className="grid-cell grid-tick" aria-label={t("select")}>
                <input
                  type="checkbox"
                  aria-label={t("select_all")}
                  checked={all}
                  ref={(box) => {
                    if (box) box.indeterminate = !all && (selected?.size ?? 0) > 0;
                  }}
                  onChange={() => onSelect(all ? new Set() : new Set(rows.map(rowKey)))}
                />
              </div>
            )}
            {onSelect && narrow && (
              <div role="columnheader" className="grid-cell quiet">
                {t("select_all")}
              </div>
            )}
            {columns.map((column) => (
              <Title
                key={column.key}
                column={column}
                sort={props.sort}
                onSort={props.onSort}
                onResize={props.onResize}
              />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="grid-body" style={{ height: virtual.getTotalSize() }}>
          {items.map((item) => {
            const row = rows[item.index];
            if (row === undefined) return null;
            const key = rowKey(row);
            const ticked = selected?.has(key) ?? false;
            const open = (event: React.MouseEvent) => {
              // A click in a menu that hangs at the row, but is drawn elsewhere, comes by here too.
              if (
                !event.currentTarget.contains(event.target as Node) ||
                (event.target as HTMLElement).closest("a, button, input, label")
              )
                return;
              setActive(item.index);
              if (window.getSelection()?.toString()) return;
              onOpen(row);
            };
            return (
              // The keys are handled by onKeyDown below; the click is a convenience beside the link in the row.
              <div
                key={item.key}
                role="row"
                data-index={item.index}
                aria-rowindex={item.index + 2}
                aria-selected={onSelect ? ticked : undefined}
                aria-label={props.rowLabel(row)}
                tabIndex={item.index === active ? 0 : -1}
                className={`grid-row grid-line${ticked ? " grid-ticked" : ""}${narrow ? " grid-card" : ""}`}
                style={{ transform: `translateY(${item.start}px)`, height: item.size }}
                onFocus={() => setActive(item.index)}
                onKeyDown={(event) => press(event, item.index)}
                onClick={open}
              >
                {onSelect && (
                  <div role="gridcell" className="grid-cell grid-tick">
                    <input
                      type="checkbox"
                      tabIndex={-1}
                      aria-label={t("select_row", { name: props.rowLabel(row) })}
                      checked={ticked}
                      onChange={() => undefined}
                      onClick={(event) => tick(item.index, event.shiftKey)}
                    />
                  </div>
                )}
                {narrow ? (
                  <div role="gridcell" className="grid-cell grid-cardcell">
                    {props.card(row)}
                    {notes[item.index] && <div className="grid-note-card">{notes[item.index]}</div>}
                  </div>
                ) : (
                  columns.map((column, at) => (
                    <div
                      key={column.key}
                      role="gridcell"
                      className={`grid-cell${column.number ? " grid-number" : ""}${at === 0 ? " grid-first" : ""}`}
                      style={{ width: column.width, height: rowHeight, flexGrow: column.grow ? 1 : 0 }}
                    >
                      {column.cell(row)}
                    </div>
                  ))
                )}
                {!narrow && notes[item.index] && (
                  <div role="gridcell" className="grid-note" style={{ top: rowHeight - 6, left: onSelect ? TICK : 0 }}>
                    {notes[item.index]}
                  </div>
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}

function Title<Row>({
  column,
  sort,
  onSort,
  onResize,
}: {
  column: GridColumn<Row>;
  sort?: string;
  onSort?: (sort: string) => void;
  onResize?: (key: string, width: number) => void;
}) {
  const [first, second] = column.sort ?? [];
  const here = first !== undefined && (sort === first || sort === second);
  const down = sort === second;
  const drag = (event: React.PointerEvent<HTMLSpanElement>) => {
    const from = event.clientX;
    const target = event.currentTarget;
    target.setPointerCapture(event.pointerId);
    const move = (at: PointerEvent) => onResize?.(column.key, Math.max(60, column.width + at.clientX - from));
    const end = () => {
      target.removeEventListener("pointermove", move);
      target.removeEventListener("pointerup", end);
    };
    target.addEventListener("pointermove", move);
    target.addEventListener("pointerup", end);
  };
  return (
    <div
      role="columnheader"
      className={`grid-cell grid-title${column.number ? " grid-number" : ""}`}
      style={{ width: column.width, flexGrow: column.grow ? 1 : 0 }}
      aria-sort={here ? (down ? "ascending" : "descending") : undefined}
    >
      {first && onSort ? (
        <button type="button" className="grid-sort" onClick={() => onSort(sort === first && second ? second : first)}>
          {column.title}
          {here && <Icon name={down ? "up" : "bottom"} size={12} />}
        </button>
      ) : (
        <span className="cut">{column.title}</span>
      )}
      {onResize && <span className="grid-resize" aria-hidden="true" onPointerDown={drag} />}
    </div>
  );
}
