import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useNavigate } from "react-router-dom";
import { fetchRaw, newKey } from "@/api/client";
import { sampleJob } from "./sample";

/** Hands in the sample and shows it; used wherever somebody has nothing yet. */
export function useSample() {
  const navigate = useNavigate();
  const [key] = useState(newKey);
  return useMutation({
    mutationFn: async () => {
      const answer = await fetchRaw("/api/v1/jobs", {
        method: "POST",
        body: sampleJob,
        headers: { "Idempotency-Key": key },
      });
      return (await answer.json()) as { id: string };
    },
    // Its overview has both: the lines as they come, and the curve that they make.
    onSuccess: (made) => navigate(`/jobs/${made.id}`),
  });
}
