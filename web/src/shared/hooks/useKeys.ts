import { useEffect, useRef } from "react";

/** Calls what `pressed` is now, whenever a key goes down anywhere on the page. */
export function useKeys(pressed: (event: KeyboardEvent) => void): void {
  const latest = useRef(pressed);
  useEffect(() => {
    latest.current = pressed;
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => latest.current(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** A single letter, typed where nobody is writing. */
export const isShortcut = (event: KeyboardEvent): boolean =>
  !event.ctrlKey &&
  !event.metaKey &&
  !event.altKey &&
  !(event.target as HTMLElement).closest("input, textarea, select, [contenteditable], [role=dialog]");
