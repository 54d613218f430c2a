import { useNavigate } from "react-router-dom";
import { useSubmitOnce } from "@/api/jobs";
import { sampleJob } from "./sample";

/** Hands in the sample and shows it; used wherever somebody has nothing yet. */
export function useSample() {
  const navigate = useNavigate();
  // Its overview has both: the lines as they come, and the curve that they make.
  return useSubmitOnce(sampleJob, (made) => navigate(`/jobs/${made.id}`));
}
