import { App, Button, Input, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { JobSummary } from "@/api/client";
import { jobApi, renewJobs } from "@/api/jobs";
import { duration, fullTime } from "@/shared/format/time";
import { languageNow } from "@/shared/language";
import { thrown, useSaid, type Sentence } from "@/shared/messages";
import { secondsOf, wordsOf } from "./limit_words";

const quick = ["1h", "4h", "12h", "1d"];

export default function LimitDialog({ job, onClose }: { job: JobSummary; onClose: () => void }) {
  const { t } = useTranslation("shared");
  const { message } = App.useApp();
  const [text, setText] = useState(job.time_limit ? wordsOf(job.time_limit) : "");
  const [busy, setBusy] = useState(false);
  const said = useSaid();
  const [fault, setFault] = useState<Sentence | null>(null);
  const seconds = text.trim() === "" ? null : secondsOf(text);
  const wrong = text.trim() !== "" && seconds === null;
  const start = job.started_at ? new Date(job.started_at).getTime() : null;
  const save = async () => {
    if (wrong) return;
    setBusy(true);
    try {
      await jobApi.limit(job.id, text.trim() === "" ? null : text.trim());
      await renewJobs([job.id]);
      void message.success(t("done.limit", { name: job.handle }));
      onClose();
    } catch (error) {
      setFault(thrown(error));
    } finally {
      setBusy(false);
    }
  };
  const consequence = () => {
    if (wrong) return t("limit.wrong");
    if (seconds === null) return t("limit.none_text");
    if (start !== null) return t("limit.ends", { time: fullTime(start + seconds * 1000, languageNow()) });
    return t("limit.after", { time: duration(seconds * 1000, languageNow()) });
  };
  return (
    <Modal
      open
      title={t("limit.title", { name: job.handle })}
      okText={t("limit.save")}
      cancelText={t("cancel")}
      confirmLoading={busy}
      okButtonProps={{ disabled: wrong }}
      onOk={() => void save()}
      onCancel={onClose}
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label htmlFor="limit">{t("limit.label")}</label>
        <Input
          id="limit"
          autoFocus
          value={text}
          status={wrong ? "error" : ""}
          aria-describedby="limit-said"
          placeholder={t("limit.none")}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="row">
          {quick.map((one) => (
            <Button key={one} size="small" onClick={() => setText(one)}>
              {one}
            </Button>
          ))}
          <Button size="small" onClick={() => setText("")}>
            {t("limit.none")}
          </Button>
        </div>
        <p id="limit-said" className={wrong || fault ? "fault" : "quiet"} role={fault ? "alert" : undefined}>
          {fault ? said(fault) : consequence()}
        </p>
      </form>
    </Modal>
  );
}
