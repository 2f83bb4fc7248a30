import { join, resolve } from "node:path";
import type { Command } from "commander";
import { writeText } from "../../disk/whole-file.js";
import { cachedEmbedder, memoryVectors, type VectorStore } from "../../embedders/index.js";
import { UsageError } from "../../errors.js";
import { readLog } from "../../log/log.js";
import { areaUnderRoc } from "../../results/separation.js";
import { catalogueOf } from "../../run/catalogue.js";
import { dataOfRun } from "../../run/data.js";
import { openEmbedders } from "../../run/embedders.js";
import type { Io } from "../../run/io.js";
import { vectorIn } from "../../run/outside/answers.js";
import { runFiles } from "../../run/rows.js";
import { type BinaryFile, type MultiFile, userHash } from "../../selectors/rums/classifier-file.js";
import { labelPriors, plainNames } from "../../selectors/rums/features.js";
import { countOf } from "../../text/count.js";
import type { Terminal } from "../terminal.js";
import { armName, measuredRun } from "./material.js";
import { type Candidate, casesOf, fitted, fittedMulti, fittedPasts, splitUsers } from "./training.js";

interface Flags {
  readonly out?: string;
  readonly data?: string;
  readonly labels?: string;
  readonly threshold?: boolean;
  readonly multi?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval rums train RUN`: trains on a run's utilities; asks no model. */
export function addTrain(rums: Command, io: Terminal): void {
  rums
    .command("train")
    .description("train on a run's utilities: a classifier rums-binary or rums-multi, or a value for rums.threshold")
    .argument("<run>", "run folder with utilities, of training users (run --method rums,prompt,rag)")
    .option("--out <file.json>", "where the weights of the classifier go")
    .option("--data <dir>", "the data of the run (default: the built-in ones)")
    .option(
      "--multi",
      "rums-multi: one output an attribute, of the question alone, where profiles have fixed attributes",
    )
    .option("--threshold", "print values for rums.threshold instead: by Youden's J, and by the right answers at each")
    .option(
      "--labels <file.json>",
      "of --threshold: which questions gain from the past (default: where rag is right and prompt is not)",
    )
    .option("--json", "print as JSON")
    .action(async (run: string, flags: Flags) => {
      const [trained, text] = await train(run, flags, io);
      io.out(flags.json === true ? JSON.stringify(trained, undefined, 2) : text);
    });
}

/** Returns what was learned, and the same in words. */
async function train(run: string, { out, data, labels, threshold, multi }: Flags, io: Terminal) {
  if (threshold === true) {
    const { renderThresholds, trainThresholds } = await import("./threshold.js");
    const found = trainThresholds({ run, labels }, io);
    return [found, renderThresholds(found)] as const;
  }
  if (out === undefined) throw new UsageError("name where the weights go with --out FILE, or ask for a --threshold");
  if (multi === true) {
    const file = await trainMulti({ run, data, out }, io);
    return [file, renderMulti(file, out)] as const;
  }
  const trained = await trainBinary({ run, data, out }, io);
  return [trained, renderTrained(trained)] as const;
}

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
  /** How well the pairs of held-out users are ranked: the area under the ROC curve; undefined where these have no two kinds. */
  readonly heldOut: { readonly area: number } | undefined;
  /** The same by BM25 alone. */
  readonly bm25: { readonly area: number } | undefined;
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
  const file: BinaryFile = {
    kind: "rums-binary",
    ...{ features, ...weights, priors, projection },
    trainedOn: { task, embedder: embedder.id, pairs: cases.length, chosen, f1, users: users.map(userHash) },
  };
  write(file);
  const rankedBy = (scoreOf: (one: (typeof tried)[number]) => number): Trained["heldOut"] => {
    const scores = (kind: boolean) => tried.filter(({ candidate: { is } }) => is === kind).map(scoreOf);
    const area = heldOut.size === 0 ? undefined : areaUnderRoc({ high: scores(true), low: scores(false) });
    return area === undefined ? undefined : { area };
  };
  return {
    ...{ file, path: settings.out, users: users.length },
    heldOut: rankedBy(({ share }) => share),
    bm25: rankedBy(({ candidate }) => candidate.plain[plainNames.indexOf("bm25")]!),
  };
}

/** Trains a multi-label classifier of questions by the attributes that profiles have. */
async function trainMulti(settings: TrainSettings, io: Io): Promise<MultiFile> {
  const { task, loaded, embedder, byQuestion, write } = await openTraining(settings, io);
  const learned = await fittedMulti(loaded.units, byQuestion, embedder);
  if (learned === undefined)
    throw new UsageError(
      `${settings.run}: events of ${task} have no attributes; --multi is for profiles with fixed ones`,
    );
  const { f1, questions, ...rest } = learned;
  const file: MultiFile = { kind: "rums-multi", ...rest, trainedOn: { task, embedder: embedder.id, f1, questions } };
  write(file);
  return file;
}

/** A run's utilities, data and embedder; vectors that the run has kept are not computed again. */
async function openTraining({ run, data, out }: TrainSettings, io: Io) {
  const { folder, measured } = measuredRun(run, io);
  const { cells } = folder.manifest.plan;
  const tasks = [...new Set(measured.map(({ cell }) => cell.task))];
  if (tasks.length > 1) throw new UsageError(`${run}: utilities of ${tasks.join(", ")}; train on a run of one task`);
  const arms = [...new Set(measured.map(({ cell }) => cell))].map((cell) => armName(cell, cells));
  if (arms.length > 1)
    throw new UsageError(
      `${run}: utilities of ${arms.length} arms: ${arms.join(", ")}; train on a run of one of them, made with its --method, --model and --set`,
    );
  const { task, options } = measured[0]!.cell; // something was measured
  const loaded = await dataOfRun(folder, task, { run, data }, io);
  const embedders = await openEmbedders([options], catalogueOf(io).embedders, io);
  return {
    ...{ task, loaded },
    embedder: cachedEmbedder(embedders.of(options), vectorsOver(folder.path)),
    byQuestion: new Map(measured.map((one) => [one.question, one])),
    write: (file: object): void => writeText(resolve(io.cwd, out), `${JSON.stringify(file)}\n`),
  };
}

/** Vectors that the run has kept, and before them those computed now. */
export function vectorsOver(run: string): VectorStore {
  const log = readLog(join(run, runFiles.log));
  const computed = memoryVectors();
  return { get: (key) => computed.get(key) ?? vectorIn(log.get(key)), put: computed.put };
}

/** Returns what was learned, in words. */
export function renderTrained({ file, path, users, heldOut, bm25 }: Trained): string {
  const { pairs, chosen, f1 } = file.trainedOn;
  const weights = plainNames.map((name, at) => `${name} ${file.weights[at]!.toFixed(2)}`).join(", ");
  const components = countOf(file.projection.components.length, "component");
  return [
    `rums-binary: ${countOf(pairs, "pair")} of ${countOf(users, "user")}, ${chosen} of them chosen; ${weights}, and ${components} of products of vectors`,
    `  every fifth user is held out: area under the curve ${areaText(heldOut)}, BM25 alone ${areaText(bm25)}; cut-off ${file.cutoff} with F1 ${f1.toFixed(3)}`,
    `  written to ${path}; use it on other users: --set select=rums-binary:${path}`,
    `  this is a logistic regression over ${file.features.length} features, not the paper's DeBERTa`,
  ].join("\n");
}

const renderMulti = ({ attributes, cutoff, trainedOn: { questions, f1 } }: MultiFile, out: string): string =>
  [
    `rums-multi: ${countOf(questions.length, "question")}, ${countOf(attributes.length, "attribute")}; cut-off ${cutoff} with F1 ${f1.toFixed(3)} on every fifth question, held out`,
    `  written to ${out}; use it on other questions: --set select=rums-multi:${out}`,
    "  these are logistic regressions over the question's vector, not the paper's DeBERTa",
  ].join("\n");

const areaText = (ranked: Trained["heldOut"]): string => (ranked === undefined ? "unknown" : ranked.area.toFixed(3));
