import type { OptionValue, SweepFacts } from "../../types/index.js";
import { html, type Markup } from "../markup.js";
import { sweepArms } from "../sweep.js";
import { formatAmount } from "../tables/format.js";
import { ABOVE, type Area, type Axis, BELOW, drawX, drawY, LEFT, linearAxis, tickScore } from "./axis.js";
import {
  armsByTask,
  type Chart,
  type ChartMaterial,
  costsOf,
  fileSafe,
  metricTitle,
  type ScoredArm,
  sampleText,
} from "./chart.js";
import { endsOf } from "./rows.js";
import { dot, legend, line, type Picture, pathOf, seriesKind, upright } from "./svg.js";

/** Every metric and the cost along each axis of a sweep, one above the other; one chart a task and axis. */
export function scaling(material: ChartMaterial): Chart[] {
  const { sweep } = material;
  if (sweep === undefined || sweep.kind === "ablation" || sweep.kind === "controls") return [];
  const axesOf = new Map(sweepArms({ ...material, sweep }).map(({ cells, axes }) => [cells[0], axes]));
  return armsByTask(material).flatMap(({ arms, of }) =>
    sweep.axes.flatMap((axis): Chart[] => {
      const points = arms.flatMap((arm) =>
        pointOf(arm, axis, { sweep, values: axesOf.get(arm.summary.cells[0]) ?? {} }),
      );
      if (axis.knob === "method" || new Set(points.map(({ value }) => value)).size < 2) return [];
      const note = `Each metric with its 95 % interval over users, and what a question costs, preparation included. ${sampleText(points.map(({ arm }) => arm))}`;
      return [
        of({ name: `scaling-TASK-${fileSafe(axis.knob)}`, title: axis.knob, note, picture: drawing(points, axis) }),
      ];
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

interface Placed {
  readonly sweep: SweepFacts;
  readonly values: Readonly<Record<string, OptionValue>>;
}

/** The point of an arm along an axis; none where another axis with a base is not at it. */
function pointOf(arm: ScoredArm, { knob }: SweepAxis, { sweep: { axes }, values }: Placed): Point[] {
  const value = values[knob];
  if (value === undefined) return [];
  const others = axes.filter((axis) => axis.knob !== knob && axis.knob !== "method" && axis.knob in values);
  if (others.some((axis) => axis.base !== undefined && values[axis.knob] !== axis.base)) return [];
  const free = others.filter(({ base }) => base === undefined).map((axis) => `${axis.knob}=${values[axis.knob]}`);
  return [{ arm, value, series: [arm.summary.method, ...free].join(" ") }];
}

const WIDTH = 380;
const [FIRST, OTHERS, GAP] = [170, 100, 32];

function drawing(points: readonly Point[], { knob, values: order }: SweepAxis): Picture {
  const isNumeric = points.every(({ value }) => typeof value === "number");
  const placeOf = (value: OptionValue): number => (isNumeric ? Number(value) : order.indexOf(value));
  const places = [...new Set(points.map(({ value }) => placeOf(value)))].sort((a, b) => a - b);
  const x: Axis = {
    ...linearAxis({ values: places, range: [LEFT, LEFT + WIDTH], title: knob, format: String }),
    ticks: places,
    format: (place) => String(isNumeric ? place : order[place]),
  };
  const series = [...new Set(points.map((point) => point.series))];
  const lines = series.map((name) =>
    points
      .filter((point) => point.series === name)
      .map(({ arm, value }) => ({ arm, x: x.at(placeOf(value)) }))
      .sort((a, b) => a.x - b.x),
  );
  const panels = panelsOf(points.map(({ arm }) => arm));
  const areas = panels.map((_, p): Area => {
    const top = ABOVE + (p === 0 ? 0 : FIRST + GAP + (p - 1) * (OTHERS + GAP));
    return { left: LEFT, right: LEFT + WIDTH, top, bottom: top + (p === 0 ? FIRST : OTHERS) };
  });
  const drawn = panels.map((panel, p) => {
    const below = p === panels.length - 1 ? x : { ...x, title: "", format: () => "" };
    return html`${drawX(below, areas[p]!)}${drawPanel(panel, { area: areas[p]!, lines, isJoined: isNumeric })}`;
  });
  const end = areas.at(-1)!.bottom + BELOW; // there is a panel of the cost
  const key = series.length < 2 ? undefined : legend(series, { x: 12, y: end, width: LEFT + WIDTH });
  return {
    width: Math.max(LEFT + WIDTH, key?.width ?? 0) + 24,
    height: end + (key?.height ?? 0) + 4,
    body: html`${drawn}${key?.body}`,
  };
}

interface Ranged {
  readonly value: number | undefined;
  readonly interval?: { readonly low: number; readonly high: number } | undefined;
}

interface Panel {
  readonly title: string;
  readonly format: (value: number) => string;
  readonly zero: boolean;
  readonly of: (arm: ScoredArm) => Ranged;
}

/** One a metric, and one of the cost. */
function panelsOf(arms: readonly ScoredArm[]): Panel[] {
  const costs = costsOf(arms);
  const metrics = arms[0]!.summary.metrics.map((metric, m): Panel => {
    const of = ({ summary }: ScoredArm) => ({
      value: summary.metrics[m]?.strict,
      interval: summary.metrics[m]?.interval,
    });
    return { title: metricTitle(metric), format: tickScore, zero: false, of };
  });
  return [
    ...metrics,
    { title: costs.title, format: formatAmount, zero: true, of: (arm) => ({ value: costs.of(arm) }) },
  ];
}

interface Lines {
  readonly area: Area;
  /** A series each. */
  readonly lines: readonly (readonly { readonly arm: ScoredArm; readonly x: number }[])[];
  readonly isJoined: boolean;
}

function drawPanel({ title, format, zero, of }: Panel, { area, lines, isJoined }: Lines): Markup {
  const placed = lines.map((points) =>
    points.flatMap(({ arm, x }) => {
      const { value, interval } = of(arm);
      return value === undefined ? [] : [{ arm, x, value, interval }];
    }),
  );
  if (placed.every((points) => points.length === 0)) return html``;
  const y = linearAxis({ values: endsOf(placed.flat()), range: [area.bottom, area.top], title, format, zero });
  return html`${drawY(y, area)}${placed.map((points, series) => {
    const kind = seriesKind(series);
    const path = pathOf(points.map(({ x, value }) => [x, y.at(value)]));
    const ranges = points.map(
      ({ x, interval }) => interval && upright(x, [y.at(interval.low), y.at(interval.high)], kind),
    );
    const dots = points.map(({ arm, x, value }) =>
      dot(x, y.at(value), series, { says: `${arm.label}: ${format(value)}` }),
    );
    return html`${isJoined ? line(path, kind, { width: 1.5 }) : undefined}${ranges}${dots}`;
  })}`;
}
