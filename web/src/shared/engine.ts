import { useTranslation } from "react-i18next";

/** `local (process runtime)` in words; what is not known stays as the server says it. */
export function useEngineWords(): (engine: string | undefined) => string {
  const { t } = useTranslation("shared");
  return (engine = "") => {
    const [, place = engine, runtime = ""] = /^(\w+)(?: \((\w+) runtime\))?$/.exec(engine) ?? [];
    return [
      t(`engine.${place}`, { defaultValue: place }),
      runtime && t(`runtime.${runtime}`, { defaultValue: runtime }),
    ]
      .filter(Boolean)
      .join(" · ");
  };
}
