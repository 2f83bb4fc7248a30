import { countOf } from "../text/count.js";
import type { Metric, OptionValue, Row } from "../types.js";
import { methodLabel } from "./arms.js";
import { compareIfAny, correct, type TestedArms, TOO_NARROW } from "./compare/compare.js";
import type { Summary } from "./summary.js";
import { dash, type Table } from "./table.js";
import { formatInterval, formatP, formatScore } from "./tables/format.js";
import { sampleSize } from "./tables/results.js";

/** The arms of one task in a sweep over controls of the past. */
interface ControlMaterial {
  readonly arms: readonly { readonly summary: Summary; readonly axes: Readonly<Record<string, OptionValue>> }[];
  /** Controls that mean nothing here, and why. */
  readonly undefinedFor: readonly { readonly value: OptionValue; readonly reason: string }[];
  readonly rows: readonly Row[];
  readonly metrics: readonly Metric[];
  readonly seed: number;
}

/** The knob whose values are the controls. */
export const CONTROL = "history.control";

/** Each method with the right past and with each other one, and what of its gain is whose. p after Holm over all that is compared. */
export function controlTable(material: ControlMaterial): { readonly table: Table; readonly notes: readonly string[] } {
  const groups = groupsOf(material.arms);
  const tested = groups.flatMap((group) =>
    QUESTIONS.flatMap(({ better, worse, what }) => {
      const [a, b] = [group.get(worse), group.get(better)];
      const comparison = a === undefined || b === undefined ? undefined : compareHeadlines(a, b, material);
      return comparison === undefined ? [] : [{ group, better, worse, what, comparison }];
    }),
  );
  const corrected = correct(tested.map(({ comparison }) => comparison));
  const found = tested.map((test, index) => ({ ...test, comparison: corrected[index] ?? test.comparison }));
  const rows = groups.flatMap((group) =>
    CONTROLS.flatMap((control): string[][] => {
      const summary = group.get(control);
      const why = material.undefinedFor.find(({ value }) => value === control);
      if (summary !== undefined) {
        const test = found.find((one) => one.group === group && one.better === "right" && one.worse === control);
        return [rowOf(summary, control, test?.comparison)];
      }
      const method = group.values().next().value?.method ?? "";
      return why === undefined ? [] : [[method, control, `n/a: ${why.reason}`, dash, dash, dash, dash]];
    }),
  );
  const headline = material.arms[0]?.summary.metrics[0];
  const columns: Table["columns"] = [
    { title: "method", align: "left" },
    { title: "past", align: "left" },
    ...[`${headline?.name} [95 %]`, "gain of right [95 %]", "p Holm", "W/T/L", "n"].map(
      (title) => ({ title, align: "right" }) as const,
    ),
  ];
  const notes = groups.flatMap((group) => readings(found.filter((one) => one.group === group)));
  return { table: { columns, rows }, notes: [...notes, LEGEND, INTERVALS, ...familyNote(corrected)] };
}

/** How many p's were corrected together; nothing where no line has one. */
function familyNote(corrected: readonly TestedArms[]): string[] {
  const tested = corrected.filter(({ metrics }) => metrics.some(({ holm }) => holm !== undefined)).length;
  return tested === 0 ? [] : [`p over ${countOf(tested, "comparison")}`];
}

type Group = ReadonlyMap<string, Summary>;

/** In the order of the table. */
const CONTROLS = ["right", "other-user", "shuffled", "deranged", "none", "reversed"];

interface Test {
  readonly group: Group;
  readonly better: string;
  readonly worse: string;
  readonly what: string;
  readonly comparison: TestedArms;
}

