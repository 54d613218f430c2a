import { useMutation } from "@tanstack/react-query";
import { Button, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { ApiError, fetchRaw, newKey } from "@/api/client";
import { Page } from "@/shared/ui/Page";

interface Submitted {
  id: string;
}

export function Component() {
  const { t } = useTranslation("submit");
  const navigate = useNavigate();
  const [text, setText] = useState("name: hello\nrun: echo hello\n");
  const [key] = useState(newKey);
  const submit = useMutation({
    mutationFn: async (file: string) => {
      const answer = await fetchRaw("/api/v1/jobs", { method: "POST", body: file, headers: { "Idempotency-Key": key } });
      return (await answer.json()) as Submitted;
    },
    onSuccess: (made) => navigate(`/jobs/${made.id}`),
  });
  return (
    <Page
      title={t("title")}
      label={t("title")}
      actions={
        <Button type="primary" loading={submit.isPending} onClick={() => submit.mutate(text)}>
          {t("submit")}
        </Button>
      }
    >
      <label htmlFor="job-file">{t("file")}</label>
      <Input.TextArea id="job-file" className="mono" autoSize={{ minRows: 16 }} value={text} onChange={(event) => setText(event.target.value)} />
      {submit.error && (
        <div role="alert" className="fault">
          <p>{submit.error.message}</p>
          {submit.error instanceof ApiError &&
            submit.error.problem.details.map((fault, index) => (
              <p key={index}>
                {fault.line}:{fault.column} {fault.message}
              </p>
            ))}
        </div>
      )}
    </Page>
  );
}
