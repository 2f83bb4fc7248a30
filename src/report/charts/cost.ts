import { html } from "../html.js";
import { formatAmount, formatScore } from "../tables/format.js";
import { ABOVE, type Area, axisOf, BELOW, drawX, drawY, LEFT, tickScore } from "./axis.js";
import { armsByTask, type Chart, type ChartInput, costsOf, metricTitle } from "./chart.js";
import { legend, pathOf, seriesDot, strokedPath } from "./svg.js";

const area: Area = { left: LEFT, right: LEFT + 350, top: ABOVE, bottom: ABOVE + 190 };

const NOTE =
  "Filled, on the line: the Pareto front, no other method is both better and cheaper. The preparation of users is included.";

/** Score against cost, with the line of the arms that no other beats in both; one chart a task. */
export function cost(input: ChartInput): Chart[] {
  return armsByTask(input).flatMap(({ arms, complete }): Chart[] => {
    const costs = costsOf(arms);
    const { metric } = arms[0]!; // a task has scored arms
    const sign = metric.better === "higher" ? 1 : -1;
    const priced = arms.map(({ label, score }, a) => ({ label, score, price: costs.of(arms[a]!) ?? 0 }));
    const points = priced.filter(({ price }) => price > 0);
    if (points.length < 2) return [];
    /** At least as good and as cheap, and better in one. */
    const isDominated = (one: (typeof points)[number]): boolean =>
      points.some(({ score, price }) => {
        const ahead = sign * (score - one.score);
        return ahead >= 0 && price <= one.price && (ahead > 0 || price < one.price);
      });
    const x = axisOf({
      ...{ values: points.map(({ price }) => price), range: [area.left, area.right], log: true },
      ...{ title: costs.title, format: formatAmount },
    });
    const y = axisOf({
      ...{ values: points.map(({ score }) => score), range: [area.bottom, area.top] },
      ...{ title: metricTitle(metric), format: tickScore },
    });
    const front = points.filter((point) => !isDominated(point)).sort((a, b) => a.price - b.price);
    const steps = front.flatMap(({ price, score }, f): [number, number][] => [
      [x.at(price), y.at((front[f - 1] ?? front[f]!).score)],
      [x.at(price), y.at(score)],
    ]);
    const dots = points.map((point, p) => {
      const { label, score, price } = point;
      const says = `${label}: ${formatScore(score)}, ${formatAmount(price)} ${costs.title}`;
      return seriesDot([x.at(price), y.at(score)], p, { hollow: isDominated(point), says });
    });
    const names = points.map(({ label }) => label);
    const key = legend(names, [12, area.bottom + BELOW], area.right);
    const picture = {
      width: Math.max(area.right, key.width) + 16,
      height: area.bottom + BELOW + key.height + 4,
      body: html`${drawX(x, area)}${drawY(y, area)}${strokedPath(pathOf(steps), "muted", { dashed: true })}${dots}${key.body}`,
    };
    return [complete({ name: "cost-TASK", title: "Score against cost", note: NOTE, picture })];
  });
}
