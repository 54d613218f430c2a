import { expect, test } from "vitest";
import { smooth, thin, type Point } from "./thin";

test("thinning keeps both ends, every peak and the order", () => {
  const points = Array.from({ length: 10_000 }, (_, x): Point => [
    x,
    x === 5_003 ? 900 : x === 7_777 ? -900 : Math.sin(x),
  ]);
  const kept = thin(points, 1000);
  expect(kept.length).toBeLessThanOrEqual(1002);
  expect(kept[0]).toEqual(points[0]);
  expect(kept.at(-1)).toEqual(points.at(-1));
  expect(kept).toContainEqual([5_003, 900]);
  expect(kept).toContainEqual([7_777, -900]);
  expect(kept.every((point, i) => i === 0 || point[0] >= (kept[i - 1]?.[0] ?? 0))).toBe(true);
  expect(thin(points.slice(0, 10), 1000)).toHaveLength(10);
});

test("thinning keeps gaps", () => {
  const points = Array.from({ length: 3000 }, (_, x): Point => [x, x > 1000 && x < 2000 ? null : 1]);
  expect(thin(points, 300).some((point) => point[1] === null)).toBe(true);
});

test("smoothing keeps a constant, softens a jump and does not start at zero", () => {
  expect(
    smooth(
      [
        [0, 5],
        [1, 5],
        [2, 5],
      ],
      0.9,
    ).map((point) => point[1]),
  ).toEqual([5, 5, 5]);
  const jump = smooth(
    [
      [0, 0],
      [1, 0],
      [2, 10],
      [3, 10],
    ],
    0.6,
  );
  expect(jump[2]?.[1]).toBeGreaterThan(0);
  expect(jump[2]?.[1]).toBeLessThan(10);
  expect(
    smooth(
      [
        [0, 1],
        [1, null],
        [2, 1],
      ],
      0.6,
    )[1],
  ).toEqual([1, null]);
  expect(
    smooth(
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
      0,
    ),
  ).toEqual([
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
});
