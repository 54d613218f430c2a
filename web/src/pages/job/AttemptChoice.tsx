import { useTranslation } from "react-i18next";

/** Which try of the job is looked at; nothing to choose, nothing shown. */
export function AttemptChoice({
  attempts,
  latest,
  value,
  onChange,
}: {
  attempts: Array<{ attempt?: number }>;
  latest: number;
  value?: number;
  onChange: (attempt: number | undefined) => void;
}) {
  const { t } = useTranslation("job");
  if (attempts.length < 2) return null;
  return (
    <select
      className="log-select"
      aria-label={t("attempt_choice")}
      value={value ?? latest}
      onChange={(event) => onChange(Number(event.target.value) === latest ? undefined : Number(event.target.value))}
    >
      {attempts.map(({ attempt = 0 }) => (
        <option key={attempt} value={attempt}>
          {t(attempt === latest ? "attempt_latest" : "attempt_number", { count: attempt + 1 })}
        </option>
      ))}
    </select>
  );
}
