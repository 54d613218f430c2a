import { useEffect, useState } from "react";

/** The time, renewed every so many milliseconds while the tab is seen; 0: never. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!every) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
