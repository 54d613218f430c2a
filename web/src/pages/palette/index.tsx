import { Modal } from "antd";
import { useTranslation } from "react-i18next";

export default function Window({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("palette");
  return (
    <Modal open title={t("title")} footer={null} onCancel={onClose}>
      <p>{t("empty")}</p>
    </Modal>
  );
}
