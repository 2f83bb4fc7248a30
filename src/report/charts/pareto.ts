import { type Arm, armsByTask, costPerQuestion, metricTitle, sampleText, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { named, quantitative, SCORE_FORMAT, scoreScale, sentinel, specOf } from "./theme.js";

/** Score against cost with the arms that no other beats in both; dollars where all have a price, else tokens. One a task. */
export function pareto(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, key, arms }): Chart[] => {
    const costed = arms.flatMap((arm) => {
      const cost = costPerQuestion(arm, material.units);
      return cost === undefined || cost.tokens === 0 ? [] : [{ arm, cost }];
    });
    const [first] = costed;
    if (first === undefined || costed.length < 2) return [];
    const priced = costed.every(({ cost }) => (cost.usd ?? 0) > 0);
    const points = costed.map(({ arm, cost }) => ({
      arm: arm.label,
      score: arm.headline.strict,
      cost: priced ? 1000 * (cost.usd ?? 0) : cost.tokens,
    }));
    const better = first.arm.headline.better;
    const values = points.map((point) => ({ ...point, front: !points.some((other) => beats(other, point, better)) }));
    const note = `Filled, on the line: no other method is both better and cheaper. The preparation of users is included${priced ? ", at list prices" : "; in tokens, as no price is known"}.`;
    const drawn = costed.map(({ arm }) => arm);
    return [
      {
        name: `pareto-${key}`,
        title: `Score against ${priced ? "dollars" : "tokens"}: ${fact.title}`,
        note: `${note} ${sampleText(drawn)}${simulatedMark(drawn)}`,
        section: "cost",
        of: { task: fact.task, dataset: fact.dataset, note },
        spec: drawing(
          values,
          priced ? "US dollars per 1,000 questions" : "tokens per question",
          metricTitle(first.arm.headline),
        ),
      },
    ];
  });
}

interface Dot {
  readonly arm: string;
  readonly score: number;
  readonly cost: number;
}

/** At least as good and as cheap, and better in one. */
function beats(other: Dot, point: Dot, better: Arm["headline"]["better"]): boolean {
  const ahead = (better === "higher" ? 1 : -1) * (other.score - point.score);
  return ahead >= 0 && other.cost <= point.cost && (ahead > 0 || other.cost < point.cost);
}

function drawing(values: readonly (Dot & { readonly front: boolean })[], costTitle: string, scoreTitle: string) {
  const costs = values.map(({ cost }) => cost);
  const [low, high] = [Math.min(...costs) / 1.35, Math.max(...costs) * 1.35];
  const x = quantitative("cost", {
    scale: { type: "log", domain: [low, high], nice: false },
    title: costTitle,
    axis: { format: "~s", values: roundNumbers(low, high), labelOverlap: true },
  });
  const scores = values.map(({ score }) => score);
  const y = quantitative("score", {
    scale: scoreScale(scores, { nice: true, padding: 16 }),
    title: scoreTitle,
    axis: { format: SCORE_FORMAT },
  });
  const color = named("arm", { legend: { orient: "bottom", columns: 4 } });
  const shape = named("arm", { scale: { range: shapes.slice(0, values.length) } });
  const point = { type: "point", size: 80, strokeWidth: 2, opacity: 1 } as const;
  return specOf({
    width: 400,
    height: 190,
    data: { values: values.map((value) => ({ ...value })) },
    encoding: { x, y },
    layer: [
      {
        transform: [{ filter: "datum.front" }],
        mark: { type: "line", interpolate: "step-after", color: sentinel.muted, strokeDash: [3, 3] },
        encoding: { order: { field: "cost" } },
      },
      { mark: point, encoding: { color, shape } },
      { transform: [{ filter: "datum.front" }], mark: { ...point, filled: true }, encoding: { color, shape } },
    ],
  });
}

/** Nine with ten colours: 90 methods look different, also without colours up to nine of them. */
const shapes = [
  "circle",
  "square",
  "triangle-up",
  "diamond",
  "cross",
  "triangle-down",
  "triangle-right",
  "triangle-left",
  "stroke",
] as const;

/** 1, 2 and 5 times the powers of ten within a range. */
function roundNumbers(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, d) => 10 ** (first + d));
  return decades
    .flatMap((decade) => [1, 2, 5].map((of) => Number((of * decade).toPrecision(3))))
    .filter((n) => n >= low && n <= high);
}