/** What each difference between two pasts is the worth of, as docs/STATISTICS.md has it. */
const QUESTIONS: readonly {
  readonly better: string;
  readonly worse: string;
  readonly what: `${string} (${string} against ${string})`;
}[] = [
  { better: "right", worse: "none", what: "the past (right against none)" },
  { better: "other-user", worse: "none", what: "any past: more text and labels (other-user against none)" },
  { better: "right", worse: "other-user", what: "the person (right against other-user)" },
  { better: "right", worse: "shuffled", what: "which label goes with which text (right against shuffled)" },
  { better: "right", worse: "deranged", what: "right labels rather than wrong ones (right against deranged)" },
  {
    better: "shuffled", // links of one label's texts stay right by chance, most where labels are skewed
    worse: "deranged",
    what: "the label prior, and links left right (shuffled against deranged)",
  },
  { better: "right", worse: "reversed", what: "the order (right against reversed)" },
];

const LEGEND =
  "right: the user's own past; other-user: another user's, of like length; shuffled: own texts, own labels dealt out anew; deranged: every label another one; none: no past; reversed: in reversed order. W/T/L: users for whom the right past is better, equal, worse";

const INTERVALS = `gain of right, and the differences above: 95 % interval over users, ${TOO_NARROW}`;

/** Arms that differ in nothing but the control. */
function groupsOf(arms: ControlMaterial["arms"]): Group[] {
  const groups = new Map<string, Map<string, Summary>>();
  for (const { summary, axes } of arms) {
    const { [CONTROL]: control, ...others } = axes;
    if (control === undefined) continue;
    const key = JSON.stringify([summary.method, summary.model, others]);
    const group = groups.get(key) ?? new Map<string, Summary>();
    groups.set(key, group.set(String(control), summary));
  }
  return [...groups.values()];
}

function rowOf(summary: Summary, control: string, comparison: TestedArms | undefined): string[] {
  const [headline] = summary.metrics;
  const metric = comparison?.metrics[0];
  return [
    methodLabel(summary),
    control,
    headline === undefined ? dash : formatInterval(headline.strict, headline.interval),
    comparison === undefined ? dash : gainText(comparison),
    formatP(metric?.holm),
    metric === undefined ? dash : `${metric.perUser.wins}/${metric.perUser.ties}/${metric.perUser.losses}`,
    sampleSize(summary),
  ];
}

/** A line for each question, and one more where a spoilt past did better than the right one. */
function readings(tests: readonly Test[]): string[] {
  return tests.flatMap(({ group, better, worse, what, comparison }) => {
    const metric = comparison.metrics[0];
    if (metric === undefined) return [];
    const name = group.get(better)?.method ?? "";
    const isShown = metric.holm !== undefined && metric.holm <= LEVEL;
    const gain = gainOf(comparison);
    const shown = `${isShown ? "" : "not shown, "}p ${formatP(metric.holm)}`;
    const line = `${name}: ${what}: ${gainText(comparison)}, ${shown}`;
    const odd = better === "right" && gain < 0 && worse !== "none" && worse !== "reversed";
    return [
      line,
      ...(odd ? [`${name}: the ${worse} past did BETTER than the right one, by ${formatScore(-gain)} (${shown})`] : []),
    ];
  });
}

const LEVEL = 0.05;

/** How much more the first past is worth: upwards is better, whatever the metric. */
function gainOf({ metrics: [metric] }: TestedArms): number {
  return metric === undefined ? 0 : metric.better === "lower" ? -metric.difference : metric.difference;
}

function gainText(comparison: TestedArms): string {
  const [metric] = comparison.metrics;
  const interval = metric?.overUsers?.interval;
  const signed = (value: number): string => `${value > 0 ? "+" : ""}${formatScore(value)}`;
  const [low, high] =
    interval === undefined
      ? []
      : metric?.better === "lower"
        ? [-interval.high, -interval.low]
        : [interval.low, interval.high];
  const ends = low === undefined || high === undefined ? dash : `${signed(low)}, ${signed(high)}`;
  return `${signed(gainOf(comparison))} [${ends}]`;
}

function compareHeadlines(a: Summary, b: Summary, { rows, metrics, seed }: ControlMaterial): TestedArms | undefined {
  const of = ({ cells }: Summary): Row[] => rows.filter(({ cell }) => cells.includes(cell));
  return compareIfAny({ a: of(a), b: of(b), metrics: metrics.slice(0, 1), seed });
}
