import type { OptionValue, SweepFacts } from "../../types/index.js";
import { sweepArms } from "../sweep.js";
import { type Arm, armsByTask, costPerQuestion, fileSafe, metricTitle, sampleText, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { named, quantitative, SCORE_FORMAT, scoreScale, specOf } from "./theme.js";

/** Every metric and the cost along each axis that the arms vary, one above the other; one chart per task and axis. */
export function scaling(material: ChartMaterial): Chart[] {
  const sweep = material.sweep ?? variedKnobs(material);
  const placed = new Map(sweepArms({ ...material, sweep }).map(({ cells, axes }) => [cells[0], axes]));
  return armsByTask(material).flatMap(({ fact, key, arms }) =>
    sweep.axes
      .filter(({ knob }) => knob !== "method")
      .flatMap((axis): Chart[] => {
        const points = arms.flatMap((arm) => pointOf(arm, axis, sweep, placed.get(arm.summary.cells[0]), material));
        const [first] = points;
        if (first === undefined || new Set(points.map(({ value }) => value)).size < 2) return [];
        const drawn = points.map(({ arm }) => arm);
        const priced = points.every(({ cost }) => (cost?.usd ?? 0) > 0);
        return [
          {
            name: `sweep-${key}-${fileSafe(axis.knob)}`,
            title: `${axis.knob}: ${fact.title}`,
            note: `From above: each metric with its 95 % interval over users; below: what a question costs, its user's preparation included. ${sampleText(drawn)}${simulatedMark(drawn)}`,
            section: "sweep",
            spec: drawing(points, axis, priced),
          },
        ];
      }),
  );
}

type Axis = SweepFacts["axes"][number];
type AxisValues = Readonly<Record<string, OptionValue>>;

interface Dot {
  readonly arm: Arm;
  readonly value: OptionValue;
  readonly series: string;
  readonly cost: ReturnType<typeof costPerQuestion>;
}

/**
 * The dot of an arm on an axis; none where another axis with a base is not at it. Axes without a base name the line that
 * the dot is on.
 */
function pointOf(
  arm: Arm,
  { knob }: Axis,
  { axes }: SweepFacts,
  axisValues: AxisValues | undefined,
  material: ChartMaterial,
): Dot[] {
  const value = axisValues?.[knob];
  if (axisValues === undefined || value === undefined) return [];
  const others = axes.filter((axis) => axis.knob !== knob && axis.knob !== "method" && axis.knob in axisValues);
  if (others.some((axis) => axis.base !== undefined && axisValues[axis.knob] !== axis.base)) return [];
  const free = others.filter(({ base }) => base === undefined).map((axis) => `${axis.knob}=${axisValues[axis.knob]}`);
  return [{ arm, value, series: [arm.summary.method, ...free].join(" "), cost: costPerQuestion(arm, material.units) }];
}

/** Knobs that differ between the arms of one method, where the run says nothing of a sweep. */
function variedKnobs({ cells }: ChartMaterial): SweepFacts {
  const values = new Map<string, OptionValue[]>();
  for (const cell of cells)
    for (const peer of cells)
      if (peer.method === cell.method && peer.task === cell.task && peer.dataset === cell.dataset)
        for (const [knob, value] of Object.entries(cell.options))
          if (peer.options[knob] !== undefined && peer.options[knob] !== value)
            values.set(knob, [...new Set([...(values.get(knob) ?? []), value])]);
  return { kind: "grid", axes: [...values].map(([knob, chosen]) => ({ knob, values: chosen })) };
}

function drawing(points: readonly Dot[], { knob, values: order }: Axis, priced: boolean) {
  const numeric = points.every(({ value }) => typeof value === "number");
  const shown = [...new Set(points.map(({ value }) => value))];
  const scale = { zero: false, nice: false, padding: 16 };
  const x = numeric
    ? quantitative("value", { title: knob, scale, axis: { values: shown } })
    : named("value", { title: knob, sort: [...order], axis: { labelAngle: 0 } });
  const color = named("series");
  const size = { width: numeric ? 380 : { step: 110 } };
  const mark = numeric ? { type: "line", point: { size: 55 } } : { type: "point", filled: true, size: 70, opacity: 1 };
  const metrics = points[0]?.arm.summary.metrics ?? [];
  const values = points.map(({ arm, value, series, cost }) => ({
    value,
    series,
    ...Object.assign({}, ...metrics.map((_, m) => scoresIn(arm, m))),
    cost: (priced ? (cost?.usd ?? 0) * 1000 : cost?.tokens) ?? null,
  }));
  const costTitle = priced ? "$ per 1,000 questions" : "tokens per question";
  return specOf({
    data: { values },
    vconcat: [
      ...metrics.map((metric, m) => {
        const [score, low, high] = fieldsOf(m);
        const scores = scoreScale(
          points.flatMap(({ arm }) => Object.values(scoresIn(arm, m))),
          { nice: true },
        );
        const y = { title: metricTitle(metric), scale: scores, axis: { format: SCORE_FORMAT } };
        return {
          ...size,
          height: m === 0 ? 180 : 120,
          layer: [
            {
              transform: [{ filter: `isValid(datum.${low})` }],
              mark: { type: "rule", strokeWidth: 1.5, opacity: 0.6 },
              encoding: { x, color, y: quantitative(low, y), y2: { field: high } },
            },
            {
              transform: [{ filter: `isValid(datum.${score})` }],
              mark,
              encoding: { x, color, y: quantitative(score, y) },
            },
          ],
        };
      }),
      {
        ...size,
        height: 120,
        transform: [{ filter: "isValid(datum.cost)" }],
        mark,
        encoding: {
          x,
          color,
          y: quantitative("cost", {
            title: costTitle,
            scale: { zero: true, nice: true },
            axis: { format: "~s", tickCount: 4 },
          }),
        },
      },
    ],
  });
}

/** Names of a metric's values in the data: plain for the first one. */
const fieldsOf = (m: number): readonly [string, string, string] =>
  m === 0 ? ["score", "low", "high"] : [`score${m}`, `low${m}`, `high${m}`];

function scoresIn({ summary }: Arm, m: number): Readonly<Record<string, number | null>> {
  const metric = summary.metrics[m];
  const [score, low, high] = fieldsOf(m);
  return {
    [score]: metric?.strict ?? null,
    [low]: metric?.interval?.low ?? null,
    [high]: metric?.interval?.high ?? null,
  };
}
