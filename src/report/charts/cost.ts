import { html, type Markup } from "../html.js";
import { formatAmount, formatScore } from "../tables/format.js";
import { ABOVE, type Area, axisOf, BELOW, drawX, drawY, tickScore } from "./axis.js";
import { armsByTask, type Chart, type ChartInput, costsOf, metricTitle } from "./chart.js";
import { label, type Picture, pathOf, seriesDot, strokedPath, textWidth } from "./svg.js";

const NOTE =
  "Filled, on the line: the Pareto front, no other method is both better and cheaper. The preparation of users is included.";

/** Widths and heights in pixels, of a page and of a phone. */
const WIDE = { width: 640, height: 290 };
const NARROW = { width: 370, height: 270 };
const LEFT = 36;

interface Point {
  readonly label: string;
  readonly score: number;
  readonly price: number;
}

interface Points {
  readonly points: readonly Point[];
  /** 1: higher scores are better; -1: lower ones. */
  readonly sign: 1 | -1;
  readonly scoreTitle: string;
  readonly costTitle: string;
}

/** Score against cost, with the line of the arms that no other beats in both; one chart a task. */
export function cost(input: ChartInput): Chart[] {
  return armsByTask(input).flatMap(({ arms, complete }): Chart[] => {
    const costs = costsOf(arms);
    const { metric } = arms[0]!; // a task has scored arms
    const points = arms
      .map(({ label: name, score }, a) => ({ label: name, score, price: costs.of(arms[a]!) ?? 0 }))
      .filter(({ price }) => price > 0);
    if (points.length < 2) return [];
    const sign = metric.better === "higher" ? 1 : -1;
    const drawn = { points, sign, scoreTitle: metricTitle(metric), costTitle: `${costs.title} (log scale)` } as const;
    const pictures = { picture: drawCost(drawn, WIDE), narrow: drawCost(drawn, NARROW) };
    return [complete({ name: "cost-TASK", title: "Score against cost", note: NOTE, ...pictures })];
  });
}

function drawCost({ points, sign, scoreTitle, costTitle }: Points, size: typeof WIDE): Picture {
  const area: Area = { left: LEFT, right: size.width - 10, top: ABOVE, bottom: size.height - BELOW };
  /** At least as good and as cheap, and better in one. */
  const isDominated = (one: Point): boolean =>
    points.some(({ score, price }) => {
      const ahead = sign * (score - one.score);
      return ahead >= 0 && price <= one.price && (ahead > 0 || price < one.price);
    });
  const x = axisOf({
    values: points.map(({ price }) => price),
    range: [area.left, area.right],
    log: true,
    title: costTitle,
    format: formatAmount,
  });
  const y = axisOf({
    values: points.map(({ score }) => score),
    range: [area.bottom, area.top],
    title: scoreTitle,
    format: tickScore,
  });
  const front = points.filter((point) => !isDominated(point)).sort((a, b) => a.price - b.price);
  const steps = front.flatMap(({ price, score }, f): [number, number][] => [
    [x.at(price), y.at((front[f - 1] ?? front[f]!).score)],
    [x.at(price), y.at(score)],
  ]);
  const places = points.map(({ score, price }): Place => ({ x: x.at(price), y: y.at(score) }));
  const dots = points.map((point, p) => {
    const says = `${point.label}: ${formatScore(point.score)}, ${formatAmount(point.price)}`;
    return seriesDot([places[p]!.x, places[p]!.y], 0, { hollow: isDominated(point), says });
  });
  const named = places.map((place, p) => ({ ...place, name: points[p]!.label }));
  const lines = steps.slice(1).map(([toX, toY], s) => boxOf(steps[s]!, [toX, toY]));
  const names = namesBeside(named, [...places.map(({ x: dotX, y: dotY }) => boxOf([dotX, dotY])), ...lines], area);
  const line = strokedPath(pathOf(steps), "muted", { dashed: true });
  return { ...size, body: html`${drawX(x, area)}${drawY(y, area)}${line}${dots}${names}` };
}

interface Place {
  readonly x: number;
  readonly y: number;
}

type NamedPlace = Place & { readonly name: string };

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const DOT = 5;
const LINE = 8;
const GAP = 10;

/** Returns the room of a dot, or of a line between two points. */
function boxOf([x, y]: readonly [number, number], [toX, toY] = [x, y]): Box {
  return {
    left: Math.min(x, toX) - DOT,
    right: Math.max(x, toX) + DOT,
    top: Math.min(y, toY) - DOT,
    bottom: Math.max(y, toY) + DOT,
  };
}

/** Writes each name beside its point: right, left, above or below, where it covers nothing and stays inside. */
function namesBeside(named: readonly NamedPlace[], covered: readonly Box[], area: Area): Markup[] {
  const taken = [...covered];
  const covers = (box: Box): number =>
    taken.filter(
      (other) => box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom,
    ).length + (box.left < area.left || box.right > area.right || box.top < 0 ? 2 : 0);
  return named.map(({ x, y, name }) => {
    const width = textWidth(name);
    const choices = [
      { x: x + GAP, y, anchor: "start", left: x + GAP },
      { x: x - GAP, y, anchor: "end", left: x - GAP - width },
      { x, y: y - GAP - 4, anchor: "middle", left: x - width / 2 },
      { x, y: y + GAP + 6, anchor: "middle", left: x - width / 2 },
      { x: x - GAP, y: y + GAP + 6, anchor: "end", left: x - GAP - width },
      { x: x + GAP, y: y + GAP + 6, anchor: "start", left: x + GAP },
    ] as const;
    const boxed = choices.map((choice) => {
      const box = { left: choice.left, right: choice.left + width, top: choice.y - LINE, bottom: choice.y + LINE };
      return { choice, box, covered: covers(box) };
    });
    const best = boxed.reduce((a, b) => (b.covered < a.covered ? b : a));
    taken.push(best.box);
    return label(best.choice.x, best.choice.y, name, { anchor: best.choice.anchor });
  });
}
