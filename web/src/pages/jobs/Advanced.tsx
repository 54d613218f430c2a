import { useTranslation } from "react-i18next";
import type { JobState } from "@/api/client";
import { jobStates } from "@/shared/job/states";
import { dialects, periods, type Filters } from "./filters";

/** A moment as <input type="datetime-local"> wants it, and back. */
const toLocal = (iso: string) => {
  const at = new Date(iso);
  if (!iso || Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const fromLocal = (local: string) => (local ? new Date(local).toISOString() : "");

/** Every field the server can search by. */
export default function Advanced({ filters, onChange }: { filters: Filters; onChange: (next: Filters) => void }) {
  const { t } = useTranslation("jobs");
  const { t: shared } = useTranslation("shared");
  const set = (part: Partial<Filters>) => onChange({ ...filters, ...part });
  const toggle = (state: JobState) =>
    set({
      state: filters.state.includes(state) ? filters.state.filter((one) => one !== state) : [...filters.state, state],
    });
  return (
    <section className="card advanced" aria-label={t("advanced")}>
      <fieldset>
        <legend>{t("column.state")}</legend>
        {jobStates.map((state) => (
          <label key={state} className="row">
            <input type="checkbox" checked={filters.state.includes(state)} onChange={() => toggle(state)} />
            {shared(`state.${state}`)}
          </label>
        ))}
      </fieldset>
      <label>
        {t("column.owner")}
        <input value={filters.owner} placeholder="me" onChange={(event) => set({ owner: event.target.value })} />
      </label>
      <label>
        {t("label")}
        <input
          value={filters.label}
          placeholder="team=vision"
          onChange={(event) => set({ label: event.target.value })}
        />
      </label>
      <label>
        {t("column.dialect")}
        <select value={filters.dialect} onChange={(event) => set({ dialect: event.target.value })}>
          <option value="">{t("any")}</option>
          {dialects.map((dialect) => (
            <option key={dialect} value={dialect}>
              {t(`dialect.${dialect}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("since")}
        <select value={filters.since} onChange={(event) => set({ since: event.target.value, from: "", to: "" })}>
          <option value="">{t("any")}</option>
          {periods.map((period) => (
            <option key={period} value={period}>
              {t(`period.${period}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t("from")}
        <input
          type="datetime-local"
          value={toLocal(filters.from)}
          onChange={(event) => set({ from: fromLocal(event.target.value), since: "" })}
        />
      </label>
      <label>
        {t("to")}
        <input
          type="datetime-local"
          value={toLocal(filters.to)}
          onChange={(event) => set({ to: fromLocal(event.target.value) })}
        />
      </label>
    </section>
  );
}
