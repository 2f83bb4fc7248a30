import { expect, test } from "vitest";
import { labelSpots, spotsOf } from "../../../src/report/charts/label-spots.js";

const at = (dots: readonly (readonly [number, number])[]) => dots.map(([x, y]) => ({ x, y }));

test("labels stand above their dots, as long as none meets another or a dot", () => {
  expect(spotsOf(at([[0, 0], [100, 0], [0, 100]]))).toEqual(["above", "above", "above"]); // biome-ignore format: points
  expect(spotsOf(at([[0, 20], [0, 8]]))).toEqual(["below", "above"]); // biome-ignore format: points
  expect(spotsOf(at([[0, 20]]), at([[0, 2], [0, 8], [0, 14]]))).toEqual(["below"]); // biome-ignore format: a line from above
});

test("no label meets a dot or another label, of six dots on nearly one spot", () => {
  const dots = at([[50, 50], [52, 51], [50, 53], [47, 50], [51, 48], [50, 50]]); // biome-ignore format: points
  const labels = spotsOf(dots).map((spot, d) => ({
    x: dots[d]!.x + labelSpots[spot].dx,
    y: dots[d]!.y + labelSpots[spot].dy,
  }));
  for (const [a, one] of labels.entries())
    for (const other of labels.slice(a + 1))
      expect(Math.abs(one.x - other.x) >= 10 || Math.abs(one.y - other.y) >= 10, JSON.stringify([one, other])).toBe(
        true,
      );
});
