import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, newKey } from "@/api/client";
import { keys, renew } from "@/api/queries";
import { sendJob, type Bundle, type Submitted } from "./api";

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
    mutationFn: async (bundle: Bundle): Promise<Submitted> => {
      const { text, format, code } = bundle;
      const print = `${format}\n${code ? `${code.name} ${code.size} ${code.lastModified}` : ""}\n${text}`;
      if (key.current.for !== print) key.current = { for: print, key: newKey() };
      try {
        for (let tried = 0; ; tried += 1) {
          try {
            return await sendJob(bundle, key.current.key);
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
      void renew(keys.jobs, keys.queue);
      done(made);
    },
  });
  return { ...mutation, unsure };
}
