export type Point = [x: number, y: number | null];

/** At most about `most` points that draw the same picture: of each stretch its lowest and its highest stay. */
export function thin(points: Point[], most: number): Point[] {
  if (points.length <= most || most < 4) return points;
  const stretch = Math.ceil((points.length - 2) / Math.floor((most - 2) / 2));
  const kept: Point[] = [points[0] as Point];
  for (let from = 1; from < points.length - 1; from += stretch) {
    const part = points.slice(from, Math.min(from + stretch, points.length - 1));
    const known = part.filter((point) => point[1] !== null);
    if (!known.length) {
      kept.push(part[0] as Point);
      continue;
    }
    const low = known.reduce((a, b) => ((b[1] as number) < (a[1] as number) ? b : a));
    const high = known.reduce((a, b) => ((b[1] as number) > (a[1] as number) ? b : a));
    kept.push(...(low === high ? [low] : low[0] <= high[0] ? [low, high] : [high, low]));
  }
  kept.push(points.at(-1) as Point);
  return kept;
}

/**
 * A moving average that looks back: weight falls with the distance in x, so that curves with other spacing compare, and
 * the beginning is not pulled towards zero. 0 leaves all as it is, 0.99 is very smooth.
 */
export function smooth(points: Point[], weight: number): Point[] {
  if (weight <= 0 || points.length < 3) return points;
  const first = points[0]?.[0] ?? 0;
  const last = points.at(-1)?.[0] ?? 0;
  // One usual step apart counts as `weight`.
  const usual = (last - first) / (points.length - 1) || 1;
  let sum = 0;
  let weights = 0;
  let before = first;
  return points.map(([x, y]): Point => {
    if (y === null) return [x, null];
    const fade = weight ** (Math.max(0, x - before) / usual);
    before = x;
    sum = sum * fade + y * (1 - weight);
    weights = weights * fade + (1 - weight);
    return [x, sum / weights];
  });
}
