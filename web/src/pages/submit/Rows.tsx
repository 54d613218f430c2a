import { Button, Checkbox, Input } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/shared/ui/Icon";
import { FieldGroup } from "./Field";
import { useBuffer } from "./useBuffer";
import type { MountRow, Pair, PortRow } from "./values";

interface RowsProps<Row> {
  label: string;
  hint?: ReactNode;
  add: string;
  value: unknown;
  read: (value: unknown) => Row[] | null;
  write: (rows: Row[]) => unknown;
  empty: Row;
  onChange: (value: unknown) => void;
  faults?: string[];
  row: (row: Row, change: (next: Partial<Row>) => void, number: number) => ReactNode;
}

/** As many rows as there are, and one button for another. */
function Rows<Row>({ label, hint, add, value, read, write, empty, onChange, faults, row }: RowsProps<Row>) {
  const { t } = useTranslation("submit");
  const readable = read(value) !== null;
  const [rows, setRows] = useBuffer<Row[], unknown>(value, (one) => read(one) ?? [], write, onChange);
  if (!readable) {
    return (
      <FieldGroup label={label} faults={faults}>
        <p className="field-hint">{t("shown_in_editor")}</p>
      </FieldGroup>
    );
  }
  return (
    <FieldGroup label={label} hint={hint} faults={faults}>
      {rows.map((one, index) => (
        <div className="form-row" key={index}>
          {row(one, (next) => setRows(rows.map((old, at) => (at === index ? { ...old, ...next } : old))), index + 1)}
          <Button
            type="text"
            className="form-row-remove"
            aria-label={t("remove_row", { label, number: index + 1 })}
            icon={<Icon name="close" size={14} />}
            onClick={() => setRows(rows.filter((_, at) => at !== index))}
          />
        </div>
      ))}
      <div>
        <Button size="small" icon={<Icon name="plus" size={14} />} onClick={() => setRows([...rows, empty])}>
          {add}
        </Button>
      </div>
    </FieldGroup>
  );
}

type Common<Row> = Omit<RowsProps<Row>, "row" | "empty">;

export function PairRows({ names, ...common }: Common<Pair> & { names: [string, string] }) {
  return (
    <Rows<Pair>
      {...common}
      empty={{ key: "", value: "" }}
      row={(pair, change, number) => (
        <>
          <Input
            className="mono"
            aria-label={`${common.label} ${number} ${names[0]}`}
            placeholder={names[0]}
            value={pair.key}
            onChange={(event) => change({ key: event.target.value })}
          />
          <Input
            className="mono"
            aria-label={`${common.label} ${number} ${names[1]}`}
            placeholder={names[1]}
            value={pair.value}
            onChange={(event) => change({ value: event.target.value })}
          />
        </>
      )}
    />
  );
}

export function PortRows(common: Common<PortRow>) {
  const { t } = useTranslation("submit");
  return (
    <Rows<PortRow>
      {...common}
      empty={{ label: "", first: "", count: 1 }}
      row={(port, change, number) => (
        <>
          <Input
            className="mono"
            aria-label={`${common.label} ${number} ${t("port_label")}`}
            placeholder={t("port_label")}
            value={port.label}
            onChange={(event) => change({ label: event.target.value })}
          />
          <Input
            className="mono"
            inputMode="numeric"
            aria-label={`${common.label} ${number} ${t("port_number")}`}
            placeholder={t("port_number")}
            value={port.first}
            onChange={(event) => change({ first: event.target.value.replace(/\D/g, "") })}
          />
          <Input
            className="mono form-row-short"
            inputMode="numeric"
            aria-label={`${common.label} ${number} ${t("port_count")}`}
            placeholder={t("port_count")}
            value={port.count || ""}
            onChange={(event) => change({ count: Number(event.target.value.replace(/\D/g, "")) })}
          />
        </>
      )}
    />
  );
}

export function MountRows(common: Common<MountRow>) {
  const { t } = useTranslation("submit");
  return (
    <Rows<MountRow>
      {...common}
      empty={{ from: "", to: "", readOnly: true }}
      row={(mount, change, number) => (
        <>
          <Input
            className="mono"
            aria-label={`${common.label} ${number} ${t("mount_from")}`}
            placeholder={t("mount_from")}
            value={mount.from}
            onChange={(event) => change({ from: event.target.value })}
          />
          <Input
            className="mono"
            aria-label={`${common.label} ${number} ${t("mount_to")}`}
            placeholder={t("mount_to")}
            value={mount.to}
            onChange={(event) => change({ to: event.target.value })}
          />
          <Checkbox checked={mount.readOnly} onChange={(event) => change({ readOnly: event.target.checked })}>
            {t("read_only")}
          </Checkbox>
        </>
      )}
    />
  );
}
