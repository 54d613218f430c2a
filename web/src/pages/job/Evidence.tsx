import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Job } from "@/api/client";
import { useAtEnd } from "@/shared/hooks/useAtEnd";
import { tailQuery } from "./api";
import { plainText } from "./ansi";

const LINES = 20;

/** The last lines the deciding task wrote: most often they say it. */
export function Evidence({ job, task }: { job: Job; task?: string }) {
  const { t } = useTranslation("job");
  const log = useQuery(tailQuery(job.id, LINES, task));
  const text = plainText(log.data ?? "").trimEnd();
  const box = useAtEnd<HTMLPreElement>(text);
  if (!text) return null;
  return (
    <figure className="evidence">
      <figcaption className="quiet">{t("evidence")}</figcaption>
      <pre ref={box} tabIndex={0} aria-label={t("evidence")}>
        {text}
      </pre>
    </figure>
  );
}
