import { Modal } from "antd";
import { useTranslation } from "react-i18next";
import { Preview } from "./Preview";
import type { Checked } from "./api";

/** The last look before a job is handed in, where the preview does not stand beside the form. */
export default function ConfirmDialog({
  checked,
  text,
  onSubmit,
  onClose,
}: {
  checked: Checked | undefined;
  text: string;
  onSubmit: () => void;
  onClose: () => void;
}) {
  const { t } = useTranslation("submit");
  return (
    <Modal
      open
      width={720}
      title={t("confirm_title")}
      okText={t("confirm")}
      cancelText={t("cancel")}
      onOk={onSubmit}
      onCancel={onClose}
    >
      <Preview checked={checked} text={text} pending={false} always />
    </Modal>
  );
}
