import { Button } from "antd";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { shortTime } from "@/shared/format/time";
import { languageNow } from "@/shared/language";
import { Icon } from "@/shared/ui/Icon";
import { modes, type Mode } from "./modes";
import type { JobText } from "./useJobText";

/** What stands beside the title: the draft of last time, a file from disk, and how to write the job. */
export function SubmitTools({ job, mode, onMode }: { job: JobText; mode: Mode; onMode: (mode: Mode) => void }) {
  const { t } = useTranslation("submit");
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      {job.draft && (
        <Button onClick={job.restoreDraft}>
          {t("restore_draft", { time: shortTime(job.draft.at, languageNow()) })}
        </Button>
      )}
      <Button icon={<Icon name="upload" />} onClick={() => picker.current?.click()}>
        {t("import")}
      </Button>
      <input
        ref={picker}
        type="file"
        hidden
        multiple
        aria-label={t("import")}
        accept=".json,.jsonc,.yaml,.yml,.zip,.tar,.tgz,.gz,.zst"
        onChange={(event) => {
          job.open([...(event.target.files ?? [])]);
          event.target.value = "";
        }}
      />
      <div className="segments" role="group" aria-label={t("mode")}>
        {modes.map((name) => (
          <button key={name} type="button" aria-pressed={mode === name} onClick={() => onMode(name)}>
            {t(`modes.${name}`)}
          </button>
        ))}
      </div>
    </>
  );
}
