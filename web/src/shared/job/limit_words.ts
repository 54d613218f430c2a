const sizes: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86400, w: 604800 };

/** `1h30m` in seconds; null when it is not a duration. The server reads the same words. */
export function secondsOf(text: string): number | null {
  if (!/^(\d+(\.\d+)?[smhdw])+$/.test(text.trim())) return null;
  let sum = 0;
  for (const [, count, unit] of text.matchAll(/(\d+(?:\.\d+)?)([smhdw])/g))
    sum += Number(count) * (sizes[unit ?? ""] ?? 0);
  return sum;
}

/** The same the other way: 5400 is `1h30m`, as somebody would have typed it. */
export function wordsOf(seconds: number): string {
  let left = Math.round(seconds);
  let words = "";
  for (const unit of ["d", "h", "m", "s"]) {
    const count = Math.floor(left / (sizes[unit] ?? 1));
    left -= count * (sizes[unit] ?? 1);
    if (count) words += `${count}${unit}`;
  }
  return words;
}
