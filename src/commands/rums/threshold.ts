import { UsageError } from "../../errors.js";
import { type ColumnOf, rowsOfItems } from "../../report/table.js";
import { renderText } from "../../report/tables/text.js";
import { groupBy } from "../../results/grouped.js";
import { deviation, meanOf } from "../../results/quantile.js";
import { areaUnderRoc, type Cut, cutAt, cutsOf, type TwoSamples, youdenCut } from "../../results/separation.js";
import type { Io } from "../../run/io.js";
import type { Row } from "../../types/index.js";
import { type HumanLabels, labelOf, readLabels } from "./labels.js";
import { byArm, isRight, type Measured, type MeasuredRun, measuredRun } from "./material.js";

interface ThresholdSettings {
  readonly run: string;
  /** A file that says which questions gain from the past. Absent: `prompt` and `rag` of the same run say it, else the built-in labels. */
  readonly labels?: string | undefined;
}

/** Thresholds of one task and arm. */
interface Thresholds {
  readonly name: string;
  readonly model: string;
  readonly entropy: string;
  /** Questions that gain from the past, and others. */
  readonly gains: number;
  readonly others: number;
  /** Undefined where one of the two kinds is missing. */
  readonly youden: Cut | undefined;
  /** At the threshold that the arm was run with. */
  readonly used: Cut | undefined;
  readonly area: number | undefined;
  /** Youden's threshold of each user who has questions of both kinds (RUMS, figure 24); undefined below two such users. */
  readonly byUser: Spread | undefined;
  /** The threshold with the most right answers, `prompt` answering below it; undefined without `prompt` in the run. */
  readonly accuracy: { readonly threshold: number; readonly share: number; readonly questions: number } | undefined;
}

interface Spread {
  readonly mean: number;
  readonly deviation: number;
  /** By user, in file order. */
  readonly users: Readonly<Record<string, number>>;
}

/**
 * Finds thresholds for `rums.threshold` in a run: Youden's J between questions that gain from the past and others, and the one with the
 * most right answers. Throws UsageError where nothing says which questions gain.
 */
export function trainThresholds({ run, labels }: ThresholdSettings, io: Pick<Io, "cwd">): Thresholds[] {
  const material = measuredRun(run, io);
  const given = labels === undefined ? undefined : readLabels(labels, io.cwd);
  return [...byArm(material)].map(([name, group]) => {
    const { cell, utilities } = group[0]!; // groups are never empty
    const [own, prompt, rag] = [cell.method, "prompt", "rag"].map((method) => rowsOf(method, group[0]!, material));
    const flips = (question: string): boolean | undefined => {
      const [plain, informed] = [prompt, rag].map((of) => rightIn(of!, question));
      return plain === undefined || informed === undefined ? undefined : !plain && informed; // the answer flips to right
    };
    const bySaying = (known: HumanLabels) => (question: string) => labelOf(question, known)?.personal;
    const isBare = given === undefined && group.every(({ question }) => flips(question) === undefined);
    const gains = given !== undefined ? bySaying(given) : isBare ? bySaying(readLabels(undefined, io.cwd)) : flips;
    const samples = samplesOf(group, gains);
    if (samples.high.length + samples.low.length === 0)
      throw new UsageError(
        `${run}: nothing says which questions of ${name} gain from the past; give --labels FILE, or make the run with --method rums,prompt,rag`,
      );
    return {
      name,
      model: String(cell.options["model.reference"] ?? cell.model),
      entropy: utilities.entropy,
      ...{ gains: samples.high.length, others: samples.low.length },
      youden: youdenCut(samples),
      used: usedCut(samples, utilities.threshold),
      area: areaUnderRoc(samples),
      byUser: spreadOf(group, (ofUser) => youdenCut(samplesOf(ofUser, gains))?.threshold),
      accuracy: accuracyCut(group, own!, prompt!),
    };
  });
}

/** At threshold 0 nothing is chosen for a utility of 0. Undefined where one of the two kinds is missing. */
function usedCut(samples: TwoSamples, threshold: number): Cut | undefined {
  if (samples.high.length === 0 || samples.low.length === 0) return undefined;
  return { ...cutAt(samples, threshold === 0 ? Number.MIN_VALUE : threshold), threshold };
}

