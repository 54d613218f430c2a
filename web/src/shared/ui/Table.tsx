import type { ReactNode } from "react";
import "./Table.css";

export interface Column<Row> {
  key: string;
  title: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the right. */
  number?: boolean;
  /** Below 768 px a row is a card; these parts of it are left out there. */
  wideOnly?: boolean;
}

/** A short list, drawn whole. Long ones are DataGrid's. On narrow screens every row becomes a card. */
export function Table<Row>({ rows, columns, rowKey, label, rowClass }: { rows: Row[]; columns: Column<Row>[]; rowKey: (row: Row) => string | number; label: string; rowClass?: (row: Row) => string | undefined }) {
  return (
    <div className="table-scroll card" role="region" aria-label={label} tabIndex={0}>
      <table className="table">
        <caption className="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={column.number ? "table-number" : undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} className={rowClass?.(row)}>
              {columns.map((column) => (
                <td
                  key={column.key}
                  data-title={column.title}
                  className={[column.number ? "table-number" : "", column.wideOnly ? "table-wide" : ""].join(" ").trim() || undefined}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
