import { join, relative, resolve } from "node:path";
import { writeText } from "../../disk/whole-file.js";
import { cachedEmbedder, memoryVectors, type VectorStore } from "../../embedders/index.js";
import { UsageError } from "../../errors.js";
import { readLog } from "../../log/log.js";
import { dash } from "../../report/table.js";
import { groupBy } from "../../results/grouped.js";
import { type Interval, scoreInterval } from "../../results/inference.js";
import { areaUnderRoc } from "../../results/separation.js";
import { catalogueOf } from "../../run/catalogue.js";
import { dataOfRun } from "../../run/data.js";
import { openEmbedders } from "../../run/embedders.js";
import type { Io } from "../../run/io.js";
import { vectorIn } from "../../run/outside/answers.js";
import { runFiles } from "../../run/run-files.js";
import { type BinaryFile, type MultiFile, userHash } from "../../selectors/rums/classifier-file.js";
import { labelPriors, plainNames } from "../../selectors/rums/features.js";
import { countOf, nounOf } from "../../text/count.js";
import { armName, type MeasuredRun, measuredRun } from "./material.js";
import { type Candidate, casesOf, fitted, fittedMulti, fittedPasts, splitUsers } from "./training.js";

interface TrainSettings {
  readonly run: string;
  /** The data of the run; absent where they are the built-in ones. */
  readonly data?: string | undefined;
  readonly out: string;
}

/** What was learned, on the training pairs and on the held-out users among them. */
interface Trained {
  readonly file: BinaryFile;
  readonly path: string;
  readonly users: number;
  /** How well the pairs of held-out users are ranked; undefined where these have no two kinds. */
  readonly heldOut: Ranking | undefined;
  /** The same by BM25 alone. */
  readonly bm25: Ranking | undefined;
}

/** Area under the ROC curve, with a 95 % interval over users where there is one (`rankingOf`). */
interface Ranking {
  readonly area: number;
  readonly low?: number;
  readonly high?: number;
}

/**
 * Trains the small classifier of METHODS 9.4 on the utilities of a finished run: an event of a question is a positive case
 * where it is in the best subset and that is worth something. The cut-off has the best F1 on every fifth user, who is
 * left out of the fit. Throws UsageError where the data are not at hand.
 */
export async function trainBinary(settings: TrainSettings, io: Io): Promise<Trained> {
  const { task, loaded, embedder, byQuestion, write } = await openTraining(settings, io);
  const { users, heldOut } = splitUsers(loaded.units, byQuestion);
  const priors = labelPriors(fittedPasts(loaded.units, users, heldOut), loaded.task.labels);
  const cases: Candidate[] = [];
  for (const unit of loaded.units) cases.push(...(await casesOf(unit, byQuestion, priors, embedder)));
  const { f1, tried, features, projection, ...weights } = fitted(cases, heldOut);
  const chosen = cases.filter(({ is }) => is).length;
  const trainedOn = { task, embedder: embedder.id, pairs: cases.length, chosen, f1 };
  const file: BinaryFile = {
    kind: "rums-binary",
    ...{ features, ...weights, priors, projection },
    trainedOn: { ...trainedOn, users: users.map(userHash) },
  };
  const ranked = heldOut.size === 0 ? [] : tried;
  const rankedBy = (scoreOf: (one: (typeof tried)[number]) => number) =>
    rankingOf(ranked.map((one) => ({ ...one.candidate, score: scoreOf(one) })));
  return {
    file,
    path: write(file),
    users: users.length,
    heldOut: rankedBy(({ share }) => share),
    bm25: rankedBy(({ candidate }) => candidate.plain[plainNames.indexOf("bm25")]!),
  };
}

/** A multi-label classifier of questions by the attributes that profiles have. */
export async function trainMulti(settings: TrainSettings, io: Io): Promise<MultiFile> {
  const { task, loaded, embedder, byQuestion, write } = await openTraining(settings, io);
  const learned = await fittedMulti(loaded.units, byQuestion, embedder);
  if (learned === undefined)
    throw new UsageError(
      `${settings.run}: events of ${task} have no attributes; --multi is for profiles with fixed ones`,
    );
  const { f1, questions, ...rest } = learned;
  const file: MultiFile = {
    kind: "rums-multi",
    ...rest,
    trainedOn: { task, embedder: embedder.id, f1, questions },
  };
  write(file);
  return file;
}

/** What was learned, in words. */
export const renderMulti = ({ attributes, cutoff, trainedOn: { questions, f1 } }: MultiFile, out: string): string =>
  [
    `rums-multi: ${countOf(questions.length, "question")}, ${countOf(attributes.length, "attribute")}; cut-off ${cutoff} with F1 ${f1.toFixed(3)} on every fifth question, held out`,
    `  written to ${out}; use it on other questions: --set select=rums-multi:${out}`,
    "  these are logistic regressions over the question's vector, not the paper's DeBERTa",
  ].join("\n");

