import { lazy, Suspense, useEffect, useState } from "react";
import { onSessionEnd } from "@/api/client";
import { useLive } from "@/api/events";

const SessionDialog = lazy(() => import("./SessionDialog"));

/** Notices that the server no longer knows us, and asks for the password then. */
export function SessionWatch() {
  const live = useLive();
  const [over, setOver] = useState(false);
  useEffect(() => onSessionEnd(() => setOver(true)), []);
  useEffect(() => {
    if (live.state === "over") setOver(true);
  }, [live.state]);
  if (!over) return null;
  return (
    <Suspense fallback={null}>
      <SessionDialog onDone={() => setOver(false)} />
    </Suspense>
  );
}
