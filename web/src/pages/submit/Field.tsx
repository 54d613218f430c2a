import { Input } from "antd";
import { useId, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "@/shared/ui/Icon";
import { useBuffer } from "./useBuffer";

export interface FieldParts {
  id: string;
  "aria-describedby"?: string;
  "aria-invalid"?: boolean;
  status?: "error";
}

interface FieldProps {
  label: string;
  hint?: ReactNode;
  required?: boolean;
  faults?: string[];
  wide?: boolean;
  children: (parts: FieldParts) => ReactNode;
}

/** A label above its control, what helps to fill it, and what is wrong with it. */
export function Field({ label, hint, required = false, faults = [], wide = false, children }: FieldProps) {
  const { t } = useTranslation("submit");
  const id = useId();
  const described = [hint ? `${id}-hint` : "", faults.length ? `${id}-fault` : ""].filter(Boolean).join(" ");
  return (
    <div className={`field${wide ? " field-wide" : ""}`} data-fault={faults.length ? "" : undefined}>
      <label htmlFor={id}>
        {label}
        {required && <span className="field-required">{t("required")}</span>}
      </label>
      {children({
        id,
        ...(described ? { "aria-describedby": described } : {}),
        ...(faults.length ? { "aria-invalid": true, status: "error" as const } : {}),
      })}
      {faults.length > 0 && (
        <p id={`${id}-fault`} className="fault field-fault">
          <Icon name="info" size={14} /> {faults.join(" ")}
        </p>
      )}
      {hint && (
        <p id={`${id}-hint`} className="field-hint">
          {hint}
        </p>
      )}
    </div>
  );
}

/** Rows without one label of their own: a group with a name. */
export function FieldGroup({
  label,
  hint,
  faults = [],
  children,
}: {
  label: string;
  hint?: ReactNode;
  faults?: string[];
  children: ReactNode;
}) {
  const id = useId();
  return (
    <div className="field field-wide" role="group" aria-labelledby={id} data-fault={faults.length ? "" : undefined}>
      <span id={id} className="field-label">
        {label}
      </span>
      {hint && <p className="field-hint">{hint}</p>}
      {children}
      {faults.length > 0 && (
        <p className="fault field-fault">
          <Icon name="info" size={14} /> {faults.join(" ")}
        </p>
      )}
    </div>
  );
}

const shown = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

interface TextProps extends Omit<FieldProps, "children"> {
  value: unknown;
  mean?: (text: string) => unknown;
  onChange: (value: unknown) => void;
  placeholder?: string;
  mono?: boolean;
  rows?: number;
  suffix?: string;
}

const plainText = (text: string): unknown => (text === "" ? undefined : text);

/** One value that is typed. */
export function TextField({
  value,
  mean = plainText,
  onChange,
  placeholder,
  mono = false,
  rows,
  suffix,
  ...field
}: TextProps) {
  const [text, setText] = useBuffer<string, unknown>(value, shown, mean, onChange);
  return (
    <Field {...field}>
      {(parts) =>
        rows ? (
          <Input.TextArea
            {...parts}
            className={mono ? "mono" : undefined}
            autoSize={{ minRows: rows, maxRows: 24 }}
            value={text}
            placeholder={placeholder}
            spellCheck={!mono}
            onChange={(event) => setText(event.target.value)}
          />
        ) : (
          <Input
            {...parts}
            className={mono ? "mono" : undefined}
            value={text}
            placeholder={placeholder}
            suffix={suffix}
            autoComplete="off"
            spellCheck={!mono}
            onChange={(event) => setText(event.target.value)}
          />
        )
      }
    </Field>
  );
}
