import { UsageError } from "../../errors.js";
import { groupBy } from "../../results/grouped.js";
import { deviation, meanOf } from "../../results/quantile.js";
import { areaUnderRoc, type Cut, cutAt, cutsOf, type TwoSamples, youdenCut } from "../../results/separation.js";
import type { Io } from "../../run/io.js";
import { nounOf } from "../../text/count.js";
import type { Row } from "../../types/index.js";
import { labelsOf } from "./choices.js";
import { type HumanLabels, labelOf, readLabels } from "./labels.js";
import { byArm, isRight, type Measured, measuredRun } from "./material.js";

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
 * Thresholds for `rums.threshold` out of a finished run: Youden's J between questions that gain from the past and others, and
 * the grid of right answers. Only reads.
 */
export function trainThresholds({ run, labels }: ThresholdSettings, io: Pick<Io, "cwd">): Thresholds[] {
  const material = measuredRun(run, io);
  const { folder } = material;
  const known = labels === undefined ? undefined : readLabels(labels, io.cwd);
  return [...byArm(material)].map(([name, group]) => {
    const { cell, utilities } = group[0]!; // groups are never empty
    const of = (method: string): ReadonlyMap<string, Row> => rowsOf(method, group, folder.rows, folder);
    const flipped = samplesOf(group, known, of);
    const isBare = known === undefined && flipped.high.length + flipped.low.length === 0;
    const said = isBare ? labelsOf(undefined, io.cwd) : known; // nothing else says it: the labels of the built-in data may
    const samples = isBare ? samplesOf(group, said, of) : flipped;
    if (samples.high.length + samples.low.length === 0)
      throw new UsageError(
        `${run}: nothing says which questions of ${name} gain from the past; give --labels FILE, or make the run with --method rums,prompt,rag`,
      );
    return {
      name,
      model: String(cell.options["model.reference"] ?? cell.model),
      entropy: utilities.entropy,
      gains: samples.high.length,
      others: samples.low.length,
      youden: youdenCut(samples),
      used: usedCut(samples, utilities.threshold),
      area: areaUnderRoc(samples),
      byUser: spreadOf(group, (ofUser) => youdenCut(samplesOf(ofUser, said, of))?.threshold),
      accuracy: accuracyCut(group, of(cell.method), of("prompt")),
    };
  });
}

/** One block a task and arm; arms whose thresholds are the same, such as those that differ in `rums.threshold` alone, share one. */
export function renderThresholds(found: readonly Thresholds[]): string {
  const alike = groupBy(found, ({ name: _name, used: _used, ...rest }) => JSON.stringify(rest));
  return [...alike.values()]
    .map((group) =>
      render(
        { ...group[0]!, name: group.map(({ name }) => name).join("; ") }, // no group is empty
        group.flatMap(({ used }) => used ?? []),
      ),
    )
    .join("\n\n");
}

/** At threshold 0 nothing is chosen for a utility of 0. Undefined where one of the two kinds is missing. */
function usedCut(samples: TwoSamples, threshold: number): Cut | undefined {
  if (samples.high.length === 0 || samples.low.length === 0) return undefined;
  return { ...cutAt(samples, threshold === 0 ? Number.MIN_VALUE : threshold), threshold };
}

/** Rows of one method on the task, model and data of a group, by question. */
function rowsOf(
  method: string,
  group: readonly Measured[],
  rows: readonly Row[],
  folder: { cell(id: string): Measured["cell"] | undefined },
): ReadonlyMap<string, Row> {
  const { cell } = group[0]!; // groups are never empty
  const isOf = (row: Row): boolean => {
    const other = folder.cell(row.cell);
    const fits =
      other?.task === cell.task && other.model === cell.model && other.repeat === 0 && other.method === method;
    return fits && (method !== cell.method || other.id === cell.id);
  };
  return new Map(rows.filter(isOf).map((row) => [row.question, row]));
}

/** Largest utilities of questions that gain from the past, and of others. Those that could not be measured are left out. */
function samplesOf(
  group: readonly Measured[],
  known: HumanLabels | undefined,
  of: (method: string) => ReadonlyMap<string, Row>,
): TwoSamples {
  const [prompt, rag] = [of("prompt"), of("rag")];
  const gains = (question: string): boolean | undefined => {
    if (known !== undefined) return labelOf(question, known)?.personal;
    const [plain, informed] = [prompt.get(question), rag.get(question)].map((row) => row && isRight(row));
    return plain === undefined || informed === undefined ? undefined : !plain && informed; // the answer flips to right
  };
  const scores = group.flatMap(({ question, utilities: { best } }) => {
    const gain = gains(question);
    return best === null || gain === undefined ? [] : [{ gain, best }];
  });
  return {
    high: scores.filter(({ gain }) => gain).map(({ best }) => best),
    low: scores.filter(({ gain }) => !gain).map(({ best }) => best),
  };
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
    const [informed, plain] = [rums.get(question), prompt.get(question)].map((row) => row && isRight(row));
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

const told = ({ threshold, j, recall, specificity }: Cut): string =>
  `rums.threshold=${three(threshold)}  J ${three(j)}, recall ${three(recall)}, specificity ${three(specificity)}`;

function render(
  { name, model, entropy, gains, others, youden, area, byUser, accuracy }: Thresholds,
  used: readonly Cut[],
): string {
  const lines = [
    `${name}: ${entropy} entropy of ${model}; ${gains} ${nounOf(gains, "question gains", "questions gain")} from the past, ${others} ${nounOf(others, "does", "do")} not`,
    youden === undefined
      ? "  Youden's J: needs questions of both kinds"
      : `  Youden's J: --set ${told(youden)}; area under the curve ${three(area ?? 0)}`,
    ...used.map((cut) => `  as it was run: ${told(cut)}`),
    ...(byUser === undefined
      ? []
      : [
          `  user by user: mean ${three(byUser.mean)}, deviation ${three(byUser.deviation)}, of ${Object.keys(byUser.users).length} users with questions of both kinds (--json has each)`,
        ]),
    accuracy === undefined
      ? "  right answers: needs --method prompt in the run"
      : `  right answers: --set rums.threshold=${three(accuracy.threshold)}  ${three(accuracy.share)} of ${accuracy.questions}`,
    "  a threshold holds for this model, task and entropy; it is chosen on these questions, so try it on others",
  ];
  return lines.join("\n");
}
