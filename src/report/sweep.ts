import type { Cell, OptionValue, Row, SweepFacts, Task } from "../types.js";
import { compareIfAny, correct, type TestedArms } from "./compare/compare.js";
import { controlTable } from "./controls.js";
import { headingMark } from "./simulated.js";
import type { MetricSummary, Summary } from "./summary.js";
import { formatP } from "./tables/format-p.js";
import { sampleSize, type TaskFacts } from "./tables/results.js";
import {
  dash,
  formatAmount,
  formatCost,
  formatInterval,
  formatScore,
  renderMarkdown,
  renderText,
  type Table,
} from "./tables/table.js";

export interface SweepMaterial {
  readonly sweep: SweepFacts;
  readonly summaries: readonly Summary[];
  readonly facts: readonly TaskFacts[];
  readonly cells: readonly Cell[];
  readonly rows: readonly Row[];
  readonly task: (name: string) => Task;
}

/** Where an arm stands on each axis that it has. */
export interface SweepArm {
  readonly task: string;
  readonly method: string;
  readonly model: string;
  readonly axes: Readonly<Record<string, OptionValue>>;
  readonly cells: readonly string[];
}

export interface TitledTable {
  readonly title: string;
  readonly table: Table;
  readonly notes: readonly string[];
}

/** The tables of a sweep: one per axis (scaling), of deltas to the full method (ablation), or of all points. */
export function renderSweep(material: SweepMaterial, form: "text" | "markdown"): string {
  const render = form === "text" ? renderText : renderMarkdown;
  const head = (title: string): string => (form === "text" ? title : `### ${title}\n`);
  return sweepTables(material)
    .map(({ title, table, notes }) => [head(title), render(table), ...notes].join("\n"))
    .join("\n\n");
}

/** The same as tables. */
export const sweepTables = (material: SweepMaterial): readonly TitledTable[] => views[material.sweep.kind](material);

/** Every arm and its point on the axes, in the order of the summaries. */
export function sweepArms({ sweep, summaries, cells }: SweepMaterial): SweepArm[] {
  const byId = new Map(cells.map((cell) => [cell.id, cell]));
  return summaries.map((summary) => {
    const cell = byId.get(summary.cells[0] ?? "");
    const settings: Readonly<Record<string, OptionValue>> =
      cell === undefined ? {} : { ...cell.options, method: cell.method, model: cell.model };
    const axes = sweep.axes.flatMap(({ knob }) => {
      const value = settings[knob];
      return value === undefined ? [] : [[knob, value] as const];
    });
    const { task, method, model } = summary;
    return { task, method, model, axes: Object.fromEntries(axes), cells: summary.cells };
  });
}

// --- internal ---

/** The summary of an arm, and the arm's point on the axes. */
interface SummaryAtPoint {
  readonly summary: Summary;
  readonly axes: SweepArm["axes"];
}

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

function perTask(material: SweepMaterial): { fact: TaskFacts; points: SummaryAtPoint[] }[] {
  const arms = sweepArms(material);
  const points = material.summaries.map((summary, i) => ({ summary, axes: arms[i]?.axes ?? {} }));
  return material.facts.map((fact) => ({
    fact,
    points: points.filter(({ summary }) => summary.task === fact.task && summary.dataset === fact.dataset),
  }));
}

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
  const headline = points[0]?.summary.metrics[0];
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
  const [, ...others] = points[0]?.summary.metrics ?? [];
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
    summary.method,
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
  return [{ title: `${title}${markOf(points)}`, table: { columns, rows }, notes: notesOf(sweep, knobs) }];
}

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

