import { useTranslation } from "react-i18next";
import { languageNow, languages, setLanguage } from "@/shared/language";
import { usePreference } from "@/shared/preferences";
import { setTheme, themes, useTheme } from "@/shared/theme";

function Choice({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: Array<[string, string]>;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <div className="segments" role="group" aria-label={label}>
          {options.map(([key, word]) => (
            <button key={key} type="button" aria-pressed={key === value} onClick={() => onChange(key)}>
              {word}
            </button>
          ))}
        </div>
      </dd>
    </>
  );
}

/** What this browser remembers for whoever uses it. */
export function Browser() {
  const { t } = useTranslation("settings");
  const { choice } = useTheme();
  const [density, setDensity] = usePreference("density", "comfortable");
  const names = { zh: "中文", en: "English" };
  return (
    <section className="card settings-card" aria-labelledby="browser">
      <h2 id="browser">{t("browser")}</h2>
      <dl className="facts settings-choices">
        <Choice
          label={t("language")}
          value={languageNow()}
          options={languages.map((language) => [language, names[language]])}
          onChange={(language) => void setLanguage(language as "zh" | "en")}
        />
        <Choice
          label={t("theme")}
          value={choice}
          options={themes.map((theme) => [theme, t(`themes.${theme}`)])}
          onChange={(theme) => setTheme(theme as (typeof themes)[number])}
        />
        <Choice
          label={t("density")}
          value={density}
          options={["comfortable", "compact"].map((one) => [one, t(`densities.${one}`)])}
          onChange={setDensity}
        />
      </dl>
    </section>
  );
}
