import { relative, resolve } from "node:path";
import { catalogueOf } from "../../catalogue.js";
import { cachedEmbedder, memoryVectors, openEmbedder } from "../../embedders/index.js";
import { UsageError } from "../../errors.js";
import { complete, readOptions } from "../../options.js";
import { seeded } from "../../random/seeded.js";
import { groupBy } from "../../report/grouped.js";
import { runOptions } from "../../run/options.js";
import { openFeatures } from "../../selectors/rums/features.js";
import { bestCutoff, fitLogistic, type LabelledCase, shareOf, standardized } from "../../selectors/rums/logistic.js";
import { featureNames, type LogregFile, userHash } from "../../selectors/rums/logreg-file.js";
import { deviation } from "../../statistics/deviation.js";
import { areaUnderRoc } from "../../statistics/separation.js";
import { nounOf } from "../../text/count.js";
import { pySplit } from "../../text/python.js";
import type { Unit } from "../../types.js";
import { reloadTask } from "../common/reload-task.js";
import { writeText } from "../common/write-text.js";
import type { Io } from "../io.js";
import { type Measured, measuredRun } from "./material.js";

export interface TrainSettings {
  readonly run: string;
  /** The data of the run; absent where they are the built-in ones. */
  readonly data?: string | undefined;
  readonly out: string;
  /** Utility from which the best subset counts as chosen. */
  readonly threshold?: number | undefined;
}

/** What was learned, on the training pairs and on the held-out users among them. */
export interface Trained {
  readonly file: LogregFile;
  readonly path: string;
  readonly users: number;
  /** How well the pairs of held-out users are ranked; undefined where these have no two kinds. */
  readonly heldOut: Ranking | undefined;
  /** The same by BM25 alone. */
  readonly bm25: Ranking | undefined;
}

