import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Schemas } from "@/api/client";
import { languageNow } from "@/shared/language";
import { shortTime } from "@/shared/format/time";
import { stated, useSaid } from "@/shared/messages";
import { StateShape } from "@/shared/ui/StateTag";
import { withChange } from "./change";

/** When it would start if it were handed in now, why not at once, and what would help: the scheduler's own words. */
export function Forecast({
  told,
  copies,
  text,
  onText,
}: {
  told: Schemas["Forecast"] | null | undefined;
  copies: number;
  text: string;
  onText?: (text: string) => void;
}) {
  const { t } = useTranslation("submit");
  const said = useSaid();
  const language = languageNow();
  if (!told?.verdict || told.verdict === "unknown") return null;
  if (told.verdict === "starts_now") {
    return (
      <p className="room room-now">
        <StateShape state="succeeded" />
        <span>
          {t("plan.now")}
          {copies > 1 ? ` ${t("plan.first_of", { count: copies })}` : ""}
        </span>
      </p>
    );
  }
  const never = told.verdict === "impossible";
  const { estimate, change } = told;
  const changed = change && text ? withChange(text, change) : null;
  const times = estimate?.likely && {
    likely: shortTime(estimate.likely, language),
    early: shortTime(estimate.early, language),
    late: shortTime(estimate.late, language),
  };
  return (
    <div className={`room ${never ? "room-never" : "room-waits"}`} role={never ? "alert" : undefined}>
      <StateShape state={never ? "failed" : "queued"} />
      <div className="stack room-text">
        <strong>
          {never
            ? t("plan.never")
            : times
              ? times.early === times.late
                ? t("plan.around", times)
                : t("plan.band", times)
              : t("plan.waits")}
          {!never && told.position ? ` · ${t("plan.position", { count: told.position })}` : ""}
        </strong>
        <span>{said(told, "text")}</span>
        {change?.text && (
          <span>
            {t("plan.change", { change: said(stated(change)) })}{" "}
            {changed !== null && onText && (
              <Button size="small" onClick={() => onText(changed)}>
                {t("plan.apply")}
              </Button>
            )}
          </span>
        )}
      </div>
    </div>
  );
}
