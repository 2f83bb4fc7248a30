import type { OptionValue, SweepFacts } from "../../types/index.js";
import { html, type Markup } from "../html.js";
import { axesOf, isAtBase, type SweepInput } from "../sweep.js";
import { formatAmount } from "../tables/format.js";
import { ABOVE, type Area, type Axis, axisOf, BELOW, drawX, drawY, endsOf, LEFT, tickScore, upright } from "./axis.js";
import {
  armsByTask,
  type Chart,
  type ChartInput,
  costsOf,
  fileSafe,
  metricTitle,
  type ScoredArm,
  sampleText,
} from "./chart.js";
import { legend, type Picture, pathOf, seriesDot, seriesKind, strokedPath } from "./svg.js";

/** Every metric and the cost along each axis of a sweep, one above the other; one chart a task and axis. */
export function scaling(input: ChartInput): Chart[] {
  const { sweep, specs } = input;
  if (sweep === undefined || sweep.kind === "ablation" || sweep.kind === "controls") return [];
  return armsByTask(input).flatMap(({ arms, complete }) =>
    sweep.axes.flatMap((axis): Chart[] => {
      const points = arms.flatMap((arm) => pointOf(arm, axis, { sweep, specs }));
      if (axis.option === "method" || new Set(points.map(({ value }) => value)).size < 2) return [];
      const sample = sampleText(points.map(({ arm }) => arm));
      const note = `Each metric with its 95 % interval over users, and what a question costs, preparation included. ${sample}`;
      const name = `scaling-TASK-${fileSafe(axis.option)}`;
      return [complete({ name, title: axis.option, note, picture: drawing(points, axis) })];
    }),
  );
}

type SweepAxis = SweepFacts["axes"][number];

interface Point {
  readonly arm: ScoredArm;
  readonly value: OptionValue;
  /** The method, with the values of the other axes that are free. */
  readonly series: string;
}

/** The point of an arm along an axis; none where another axis with a base is not at it. */
function pointOf(
  arm: ScoredArm,
  { option }: SweepAxis,
  { sweep, specs }: Pick<SweepInput, "sweep" | "specs">,
): Point[] {
  const axes = axesOf(arm.summary, { sweep, specs });
  const value = axes[option];
  if (value === undefined || !isAtBase(axes, sweep, [option, "method"])) return [];
  const free = sweep.axes.filter((axis) => axis.base === undefined && ![option, "method"].includes(axis.option));
  const others = free.flatMap((axis) => (axis.option in axes ? [`${axis.option}=${axes[axis.option]}`] : []));
  return [{ arm, value, series: [arm.summary.method, ...others].join(" ") }];
}

const [WIDTH, HEIGHT, GAP] = [380, 120, 32];

function drawing(points: readonly Point[], { option, values: order }: SweepAxis): Picture {
  const isNumeric = points.every(({ value }) => typeof value === "number");
  const placeOf = (value: OptionValue): number => (isNumeric ? Number(value) : order.indexOf(value));
  const places = [...new Set(points.map(({ value }) => placeOf(value)))].sort((a, b) => a - b);
  const x: Axis = {
    ...axisOf({ values: places, range: [LEFT, LEFT + WIDTH], title: option, format: String }),
    ticks: places,
    format: (place) => String(isNumeric ? place : order[place]),
  };
  const names = [...new Set(points.map(({ series }) => series))];
  const series = names.map((name) =>
    points
      .filter((point) => point.series === name)
      .map(({ arm, value }) => ({ arm, x: x.at(placeOf(value)) }))
      .sort((a, b) => a.x - b.x),
  );
  const panels = panelsOf(points.map(({ arm }) => arm));
  const drawn = panels.map((panel, p) => {
    const top = ABOVE + p * (HEIGHT + GAP);
    const area: Area = { left: LEFT, right: LEFT + WIDTH, top, bottom: top + HEIGHT };
    const below = p === panels.length - 1 ? x : { ...x, title: "", format: () => "" };
    return html`${drawX(below, area)}${panelOf(panel, area, series, isNumeric)}`;
  });
  const end = ABOVE + panels.length * (HEIGHT + GAP) - GAP + BELOW;
  const key = names.length < 2 ? undefined : legend(names, [12, end], LEFT + WIDTH);
  return {
    width: Math.max(LEFT + WIDTH, key?.width ?? 0) + 24,
    height: end + (key?.height ?? 0) + 4,
    body: html`${drawn}${key?.body}`,
  };
}

interface Panel {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly zero: boolean;
  readonly of: (arm: ScoredArm) => {
    readonly value: number | undefined;
    readonly interval?: { readonly low: number; readonly high: number } | undefined;
  };
}

/** One a metric, and one of the cost. */
function panelsOf(arms: readonly ScoredArm[]): Panel[] {
  const costs = costsOf(arms);
  const metrics = arms[0]!.summary.metrics.map((metric, m): Panel => {
    const metricOf = ({ summary }: ScoredArm) => summary.metrics[m];
    const of = (arm: ScoredArm) => ({ value: metricOf(arm)?.strict, interval: metricOf(arm)?.interval });
    return { title: metricTitle(metric), format: tickScore, zero: false, of };
  });
  const cost: Panel = { title: costs.title, format: formatAmount, zero: true, of: (arm) => ({ value: costs.of(arm) }) };
  return [...metrics, cost];
}

type Series = readonly { readonly arm: ScoredArm; readonly x: number }[];

function panelOf({ title, format, zero, of }: Panel, area: Area, series: readonly Series[], isJoined: boolean): Markup {
  const placed = series.map((points) =>
    points.flatMap(({ arm, x }) => {
      const { value, interval } = of(arm);
      return value === undefined ? [] : [{ arm, x, value, interval }];
    }),
  );
  if (placed.every((points) => points.length === 0)) return html``;
  const y = axisOf({ values: endsOf(placed.flat()), range: [area.bottom, area.top], title, format, zero });
  const lines = placed.map((points, s) => {
    const path = pathOf(points.map(({ x, value }) => [x, y.at(value)]));
    const marks = points.map(({ arm, x, value, interval }) => {
      const range = interval && upright(x, [y.at(interval.low), y.at(interval.high)], seriesKind(s));
      return html`${range}${seriesDot([x, y.at(value)], s, { says: `${arm.label}: ${format(value)}` })}`;
    });
    return html`${isJoined ? strokedPath(path, seriesKind(s), { width: 1.5 }) : undefined}${marks}`;
  });
  return html`${drawY(y, area)}${lines}`;
}
