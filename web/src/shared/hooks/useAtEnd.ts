import { useLayoutEffect, useRef, type RefObject } from "react";

const NEAR = 8;

/** A box of text that opens at its end and stays there while more comes, unless its reader scrolled away. */
export function useAtEnd<Box extends HTMLElement>(text: string): RefObject<Box | null> {
  const box = useRef<Box>(null);
  const height = useRef(0);
  useLayoutEffect(() => {
    const here = box.current;
    if (!here) return;
    if (here.scrollTop + here.clientHeight >= height.current - NEAR) here.scrollTop = here.scrollHeight;
    height.current = here.scrollHeight;
  }, [text]);
  return box;
}