/** A run's utilities, data and embedder; vectors that the run has kept are not computed again. */
async function openTraining({ run, data, out }: TrainSettings, io: Io) {
  const { folder, measured } = measuredRun(run, io);
  const tasks = [...new Set(measured.map(({ cell }) => cell.task))];
  if (tasks.length > 1) throw new UsageError(`${run}: utilities of ${tasks.join(", ")}; train on a run of one task`);
  const task = tasks[0]!; // something was measured
  refuseTwoArms(run, { folder, measured });
  const loaded = await dataOfRun(folder, task, { run, data }, io);
  const { options } = measured[0]!.cell;
  const embedders = await openEmbedders([options], catalogueOf(io).embedders, io);
  const path = resolve(io.cwd, out);
  return {
    ...{ task, loaded },
    embedder: cachedEmbedder(embedders.of(options), vectorsOver(folder.path)),
    byQuestion: new Map(measured.map((one) => [one.question, one])),
    write: (file: object): string => {
      writeText(path, `${JSON.stringify(file)}\n`);
      return relative(io.cwd, path);
    },
  };
}

/** What was learned, in words. */
export function renderTrained({ file, path, users, heldOut, bm25 }: Trained): string {
  const { pairs, chosen, f1 } = file.trainedOn;
  const weights = plainNames.map((name, at) => `${name} ${file.weights[at]!.toFixed(2)}`).join(", ");
  const { length: components } = file.projection.components;
  return [
    `rums-binary: ${pairs} ${nounOf(pairs, "pair")} of ${users} ${nounOf(users, "user")}, ${chosen} of them chosen; ${weights}, and ${components} ${nounOf(components, "component")} of products of vectors`,
    `  every fifth user is held out: area under the curve ${shownRanking(heldOut)}, BM25 alone ${shownRanking(bm25)}; cut-off ${file.cutoff} with F1 ${f1.toFixed(3)}`,
    `  written to ${path}; use it on other users: --set select=rums-binary:${path}`,
    `  this is a logistic regression over ${file.features.length} features, not the paper's DeBERTa`,
  ].join("\n");
}

export interface RankedCase {
  readonly user: string;
  readonly is: boolean;
  readonly score: number;
}

/**
 * How well scores rank what was chosen before what was not; undefined without both kinds. No interval where one user has all
 * cases of a kind, and where docs/STATISTICS.md has a dash.
 */
export function rankingOf(cases: readonly RankedCase[]): Ranking | undefined {
  const area = areaOf(cases);
  return area === undefined ? undefined : { area, ...areaInterval(cases, area) };
}

/** `0.634 [0.619, 0.670]`, `0.634 [-]` without an interval. */
export function shownRanking(ranking: Ranking | undefined): string {
  if (ranking === undefined) return "unknown";
  const { area, low, high } = ranking;
  const between = low === undefined || high === undefined ? dash : `${low.toFixed(3)}, ${high.toFixed(3)}`;
  return `${area.toFixed(3)} [${between}]`;
}

function areaInterval(cases: readonly RankedCase[], value: number): Interval | undefined {
  const users = [...groupBy(cases, ({ user }) => user)];
  const without = users.map(([left]) => areaOf(cases.filter(({ user }) => user !== left)) ?? Number.NaN);
  const questions = users.map(([, own]) => own.length);
  return scoreInterval({ value, without: Float64Array.from(without), questions }, [0, 1]);
}

function refuseTwoArms(run: string, { folder, measured }: MeasuredRun): void {
  const { cells } = folder.manifest.plan;
  const arms = [...new Set(measured.map(({ cell }) => cell))].map((cell) => armName(cell, cells));
  if (arms.length > 1)
    throw new UsageError(
      `${run}: utilities of ${arms.length} arms: ${arms.join(", ")}; train on a run of one of them, made with its --method, --model and --set`,
    );
}

const areaOf = (cases: readonly RankedCase[]): number | undefined =>
  areaUnderRoc({
    high: cases.filter(({ is }) => is).map(({ score }) => score),
    low: cases.filter(({ is }) => !is).map(({ score }) => score),
  });

/** Vectors that the run has kept, and behind them those computed now. */
export function vectorsOver(run: string): VectorStore {
  const log = readLog(join(run, runFiles.log));
  const computed = memoryVectors();
  return {
    get: (key) => computed.get(key) ?? vectorIn(log.get(key)),
    put: computed.put,
  };
}
