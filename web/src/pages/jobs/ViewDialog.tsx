import { Input, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";

/** Asks what the present filters shall be called. */
export default function ViewDialog({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const { t } = useTranslation("jobs");
  const [name, setName] = useState("");
  const save = () => {
    if (!name.trim()) return;
    onSave(name.trim());
    onClose();
  };
  return (
    <Modal
      open
      width={420}
      title={t("save_view")}
      okText={t("keep_view")}
      cancelText={t("cancel")}
      okButtonProps={{ disabled: !name.trim() }}
      onOk={save}
      onCancel={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <label htmlFor="view-name">{t("view_name")}</label>
        <Input id="view-name" autoFocus maxLength={40} value={name} onChange={(event) => setName(event.target.value)} />
        <p className="quiet">{t("view_text")}</p>
      </form>
    </Modal>
  );
}
