import { html } from "../markup.js";
import { formatAmount, formatScore } from "../tables/format.js";
import { ABOVE, type Area, BELOW, drawX, drawY, LEFT, linearAxis, logAxis, tickScore } from "./axis.js";
import { armsByTask, type Chart, type ChartMaterial, costsOf, metricTitle } from "./chart.js";
import { dot, legend, line, type Picture, pathOf } from "./svg.js";

/** Score against cost, with the line of the arms that no other beats in both; one chart a task. */
export function cost(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ arms, of }): Chart[] => {
    const costs = costsOf(arms);
    const points = arms.flatMap((arm) => {
      const price = costs.of(arm) ?? 0;
      return price > 0 ? [{ name: arm.label, score: arm.score, price }] : [];
    });
    const { metric } = arms[0]!; // a task has scored arms
    if (points.length < 2) return [];
    const sign = metric.better === "higher" ? 1 : -1;
    const isBeaten = (one: Point) => points.some((other) => beats(other, one, sign));
    const drawn = points.map((point) => ({ ...point, isFront: !isBeaten(point) }));
    const picture = drawing(drawn, { price: costs.title, score: metricTitle(metric) });
    const note =
      "Filled, on the line: no other method is both better and cheaper. The preparation of users is included.";
    return [of({ name: "cost-TASK", title: "Score against cost", note, picture })];
  });
}

interface Point {
  readonly name: string;
  readonly score: number;
  readonly price: number;
}

/** At least as good and as cheap, and better in one. */
function beats(other: Point, point: Point, sign: number): boolean {
  const ahead = sign * (other.score - point.score);
  return ahead >= 0 && other.price <= point.price && (ahead > 0 || other.price < point.price);
}

const area: Area = { left: LEFT, right: LEFT + 350, top: ABOVE, bottom: ABOVE + 190 };

function drawing(
  points: readonly (Point & { readonly isFront: boolean })[],
  titles: { price: string; score: string },
): Picture {
  const x = logAxis({
    values: points.map(({ price }) => price),
    ...{ range: [area.left, area.right], title: titles.price, format: formatAmount },
  });
  const y = linearAxis({
    values: points.map(({ score }) => score),
    ...{ range: [area.bottom, area.top], title: titles.score, format: tickScore },
  });
  const front = points.filter(({ isFront }) => isFront).sort((a, b) => a.price - b.price);
  const steps = front.flatMap(({ price, score }, f): [number, number][] => {
    const corner: [number, number][] = f === 0 ? [] : [[x.at(price), y.at(front[f - 1]!.score)]];
    return [...corner, [x.at(price), y.at(score)]];
  });
  const dots = points.map(({ name, score, price, isFront }, p) =>
    dot(x.at(price), y.at(score), p, {
      hollow: !isFront,
      says: `${name}: ${formatScore(score)}, ${formatAmount(price)} ${titles.price}`,
    }),
  );
  const key = legend(
    points.map(({ name }) => name),
    { x: 12, y: area.bottom + BELOW, width: area.right },
  );
  return {
    width: Math.max(area.right, key.width) + 16,
    height: area.bottom + BELOW + key.height + 4,
    body: html`${drawX(x, area)}${drawY(y, area)}${line(pathOf(steps), "muted", { dashed: true })}${dots}${key.body}`,
  };
}
