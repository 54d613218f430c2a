import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Issue } from "@/api/client";
import { useSaid } from "@/shared/messages";
import { Icon } from "@/shared/ui/Icon";

interface Props {
  /** Code that goes along. */
  code: File | null;
  onDropCode: () => void;
  /** Why the server did not take it. */
  refused: Issue[];
  /** A name that is free, when that was why. */
  freeName: string | null;
  onName: (name: string) => void;
  /** How many faults the file has now; `onShow` leads to them, where they are not in sight. */
  faults: number;
  onShow?: () => void;
  unsure: boolean;
  busy: boolean;
  empty: boolean;
  jobs: number;
  onSubmit: () => void;
}

/** The button that hands the job in, and all that stands in its way. */
export function SubmitBox(props: Props) {
  const { t } = useTranslation("submit");
  const { code, refused, faults } = props;
  return (
    <div className="card submit-box">
      {code && (
        <p className="row">
          <Icon name="upload" size={14} />
          <span className="cut grow">{t("code_along", { name: code.name })}</span>
          <button type="button" className="link-button" onClick={props.onDropCode}>
            {t("remove")}
          </button>
        </p>
      )}
      {refused.length > 0 && <Refusal faults={refused} freeName={props.freeName} onName={props.onName} />}
      {faults > 0 && refused.length === 0 && (
        <p className="fault">
          {t("faults_left", { count: faults })}{" "}
          {props.onShow && (
            <button type="button" className="link-button" onClick={props.onShow}>
              {t("show")}
            </button>
          )}
        </p>
      )}
      {props.unsure && <p role="status">{t("unsure")}</p>}
      <Button type="primary" size="large" block loading={props.busy} disabled={props.empty} onClick={props.onSubmit}>
        {props.jobs > 1 ? t("submit_many", { count: props.jobs }) : t("submit")}
      </Button>
      <p className="quiet submit-keys">{t("submit_keys")}</p>
    </div>
  );
}

function Refusal({
  faults,
  freeName,
  onName,
}: {
  faults: Issue[];
  freeName: string | null;
  onName: (name: string) => void;
}) {
  const { t } = useTranslation("submit");
  const said = useSaid();
  return (
    <div role="alert" className="fault stack">
      <strong>{t("refused")}</strong>
      {faults.map((fault, index) => (
        <p key={index}>
          {fault.line ? `${t("at_line", { line: fault.line, column: fault.column })} ` : ""}
          {said(fault)}
        </p>
      ))}
      {freeName && (
        <div>
          <Button size="small" onClick={() => onName(freeName)}>
            {t("use_name", { name: freeName })}
          </Button>
        </div>
      )}
    </div>
  );
}
