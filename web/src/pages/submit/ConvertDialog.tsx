import { useQuery } from "@tanstack/react-query";
import { Modal } from "antd";
import { useTranslation } from "react-i18next";
import { ErrorFace, LoadingFace } from "@/shared/ui/Face";
import { useSaid } from "@/shared/messages";
import type { Dialect } from "@/api/job_files";

import { convertQuery } from "./api";

/** What another dialect cannot say, before anything is changed. */
export default function ConvertDialog({
  text,
  from,
  to,
  onDone,
  onClose,
}: {
  text: string;
  from: Dialect | "";
  to: Dialect;
  onDone: (text: string) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("submit");
  const said = useSaid();
  const converted = useQuery(convertQuery(text, from, to));
  return (
    <Modal
      open
      width={720}
      title={t("convert_title", { name: t(`dialect.${to}`) })}
      okText={t("convert")}
      cancelText={t("cancel")}
      okButtonProps={{ disabled: !converted.data }}
      onOk={() => converted.data && onDone(converted.data.text)}
      onCancel={onClose}
    >
      {converted.isPending && <LoadingFace />}
      {converted.error && <ErrorFace error={converted.error} />}
      {converted.data && (
        <div className="stack">
          <p>{converted.data.issues.length ? t("losses", { count: converted.data.issues.length }) : t("no_losses")}</p>
          {converted.data.issues.length > 0 && (
            <ul className="convert-losses">
              {converted.data.issues.map((issue, index) => (
                <li key={index}>
                  <span className="mono">{issue.path}</span> {said(issue)}
                </li>
              ))}
            </ul>
          )}
          <pre className="convert-text" tabIndex={0} aria-label={t("preview_tab.file")}>
            {converted.data.text}
          </pre>
        </div>
      )}
    </Modal>
  );
}
