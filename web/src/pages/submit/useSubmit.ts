import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, fetchRaw, newKey } from "@/api/client";
import { keys, queries } from "@/app/queries";
import type { Dialect } from "@/shared/job/dialect";
import type { Submitted } from "./useCheck";

export interface Bundle {
  text: string;
  format: Dialect | "";
  /** Code that goes along. */
  code: File | null;
}

const TRIES = 60;
const wait = (milliseconds: number) => new Promise((done) => setTimeout(done, milliseconds));

/**
 * Hands the job in, exactly once: the key belongs to the text, so a repeated click and a question after a lost
 * connection get the same answer.
 */
export function useSubmit(done: (made: Submitted) => void) {
  const key = useRef({ for: "", key: newKey() });
  const [unsure, setUnsure] = useState(false);
  const mutation = useMutation({
    mutationFn: async ({ text, format, code }: Bundle): Promise<Submitted> => {
      const print = `${format}\n${code ? `${code.name} ${code.size} ${code.lastModified}` : ""}\n${text}`;
      if (key.current.for !== print) key.current = { for: print, key: newKey() };
      const address = `/api/v1/jobs${format ? `?format=${format}` : ""}`;
      const send = async () => {
        let body: BodyInit = text;
        const headers: Record<string, string> = { "Idempotency-Key": key.current.key };
        if (code) {
          body = new FormData();
          body.append("job", new Blob([text], { type: "application/yaml" }), "job.yaml");
          body.append("code", code, code.name);
        } else headers["Content-Type"] = "application/yaml";
        return (await (await fetchRaw(address, { method: "POST", body, headers })).json()) as Submitted;
      };
      try {
        for (let tried = 0; ; tried += 1) {
          try {
            return await send();
          } catch (error) {
            if (!(error instanceof ApiError) || error.status !== 0 || tried >= TRIES) throw error;
            setUnsure(true);
            await wait(2000);
          }
        }
      } finally {
        setUnsure(false);
      }
    },
    onSuccess: (made) => {
      key.current = { for: "", key: newKey() };
      void queries.invalidateQueries({ queryKey: keys.jobs });
      void queries.invalidateQueries({ queryKey: keys.queue });
      done(made);
    },
  });
  return { ...mutation, unsure };
}
