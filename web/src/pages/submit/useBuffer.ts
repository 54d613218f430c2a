import { useRef, useState } from "react";

/**
 * What is typed, beside the value it stands for: a half-written row or number is no value yet and must stay on the
 * screen, while a value that changes elsewhere (in the editor) must show.
 */
export function useBuffer<Shown, Value>(
  value: Value,
  show: (value: Value) => Shown,
  mean: (shown: Shown) => Value,
  commit: (value: Value) => void,
): [Shown, (next: Shown) => void] {
  const [shown, setShown] = useState<Shown>(() => show(value));
  const known = useRef(JSON.stringify(value));
  const now = JSON.stringify(value);
  let current = shown;
  if (now !== known.current) {
    known.current = now;
    if (now !== JSON.stringify(mean(shown))) {
      current = show(value);
      setShown(current);
    }
  }
  return [
    current,
    (next) => {
      setShown(next);
      const meant = mean(next);
      if (JSON.stringify(meant) !== now) commit(meant);
    },
  ];
}