/** Rows of one method on the task and model of an arm, by question; of its own method the arm's alone. */
function rowsOf(method: string, { cell }: Measured, { folder }: MeasuredRun): ReadonlyMap<string, Row> {
  const ofMethod = folder.rows.filter((row) => {
    const other = folder.cell(row.cell);
    if (other?.method !== method || other.task !== cell.task || other.model !== cell.model) return false;
    return other.repeat === 0 && (method !== cell.method || other.id === cell.id);
  });
  return new Map(ofMethod.map((row) => [row.question, row]));
}

const rightIn = (rows: ReadonlyMap<string, Row>, question: string): boolean | undefined => {
  const row = rows.get(question);
  return row && isRight(row);
};

/** Largest utilities of questions that gain from the past, and of others. Those that could not be measured are left out. */
function samplesOf(group: readonly Measured[], gains: (question: string) => boolean | undefined): TwoSamples {
  const best = (wanted: boolean): number[] =>
    group.flatMap(({ question, utilities }) => (gains(question) === wanted ? (utilities.best ?? []) : []));
  return { high: best(true), low: best(false) };
}

function spreadOf(
  group: readonly Measured[],
  thresholdOf: (ofUser: readonly Measured[]) => number | undefined,
): Spread | undefined {
  const found = [...groupBy(group, ({ user }) => user)].flatMap(([user, ofUser]): [string, number][] => {
    const threshold = thresholdOf(ofUser);
    return threshold === undefined ? [] : [[user, threshold]];
  });
  const thresholds = found.map(([, threshold]) => threshold);
  const spread = deviation(thresholds);
  if (spread === undefined) return undefined;
  return { mean: meanOf(thresholds), deviation: spread, users: Object.fromEntries(found) };
}

/** Where the plain prompt answers below the threshold and RUMS above it: the most right answers, of equals the lowest. */
function accuracyCut(
  group: readonly Measured[],
  rums: ReadonlyMap<string, Row>,
  prompt: ReadonlyMap<string, Row>,
): Thresholds["accuracy"] {
  const both = group.flatMap(({ question, utilities: { best } }) => {
    const [informed, plain] = [rightIn(rums, question), rightIn(prompt, question)];
    return best === null || informed === undefined || plain === undefined ? [] : [{ best, informed, plain }];
  });
  if (both.length === 0) return undefined;
  const shareAt = (threshold: number): number =>
    both.filter(({ best, informed, plain }) => (best >= threshold ? informed : plain)).length / both.length;
  return cutsOf(both.map(({ best }) => best))
    .map((threshold) => ({ threshold, share: shareAt(threshold), questions: both.length }))
    .reduce((best, one) => (one.share > best.share ? one : best));
}

const three = (value: number): string => value.toFixed(3);

/** Prints a line a task and arm. */
export const renderThresholds = (found: readonly Thresholds[]): string =>
  renderText({ ...rowsOfItems(COLUMNS, found), legend: LEGEND });

const COLUMNS: readonly ColumnOf<Thresholds>[] = [
  { title: "arm", cell: ({ name }) => name },
  { title: "entropy", cell: ({ entropy, model }) => `${entropy} of ${model}` },
  { title: "gain", format: String, cell: ({ gains }) => gains },
  { title: "others", format: String, cell: ({ others }) => others },
  { title: "Youden's J at", format: three, cell: ({ youden }) => youden?.threshold },
  { title: "J", format: three, cell: ({ youden }) => youden?.j },
  { title: "area", format: three, cell: ({ area }) => area },
  { title: "as run", format: three, cell: ({ used }) => used?.threshold },
  { title: "its J", format: three, cell: ({ used }) => used?.j },
  { title: "user by user", format: three, cell: ({ byUser }) => byUser?.mean },
  { title: "SD", format: three, cell: ({ byUser }) => byUser?.deviation },
  { title: "most right at", format: three, cell: ({ accuracy }) => accuracy?.threshold },
  { title: "right", format: three, cell: ({ accuracy }) => accuracy?.share },
];

const LEGEND = [
  "gain: questions that gain from the past; Youden's J: needs questions of both kinds; user by user: over users with questions of both kinds (--json has each)",
  "most right: prompt answers below the threshold (needs --method prompt in the run); --set rums.threshold=VALUE holds for this model, task and entropy, and is chosen on these questions: try it on others",
];
