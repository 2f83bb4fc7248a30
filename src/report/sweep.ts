import type { SweepFacts } from "../types.js";
import { methodLabel } from "./arms.js";
import { correct, type TestedArms, TOO_NARROW } from "./compare/compare.js";
import { trendNotes } from "./compare/trend.js";
import { controlTable } from "./controls.js";
import { groupBy } from "./grouped.js";
import type { Summary } from "./summary.js";
import { ablationTables } from "./sweeps/ablation.js";
import {
  compareHeadlines,
  differenceOf,
  markOf,
  perTask,
  rowsOf,
  type SummaryAtPoint,
  type SweepMaterial,
  scoreOf,
  seedOf,
  type TitledTable,
} from "./sweeps/points.js";
import { dash, type Table } from "./table.js";
import { formatAmount, formatCost, formatP, formatScore } from "./tables/format.js";
import { renderMarkdown } from "./tables/markdown.js";
import { sampleSize } from "./tables/results.js";
import { renderText } from "./tables/text.js";

export { type SweepMaterial, sweepArms } from "./sweeps/points.js";

/** The tables of a sweep: one per axis (scaling), of deltas to the full method (ablation), or of all points. */
export function renderSweep(material: SweepMaterial, form: "text" | "markdown"): string {
  const render = form === "text" ? renderText : renderMarkdown;
  const head = (title: string): string => (form === "text" ? title : `### ${title}\n`);
  return sweepTables(material)
    .map(({ title, table, notes }) => [head(title), render(table), ...notesIn(notes, form)].join("\n"))
    .join("\n\n");
}

/** The same as tables. */
export const sweepTables = (material: SweepMaterial): readonly TitledTable[] => views[material.sweep.kind](material);

/** Markdown takes a line right below a table for a row of it. */
const notesIn = (notes: readonly string[], form: "text" | "markdown"): readonly string[] =>
  form === "text" || notes.length === 0 ? notes : ["", ...notes.map((note) => `${note}  `)];

const views: Readonly<Record<SweepFacts["kind"], (material: SweepMaterial) => TitledTable[]>> = {
  scaling: (material) =>
    material.sweep.axes.flatMap(({ knob }) =>
      perTask(material).flatMap(({ fact, points }) => {
        const others = material.sweep.axes.filter((axis) => axis.knob !== knob);
        const along = points.filter(({ axes }) =>
          others.every((axis) => !(axis.knob in axes) || axes[axis.knob] === axis.base),
        );
        return pointTable(`${knob} on ${fact.title}`, [knob], along, material);
      }),
    ),
  backbones: allPoints,
  grid: allPoints,
  controls: (material) =>
    perTask(material).map(({ fact, points }) => ({
      title: `controls of the past on ${fact.title}${markOf(points)}`,
      ...controlTable({
        arms: points,
        undefinedFor: material.sweep.undefinedFor?.filter(({ task }) => task === fact.task) ?? [],
        rows: material.rows,
        metrics: material.task(fact.task).metrics,
        seed: material.cells[0]?.seed ?? 0,
      }),
    })),
  ablation: (material) => [...ablationTables(material), ...(material.sweep.axes.length > 1 ? allPoints(material) : [])],
};

function allPoints(material: SweepMaterial): TitledTable[] {
  const knobs = material.sweep.axes.map(({ knob }) => knob);
  return perTask(material).flatMap(({ fact, points }) =>
    pointTable(`${knobs.join(" x ")} on ${fact.title}`, knobs, points, material),
  );
}

