import type { ReactNode } from "react";
import "./Table.css";

export interface Column<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  number?: boolean;
  /** Never broken into lines. */
  narrow?: boolean;
  /** Takes the room that the others leave. */
  grow?: boolean;
  /** What the row is called; the title of its card below 768 px. */
  head?: boolean;
  /** Below 768 px a row is a card; these parts of it are left out there. */
  wideOnly?: boolean;
}

export interface Group<Row> {
  key: string;
  title: ReactNode;
  rows: Row[];
}

interface Props<Row> {
  rows?: Row[];
  /** Instead of rows: several blocks of them, each under a title of its own. */
  groups?: Group<Row>[];
  columns: Column<Row>[];
  rowKey: (row: Row) => string | number;
  label: string;
  rowClass?: (row: Row) => string | undefined;
}

const classOf = <Row,>(column: Column<Row>): string | undefined =>
  [
    column.number ? "table-number" : "",
    column.number || column.narrow ? "table-narrow" : "",
    column.grow ? "table-grow" : "",
    column.head ? "table-head" : "",
    column.wideOnly ? "table-wide" : "",
  ]
    .filter(Boolean)
    .join(" ") || undefined;

/** A short list, drawn whole. Long ones are DataGrid's. On narrow screens every row becomes a card. */
export function Table<Row>({ rows = [], groups, columns, rowKey, label, rowClass }: Props<Row>) {
  const blocks: Group<Row>[] = groups ?? [{ key: "", title: null, rows }];
  return (
    <div className="table-scroll card" role="region" aria-label={label} tabIndex={0}>
      <table className="table">
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        {blocks.map((block) => (
          <tbody key={block.key}>
            {block.title && (
              <tr className="table-group">
                <th scope="rowgroup" colSpan={columns.length}>
                  {block.title}
                </th>
              </tr>
            )}
            {block.rows.map((row) => (
              <tr key={rowKey(row)} className={rowClass?.(row)}>
                {columns.map((column) => (
                  <td key={column.key} data-title={column.title} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
