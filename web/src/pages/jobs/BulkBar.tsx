import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { JobSummary } from "@/api/client";
import type { JobActions } from "@/shared/job/useJobActions";
import { Icon } from "@/shared/ui/Icon";

/** Takes the toolbar's place while rows are ticked. */
export function BulkBar({
  jobs,
  total,
  actions,
  onClear,
}: {
  jobs: JobSummary[];
  total: number;
  actions: JobActions;
  onClear: () => void;
}) {
  const { t } = useTranslation("jobs");
  return (
    <div className="toolbar bulk" role="toolbar" aria-label={t("bulk")}>
      <strong className="numbers">{t("selected", { count: total })}</strong>
      <Button icon={<Icon name="stop" />} onClick={() => actions.bulk("stop", jobs)}>
        {t("bulk_stop")}
      </Button>
      <Button danger icon={<Icon name="trash" />} onClick={() => actions.bulk("remove", jobs)}>
        {t("bulk_remove")}
      </Button>
      <Button icon={<Icon name="clock" />} onClick={() => actions.bulk("limit", jobs)}>
        {t("bulk_limit")}
      </Button>
      <Button type="text" onClick={onClear}>
        {t("clear_selection")}
      </Button>
    </div>
  );
}