/** Both axes of a trade: the headline with its interval, and what it costs. An arm without the knobs is a line to compare with. */
function pointTable(
  title: string,
  knobs: readonly string[],
  points: readonly SummaryAtPoint[],
  material: SweepMaterial,
): TitledTable[] {
  const { sweep } = material;
  const [headline, ...others] = points[0]?.summary.metrics ?? [];
  if (headline === undefined || !points.some(({ axes }) => knobs.some((knob) => knob in axes))) return [];
  const orders = new Map(sweep.axes.map(({ knob, values }) => [knob, values]));
  const rankOn = ({ axes }: SummaryAtPoint, knob: string): number => {
    const value = axes[knob];
    return value === undefined ? -1 : (orders.get(knob)?.indexOf(value) ?? -1);
  };
  const shown = knobs.filter((knob) => knob !== "method");
  const ordered = [...points].sort(
    (a, b) => shown.map((knob) => rankOn(a, knob) - rankOn(b, knob)).find((step) => step !== 0) ?? 0,
  );
  const along = knobs.length === 1 ? differencesAlong(ordered, material) : NONE;
  const columns: Table["columns"] = [
    { title: "method", align: "left" },
    ...shown.map((knob) => ({ title: knob, align: "right" }) as const),
    ...[
      `${headline.name} [95 %]`,
      ...others.map(({ name }) => name),
      ...(along.size === 0 ? [] : ["to first [95 %]", "p Holm"]),
      "n",
      "calls/q",
      "calls/user",
      "tok/q",
      "tok/user",
      "cost",
    ].map((column) => ({ title: column, align: "right" }) as const),
  ];
  const rows = ordered.map(({ summary, axes }) => [
    methodLabel(summary),
    ...shown.map((knob) => String(axes[knob] ?? dash)),
    scoreOf(summary),
    ...others.map(({ name }) => formatScore(summary.metrics.find((metric) => metric.name === name)?.strict)),
    ...(along.size === 0 ? [] : [differenceOf(along.get(summary)), formatP(along.get(summary)?.metrics[0]?.holm)]),
    sampleSize(summary),
    formatAmount(summary.callsPerQuery),
    formatAmount(summary.callsPerUser),
    formatAmount(summary.tokensPerQuery),
    formatAmount(summary.tokensPerUser),
    formatCost(summary),
  ]);
  return [
    {
      title: `${title}${markOf(points)}`,
      table: { columns, rows },
      notes: [
        ...notesOf(sweep, knobs),
        ...(along.size === 0 ? [] : [INTERVALS]),
        ...trendsAlong(ordered, knobs, material),
      ],
    },
  ];
}

const INTERVALS = `to first: 95 % interval over users, ${TOO_NARROW}`;

const NONE: ReadonlyMap<Summary, TestedArms> = new Map();

/** Each arm of an axis as a paired difference to the first arm of its method and model; p after Holm over all of them. */
function differencesAlong(
  points: readonly SummaryAtPoint[],
  material: SweepMaterial,
): ReadonlyMap<Summary, TestedArms> {
  const firsts = new Map<string, Summary>();
  const compared = points.flatMap(({ summary }) => {
    const line = JSON.stringify([summary.method, summary.model]);
    const first = firsts.get(line);
    firsts.set(line, first ?? summary);
    const comparison = first === undefined ? undefined : compareHeadlines(first, summary, material);
    return comparison === undefined ? [] : [{ summary, comparison }];
  });
  const corrected = correct(compared.map(({ comparison }) => comparison));
  return new Map(compared.map(({ summary, comparison }, index) => [summary, corrected[index] ?? comparison]));
}

/** Whether each metric rises or falls along an axis of numbers, by method and model. */
function trendsAlong(points: readonly SummaryAtPoint[], knobs: readonly string[], material: SweepMaterial): string[] {
  const [knob = "", ...more] = knobs;
  const [first] = points;
  if (first === undefined || more.length > 0) return [];
  const lines = groupBy(points, ({ summary: { method, model } }) => `${method}, ${model}`);
  return trendNotes({
    knob,
    lines: [...lines].map(([name, ofLine]) => ({
      name,
      steps: ofLine.map(({ summary, axes }) => ({ value: axes[knob], rows: rowsOf(summary, material) })),
    })),
    metrics: material.task(first.summary.task).metrics,
    seed: seedOf(first.summary, material),
  });
}

function notesOf(sweep: SweepFacts, knobs: readonly string[]): string[] {
  const others = sweep.axes.filter(({ knob, base }) => !knobs.includes(knob) && base !== undefined);
  const held = others.map(({ knob, base }) => `${knob}=${base}`);
  return [
    ...(held.length === 0 ? [] : [`held: ${held.join(", ")}`]),
    ...(sweep.kind === "backbones" && (sweep.axes.find(({ knob }) => knob === "model")?.values.length ?? 0) < 2
      ? ["one model only: backbones are compared with --model a/x,b/y on real models"]
      : []),
  ];
}