/** Area under the ROC curve, with a 95 % interval over resampled users. */
export interface Ranking {
  readonly area: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Trains the small classifier of METHODS 9.4 on the utilities of a finished run: an event of a question is a positive case
 * where it is in the best subset and that is worth the threshold. The cut-off has the best F1 on every fifth user, who is
 * left out of the fit. Asks no model. Throws UsageError where the data are not at hand.
 */
export async function trainLogreg({ run, data, out, threshold = 0 }: TrainSettings, io: Io): Promise<Trained> {
  const { folder, measured } = measuredRun(run, io);
  const tasks = [...new Set(measured.map(({ cell }) => cell.task))];
  if (tasks.length > 1) throw new UsageError(`${run}: utilities of ${tasks.join(", ")}; train on a run of one task`);
  const task = tasks[0]!; // something was measured
  const loaded = await reloadTask(folder.manifest, task, data, io);
  if (loaded === undefined) throw new UsageError(`${run}: its data are not at hand; name them with --data DIR`);
  const { embedder: named, "embedder.similarity": similarity } = readOptions(
    runOptions,
    complete(runOptions, measured[0]!.cell.options),
  );
  const { env, clock, cwd } = io;
  const opened = await openEmbedder(named, { env, clock, cwd, similarity }, catalogueOf(io).embedders);
  const embedder = cachedEmbedder(opened, memoryVectors());
  const byQuestion = new Map(measured.map((one) => [one.question, one]));
  const cases: { readonly user: string; readonly features: readonly number[]; readonly is: boolean }[] = [];
  for (const unit of loaded.units) cases.push(...(await casesOf(unit, byQuestion, embedder, threshold)));
  const users = [...new Set(cases.map(({ user }) => user))].sort();
  const heldOut = new Set(users.filter((_, at) => at % FOLDS === FOLDS - 1));
  const fitted = cases.filter(({ user }) => !heldOut.has(user));
  const scale = scaleOf(fitted);
  const standard = ({ features, is }: LabelledCase): LabelledCase => ({ features: standardized(features, scale), is });
  const model = fitLogistic(fitted.map(standard));
  const tried = (heldOut.size === 0 ? fitted : cases.filter(({ user }) => heldOut.has(user))).map(standard);
  const scored = tried.map(({ features, is }) => ({ share: shareOf(model, features), is }));
  const { cutoff, f1 } = bestCutoff(scored);
  const file: LogregFile = {
    kind: "rums-logreg",
    version: 1,
    features: [...featureNames],
    ...scale,
    bias: model.bias,
    weights: [...model.weights],
    cutoff,
    trainedOn: {
      task,
      embedder: embedder.id,
      pairs: cases.length,
      chosen: cases.filter(({ is }) => is).length,
      f1,
      threshold,
      users: users.map(userHash),
    },
  };
  const path = resolve(cwd, out);
  writeText(path, `${JSON.stringify(file, undefined, 1)}\n`);
  const ranked = heldOut.size === 0 ? [] : cases.filter(({ user }) => heldOut.has(user));
  const byModel = ranked.map((one, at) => ({ ...one, score: scored[at]!.share })); // the same cases in the same order
  const byBm25 = ranked.map((one) => ({ ...one, score: one.features[featureNames.indexOf("bm25")]! }));
  return {
    file,
    path: relative(cwd, path),
    users: users.length,
    heldOut: rankingOf(byModel),
    bm25: rankingOf(byBm25),
  };
}

/** What was learned, in words. */
export function renderTrained({ file, path, users, heldOut, bm25 }: Trained): string {
  const { pairs, chosen, f1 } = file.trainedOn;
  const weights = file.features.map((name, at) => `${name} ${file.weights[at]!.toFixed(2)}`).join(", ");
  return [
    `rums-logreg: ${pairs} ${nounOf(pairs, "pair")} of ${users} ${nounOf(users, "user")}, ${chosen} of them chosen; ${weights}`,
    `  every fifth user is held out: area under the curve ${shownRanking(heldOut)}, BM25 alone ${shownRanking(bm25)}; cut-off ${file.cutoff} with F1 ${f1.toFixed(3)}`,
    `  written to ${path}; use it on other users: --set select=rums-logreg:${path}`,
    "  this is a logistic regression over six features, not the paper's DeBERTa",
  ].join("\n");
}

// --- internal ---

const FOLDS = 5;
const RESAMPLES = 1000;

interface RankedCase {
  readonly user: string;
  readonly is: boolean;
  readonly score: number;
}

const areaOf = (cases: readonly RankedCase[]): number | undefined =>
  areaUnderRoc({
    high: cases.filter(({ is }) => is).map(({ score }) => score),
    low: cases.filter(({ is }) => !is).map(({ score }) => score),
  });

/** Users are drawn anew with replacement; draws without two kinds of cases are passed over. */
function rankingOf(cases: readonly RankedCase[]): Ranking | undefined {
  const area = areaOf(cases);
  if (area === undefined) return undefined;
  const byUser = [...groupBy(cases, ({ user }) => user).values()];
  const random = seeded("rums-logreg ranking");
  const areas = Array.from({ length: RESAMPLES }, () =>
    areaOf(byUser.flatMap(() => byUser[random.below(byUser.length)]!)),
  )
    .filter((one) => one !== undefined)
    .sort((a, b) => a - b);
  const at = (share: number): number => areas[Math.round(share * (areas.length - 1))]!;
  return { area, low: at(0.025), high: at(0.975) };
}

const shownRanking = (ranking: Ranking | undefined): string =>
  ranking === undefined
    ? "unknown"
    : `${ranking.area.toFixed(3)} [${ranking.low.toFixed(3)}, ${ranking.high.toFixed(3)}]`;

/** One case for each candidate of each measured question. */
async function casesOf(
  { user, examples }: Unit,
  measured: ReadonlyMap<string, Measured>,
  embedder: Awaited<ReturnType<typeof openEmbedder>>,
  threshold: number,
) {
  const asked = examples.filter(({ question }) => measured.has(question.id));
  if (asked.length === 0 || user.history.length === 0) return [];
  const document = ({ document: text }: Unit["user"]["history"][number]) => ({ text });
  const use = { document, tokenize: pySplit };
  const features = await openFeatures(user.history, use, { embedder, random: seeded("rums-logreg") });
  const places = new Map(user.history.map(({ id }, at) => [id, at]));
  const cases = [];
  for (const { question } of asked) {
    const { candidates, scored, best } = measured.get(question.id)!.utilities; // asked are those
    const rows = await features(question.query);
    const chosen =
      best !== null && best > 0 && best >= threshold ? scored.find(({ utility }) => utility === best) : undefined;
    for (const id of candidates) {
      const at = places.get(id);
      if (at !== undefined)
        cases.push({ user: user.id, features: rows[at]!, is: chosen?.events.includes(id) === true });
    }
  }
  return cases;
}

/** Means and deviations; a feature that never varies is left as it is. */
function scaleOf(cases: readonly LabelledCase[]): { readonly means: number[]; readonly deviations: number[] } {
  const columns = featureNames.map((_, at) => cases.map(({ features }) => features[at]!));
  const means = columns.map((values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
  return { means, deviations: columns.map((values) => deviation(values) || 1) };
}
