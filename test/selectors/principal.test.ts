import { describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { principalComponents, projected } from "../../src/selectors/rums/principal.js";

/** Vectors with these deviations along the coordinates, turned by 45 degrees in the plane of the first two, around `centre`. */
function turned(count: number, deviations: readonly number[], centre: readonly number[]): number[][] {
  const random = seeded("turned");
  const normal = () => Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Array.from({ length: count }, () => {
    const [a = 0, b = 0, ...rest] = deviations.map((deviation) => deviation * normal());
    const r = Math.SQRT1_2;
    return [r * (a - b), r * (a + b), ...rest].map((value, i) => value + centre[i]!);
  });
}

describe("principal components", () => {
  test("are the directions that were planted, the widest first, each with its largest number positive", () => {
    const { mean, components } = principalComponents(turned(4000, [3, 1, 0.2], [5, -2, 7]), 2);
    expect(mean.map((value, i) => Math.abs(value - [5, -2, 7][i]!) < 0.15)).toEqual([true, true, true]);
    expect(components).toHaveLength(2);
    const r = Math.SQRT1_2;
    const along = (component: readonly number[], direction: readonly number[]) =>
      component.reduce((sum, value, i) => sum + value * direction[i]!, 0);
    expect(along(components[0]!, [r, r, 0])).toBeGreaterThan(0.99);
    expect(Math.abs(along(components[1]!, [-r, r, 0]))).toBeGreaterThan(0.99);
    for (const component of components) {
      expect(along(component, component)).toBeCloseTo(1, 9);
      expect(component[component.map(Math.abs).indexOf(Math.max(...component.map(Math.abs)))]).toBeGreaterThan(0);
    }
    expect(along(components[0]!, components[1]!)).toBeCloseTo(0, 9);
  });

  test("have scores whose variance is that of the data along them, in falling order", () => {
    const vectors = turned(3000, [1, 4, 2, 0.5], [0, 0, 0, 0]);
    const projection = principalComponents(vectors, 3);
    const scores = vectors.map((vector) => projected(vector, projection));
    const deviations = [0, 1, 2].map((at) => Math.sqrt(scores.reduce((sum, row) => sum + row[at]! ** 2, 0) / 3000));
    for (const [at, deviation] of [4, 2, 1].entries()) expect(deviations[at]! / deviation).toBeCloseTo(1, 1);
  });

  test("are as many as the directions in which anything varies; alike vectors have none", () => {
    const line = [1, 2, 3, 5].map((t) => [t, 2 * t, 7]);
    const { components } = principalComponents(line, 3);
    expect(components).toHaveLength(1);
    expect(components[0]![1]! / components[0]![0]!).toBeCloseTo(2, 9);
    expect(components[0]![2]).toBeCloseTo(0, 9);
    expect(projected([2.75, 5.5, 7], principalComponents(line, 3))).toEqual([expect.closeTo(0, 9)]);
    expect(principalComponents([[1, 2], [1, 2], [1, 2]], 2).components).toEqual([]); // biome-ignore format: short
    expect(principalComponents([[1, 2]], 2)).toEqual({ mean: [1, 2], components: [] });
    expect(principalComponents([], 2)).toEqual({ mean: [], components: [] });
  });
});
