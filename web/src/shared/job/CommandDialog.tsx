import { Modal } from "antd";
import { useTranslation } from "react-i18next";
import type { JobSummary } from "@/api/client";
import { CopyText } from "@/shared/ui/CopyText";
import { asCommands } from "./actions";

const verbs = ["show", "logs", "stop", "delete"] as const;

/** Every action of the page, as it is typed. */
export default function CommandDialog({ job, onClose }: { job: JobSummary; onClose: () => void }) {
  const { t } = useTranslation("shared");
  return (
    <Modal open width={720} title={t("action.command")} footer={null} onCancel={onClose}>
      <div className="stack">
        {verbs.map((verb) => {
          const commands = asCommands(verb, job);
          return (
            <section key={verb} className="stack">
              <h3>{t(`command.${verb}`)}</h3>
              <CopyText block text={commands.cli} />
              <CopyText block text={commands.curl} />
              <CopyText block text={commands.python} />
            </section>
          );
        })}
        <p className="quiet">{t("command.token")}</p>
      </div>
    </Modal>
  );
}
