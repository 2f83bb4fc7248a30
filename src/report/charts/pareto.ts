import {
  type Arm,
  armsByTask,
  type Cost,
  costPerQuestion,
  metricTitle,
  sampleText,
  simulatedMark,
  taskKey,
} from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { type LabelSpot, labelSpots, spotsOf } from "./label-spots.js";
import { SCORE_FORMAT, scoreScale, sentinel, specOf } from "./theme.js";

/** Score against cost with the arms that no other beats in both; dollars where all have a price, else tokens. One a task. */
export function pareto(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, arms }) => {
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
      cost: priced ? usdPerThousand(cost) : cost.tokens,
    }));
    const better = first.arm.headline.better;
    const values = points.map((point) => ({ ...point, front: !points.some((other) => beats(other, point, better)) }));
    const drawn = costed.map(({ arm }) => arm);
    return [
      {
        name: `pareto-${taskKey(material, fact)}`,
        title: `Score against ${priced ? "dollars" : "tokens"}: ${fact.title}`,
        note: `Filled, on the line: no other arm is both better and cheaper. Cost of a question with the preparation of its user spread over the user's questions${priced ? ", list prices" : ", in tokens because no price is known"}; logarithmic. ${sampleText(drawn)}${simulatedMark(drawn)}`,
        section: "tasks",
        spec: drawing(
          values,
          priced ? "US dollars per 1,000 questions" : "tokens per question",
          metricTitle(first.arm.headline),
        ),
      } satisfies Chart,
    ];
  });
}

interface Dot {
  readonly arm: string;
  readonly score: number;
  readonly cost: number;
}

const [WIDTH, HEIGHT] = [440, 260];
const NEARER = 0.7;

const usdPerThousand = ({ usd }: Cost): number => 1000 * (usd ?? 0);

/** At least as good and as cheap, and better in one. */
function beats(other: Dot, point: Dot, better: Arm["headline"]["better"]): boolean {
  const ahead = (better === "higher" ? 1 : -1) * (other.score - point.score);
  return ahead >= 0 && other.cost <= point.cost && (ahead > 0 || other.cost < point.cost);
}

function drawing(values: readonly (Dot & { readonly front: boolean })[], costTitle: string, scoreTitle: string) {
  const costs = values.map(({ cost }) => cost);
  const [low, high] = [Math.min(...costs) / 1.35, Math.max(...costs) * 1.35];
  const x = {
    field: "cost",
    type: "quantitative",
    scale: { type: "log", domain: [low, high], nice: false },
    title: costTitle,
    axis: { format: "~s", values: roundNumbers(low, high), labelOverlap: true },
  } as const;
  const y = {
    field: "score",
    type: "quantitative",
    scale: scoreScale(
      values.map(({ score }) => score),
      { nice: true, padding: 16 },
    ),
    title: scoreTitle,
    axis: { format: SCORE_FORMAT },
  } as const;
  const color = { field: "name", type: "nominal", sort: null, title: null, legend: { symbolType: "circle" } } as const;
  const dots = pixelsOf(values, low, high);
  const front = dots.filter((_, i) => values[i]?.front).sort((a, b) => a.x - b.x);
  const spots = spotsOf(dots, stepsThrough(front));
  const isPlain = spots.every((spot) => spot === "above");
  return specOf({
    width: WIDTH,
    height: HEIGHT,
    data: {
      values: values.map((value, i) => ({
        ...value,
        number: i + 1,
        name: `${i + 1} ${value.arm}`,
        ...(isPlain ? {} : { label: spots[i] }),
      })),
    },
    encoding: { x, y },
    layer: [
      {
        transform: [{ filter: "datum.front" }],
        mark: { type: "line", interpolate: "step-after", color: sentinel.muted, strokeDash: [3, 3] },
        encoding: { order: { field: "cost" } },
      },
      { mark: { type: "point", size: 75, strokeWidth: 2, opacity: 1 }, encoding: { color } },
      {
        transform: [{ filter: "datum.front" }],
        mark: { type: "point", filled: true, size: 85, opacity: 1 },
        encoding: { color },
      },
      ...(isPlain ? [numbersAt("above")] : [...new Set(spots)].map((spot) => numbersAt(spot, spot))),
    ],
  });
}

/** Numbers beside their dots; with `only` those of dots whose label stands there. */
const numbersAt = (spot: LabelSpot, only?: LabelSpot) => ({
  ...(only === undefined ? {} : { transform: [{ filter: `datum.label === '${only}'` }] }),
  mark: { type: "text", ...offsetOf(spot) },
  encoding: { text: { field: "number" } },
});

function offsetOf(spot: LabelSpot): { readonly dx?: number; readonly dy: number } {
  const { dx, dy } = labelSpots[spot];
  return dx === 0 ? { dy } : { dx, dy };
}

/** About where dots stand: the score axis ends at round numbers, so they may be closer together than the whole height. */
function pixelsOf(values: readonly Dot[], low: number, high: number): { x: number; y: number }[] {
  const scores = values.map(({ score }) => score);
  const [least, most] = [Math.min(...scores), Math.max(...scores)];
  const span = most - least || 1;
  return values.map(({ cost, score }) => ({
    x: (WIDTH * Math.log(cost / low)) / Math.log(high / low),
    y: (HEIGHT * NEARER * (most - score)) / span,
  }));
}

/** Points of the line through these dots, which goes right first and then up or down (`step-after`), as close as half a label. */
function stepsThrough(dots: readonly { readonly x: number; readonly y: number }[]): { x: number; y: number }[] {
  const step = 6;
  const between = (from: number, to: number): number[] =>
    Array.from(
      { length: Math.floor(Math.abs(to - from) / step) + 1 },
      (_, i) => from + Math.sign(to - from) * step * i,
    );
  return dots.flatMap((dot, i) => {
    const next = dots[i + 1];
    if (next === undefined) return [];
    return [
      ...between(dot.x, next.x).map((x) => ({ x, y: dot.y })),
      ...between(next.y, dot.y).map((y) => ({ x: next.x, y })),
    ];
  });
}

/** 1, 2 and 5 times the powers of ten within a range. */
function roundNumbers(low: number, high: number): number[] {
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, d) => 10 ** (first + d));
  return decades
    .flatMap((decade) => [1, 2, 5].map((of) => Number((of * decade).toPrecision(3))))
    .filter((n) => n >= low && n <= high);
}