function differenceOf(comparison: TestedArms | undefined): string {
  const metric = comparison?.metrics[0];
  if (metric === undefined) return dash;
  const delta = (value: number): string => `${value > 0 ? "+" : ""}${formatScore(value)}`;
  const between = metric.overUsers?.interval;
  return `${delta(metric.difference)} [${between === undefined ? dash : `${delta(between.low)}, ${delta(between.high)}`}]`;
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

const markOf = (points: readonly SummaryAtPoint[]): string => headingMark(points.map(({ summary }) => summary));

const scoreOf = ({ metrics: [headline] }: Summary): string =>
  headline === undefined ? dash : formatInterval(headline.strict, headline.interval);

/** The full method, and each of its ablations as a paired difference to it; p after Holm over all of them. */
function ablationTables(material: SweepMaterial): TitledTable[] {
  const full = material.sweep.axes.find(({ knob }) => knob === "method")?.base;
  const groups = perTask(material).flatMap(({ fact, points }) =>
    points
      .filter(({ summary }) => summary.method === full)
      .map(({ summary: reference, axes }) => ({
        fact,
        reference,
        others: points
          .filter((point) => isPeer(point, { summary: reference, axes }))
          .map(({ summary }) => ({ summary, comparison: compareHeadlines(reference, summary, material) })),
      })),
  );
  const compared = groups.flatMap(({ others }) => others.flatMap(({ comparison }) => comparison ?? []));
  const corrected = correct(compared);
  const correctedOf = new Map(compared.map((comparison, c) => [comparison, corrected[c]]));
  const family = corrected.filter(({ metrics }) => metrics[0]?.holm !== undefined).length;
  return groups.map(({ fact, reference, others }) => {
    const model = new Set(material.summaries.map((summary) => summary.model)).size > 1 ? reference.model : "";
    const title = `ablation of ${full} on ${fact.title}${model === "" ? "" : ` · ${model}`}`;
    const rows = [
      ablationRow(reference, undefined),
      ...others.map(({ summary, comparison }) => ablationRow(summary, comparison && correctedOf.get(comparison))),
    ];
    return {
      title: `${title}${headingMark([reference])}`,
      table: { columns: ablationColumns(reference.metrics[0]), rows },
      notes: [ablationNote(reference.metrics[0], family)],
    };
  });
}

const ablationColumns = (headline: MetricSummary | undefined): Table["columns"] => [
  { title: "method", align: "left" },
  ...[`${headline?.name} [95 %]`, "delta to full [95 %]", "p Holm", "W/T/L", "calls/user", "tok/user", "cost"].map(
    (title) => ({ title, align: "right" }) as const,
  ),
];

/** `family`: how many ps the correction is over. */
function ablationNote(headline: MetricSummary | undefined, family: number): string {
  const worse = headline?.better === "lower" ? "a delta above 0 is worse" : "a delta below 0 is worse";
  return `${worse}; W/T/L: users for whom it is better, equal, worse than the full method; p over ${family} comparison${family === 1 ? "" : "s"}`;
}

/** Whether two arms differ in the method only: same model, same values on all other axes. */
function isPeer(point: SummaryAtPoint, reference: SummaryAtPoint): boolean {
  const { method, ...others } = point.axes;
  const { method: full, ...base } = reference.axes;
  return (
    method !== full &&
    point.summary.model === reference.summary.model &&
    Object.entries(others).every(([knob, value]) => base[knob] === value)
  );
}

function ablationRow(summary: Summary, comparison: TestedArms | undefined): string[] {
  const metric = comparison?.metrics[0];
  return [
    summary.method,
    scoreOf(summary),
    differenceOf(comparison),
    formatP(metric?.holm),
    metric === undefined ? dash : `${metric.perUser.wins}/${metric.perUser.ties}/${metric.perUser.losses}`,
    formatAmount(summary.callsPerUser),
    formatAmount(summary.tokensPerUser),
    formatCost(summary),
  ];
}

/** Undefined where no question was answered in both, as in a run that has hardly begun. */
function compareHeadlines(full: Summary, part: Summary, { rows, task, cells }: SweepMaterial): TestedArms | undefined {
  const of = ({ cells: ids }: Summary): Row[] => rows.filter(({ cell }) => ids.includes(cell));
  const seed = cells.find(({ id }) => full.cells.includes(id))?.seed ?? 0;
  return compareIfAny({ a: of(full), b: of(part), metrics: task(full.task).metrics.slice(0, 1), seed });
}
