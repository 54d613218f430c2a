import { Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { usePreference } from "@/shared/preferences";
import { Icon } from "@/shared/ui/Icon";
import { columnKeys, type ColumnKey, type Columns } from "./columns";

/** Which columns, in which order, how dense. */
export default function ColumnChooser({ columns, onClose }: { columns: Columns; onClose: () => void }) {
  const { t } = useTranslation("jobs");
  const [density, setDensity] = usePreference("density", "comfortable");
  const { order } = columns;
  const rest = columnKeys.filter((key) => !order.includes(key));
  const move = (key: ColumnKey, by: number) => {
    const next = [...order];
    const from = next.indexOf(key);
    const to = from + by;
    if (to < 0 || to >= next.length) return;
    next.splice(from, 1);
    next.splice(to, 0, key);
    columns.setOrder(next);
  };
  const toggle = (key: ColumnKey) => {
    const next = order.includes(key) ? order.filter((one) => one !== key) : [...order, key];
    if (next.length) columns.setOrder(next);
  };
  return (
    <Modal
      open
      title={t("columns")}
      onCancel={onClose}
      footer={<Button onClick={columns.reset}>{t("columns_reset")}</Button>}
    >
      <ul className="chooser">
        {[...order, ...rest].map((key, at) => (
          <li key={key} className="row">
            <label className="grow row">
              <input type="checkbox" checked={order.includes(key)} onChange={() => toggle(key)} />
              {columns.title(key)}
            </label>
            {order.includes(key) && (
              <>
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t("move_left", { name: columns.title(key) })}
                  disabled={at === 0}
                  onClick={() => move(key, -1)}
                >
                  <Icon name="up" />
                </button>
                <button
                  type="button"
                  className="icon-button"
                  aria-label={t("move_right", { name: columns.title(key) })}
                  disabled={at === order.length - 1}
                  onClick={() => move(key, 1)}
                >
                  <Icon name="bottom" />
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
      <label className="row chooser-density">
        <input
          type="checkbox"
          checked={density === "compact"}
          onChange={(event) => setDensity(event.target.checked ? "compact" : "comfortable")}
        />
        {t("compact")}
      </label>
    </Modal>
  );
}
