import { resolve } from "node:path";
import { Command } from "commander";
import { stringify } from "yaml";
import { labelOf, readLabels } from "../data/profile-questions/labels.js";
import { writeText } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { embeddedOnce } from "../outside/answers.js";
import { memoryBook, Once } from "../outside/once.js";
import { catalogueOf } from "../plan/catalogue.js";
import { judgementsOf } from "../record/judgements.js";
import type { ReadingIo } from "../record/stored-run.js";
import { winRates } from "../results/judge-scores.js";
import { groupBy } from "../results/samples.js";
import { agreementOf, gapsOf, selectionMeans, splitsOf } from "../results/selections.js";
import { areaUnderRoc } from "../results/separation.js";
import { separationOf } from "../results/utilities.js";
import { dataOfRun } from "../run/data.js";
import { openEmbedders } from "../run/models.js";
import type { BinaryFile, MultiFile } from "../selectors/rums/classifier-file.js";
import { trainBinary, trainMulti } from "../selectors/rums/training.js";
import { armName, choicesOf, thresholds, utilitiesIn } from "./rums-run.js";
import type { CommandIo } from "./terminal.js";

interface TrainFlags {
  readonly out?: string;
  readonly data?: string;
  readonly labels?: string;
  readonly threshold?: boolean;
  readonly multi?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval rums train|eval`: what is made of the utilities that a run measured. Neither asks a model. */
export function rumsCommand(io: CommandIo): Command {
  const command = new Command("rums");
  command
    .command("train")
    .description("train a selector on a run's utilities: rums-binary, rums-multi or rums.threshold")
    .argument("<run>", "run folder of training users (run --method rums,prompt,rag)")
    .option("--out <file.json>", "where the weights of the classifier go")
    .option("--data <dir>", "the data of the run (default: the built-in ones)")
    .option("--multi", "rums-multi: of the question alone, where profiles have fixed attributes")
    .option("--threshold", "print values for rums.threshold instead, by Youden's J")
    .option("--labels <file.json>", "of --threshold: which questions gain from the history")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample: lamp-eval rums train results/measured --data TRAIN --out model.json")
    .action(async (run: string, flags: TrainFlags) => {
      const trained = await train(run, flags, io);
      io.out(flags.json === true ? JSON.stringify(trained, undefined, 2) : rounded(trained));
    });
  command
    .command("eval")
    .description("set a run's choices beside what people said: H1, H1', H2 and H3 of the RUMS paper")
    .argument("<run>", "run folder")
    .option("--labels <file.json>", "what people said (default: labels of the built-in data)")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample: lamp-eval rums eval results/measured --labels labels.json")
    .action((run: string, { labels, json }: { readonly labels?: string; readonly json?: boolean }) => {
      const found = evaluate(run, labels, io);
      io.out(json === true ? JSON.stringify(found, undefined, 2) : rounded(found));
    });
  return command;
}

/** Trains a classifier and writes it, or finds thresholds. Returns what was learned. */
async function train(run: string, flags: TrainFlags, io: CommandIo): Promise<object> {
  const stored = io.runs.get(run);
  const measured = utilitiesIn(stored);
  if (flags.threshold === true) return thresholds(stored, measured, flags.labels, io);
  const { out: path, data, multi } = flags;
  if (path === undefined) throw new UsageError("name where the weights go with --out FILE, or ask for a --threshold");
  const arms = [...new Set(measured.map(({ spec }) => spec))];
  const names = arms.map((arm) => `${arm.task} ${armName(arm, stored.manifest.identity.arms)}`);
  if (names.length > 1)
    throw new UsageError(
      `${run}: utilities of ${names.length} arms: ${names.join(", ")}; train on a run of one of them`,
    );
  const { task, options } = arms[0]!; // something was measured
  const loaded = await dataOfRun(stored, { task, data }, io);
  const embedders = await openEmbedders([options], { families: catalogueOf(io).embedders }, io);
  const training = {
    ...{ task, labels: loaded.task.labels, units: loaded.units },
    utilities: new Map(measured.map(({ question, utilities }) => [question, utilities])),
    embedder: embeddedOnce(embedders.of(options).embedder, new Once(memoryBook(stored.log))),
  };
  const { file, ...found } = multi === true ? { file: await trainMulti(training) } : await binary(training);
  if (file === undefined)
    throw new UsageError(`${run}: events of ${task} have no attributes; --multi is for profiles with fixed ones`);
  writeText(resolve(io.cwd, path), `${JSON.stringify(file)}\n`);
  const { kind, cutoff, trainedOn } = file;
  const { pairs, chosen, questions, f1 }: Partial<BinaryFile["trainedOn"] & MultiFile["trainedOn"]> = trainedOn;
  const use = `--set select=${kind}:${path}`;
  return { kind, classifier: CLASSIFIER, path, use, cutoff, f1, pairs, chosen, questions: questions?.length, ...found };
}

const CLASSIFIER = "logistic regression, not the paper's DeBERTa";

/** Trains the classifier of single events. `heldOut` and `bm25`: areas under the ROC curve of it and of BM25 on users held out. */
async function binary(training: Parameters<typeof trainBinary>[0]) {
  const { file, evaluated, users, heldOut: heldOutUsers } = await trainBinary(training);
  const areaOf = (score: (one: (typeof evaluated)[number]) => number) => {
    const scores = (kind: boolean) => evaluated.filter(({ positive }) => positive === kind).map(score);
    return heldOutUsers === 0 ? undefined : areaUnderRoc({ high: scores(true), low: scores(false) });
  };
  return { file, users, heldOut: areaOf(({ probability }) => probability), bm25: areaOf((one) => one.bm25) };
}

/** Returns H1 to H3 of RUMS for the arms of a run. Throws UsageError where nothing was chosen for a question with labels. */
function evaluate(run: string, labels: string | undefined, io: ReadingIo) {
  const stored = io.runs.get(run);
  const known = readLabels(labels, io.cwd);
  const { arms: specs } = stored.manifest.identity;
  const reports = choicesOf(stored, known).map(({ spec, choices }) => {
    const splits = [...splitsOf(choices)].filter(([, of]) => of.length > 0);
    return {
      name: armName(spec, specs),
      splits: splits.map(([name, of]) => ({ name, ...selectionMeans(of) })),
      utilities: separationOf(choices),
      ...agreementOf(choices),
      gaps: gapsOf(choices.flatMap(({ label, utilities }) => (label.personal ? (utilities ?? []) : []))),
    };
  });
  if (reports.length === 0)
    throw new UsageError(
      `${run}: nothing was chosen for a question with labels; name the labels of its questions with --labels FILE`,
    );
  const wins = judgementsOf(stored).flatMap(({ facts: { against, model, simulated }, judgements }) =>
    [...groupBy(judgements, ({ arm }) => arm)].flatMap(([id, ofArmId]) => {
      const arm = stored.arm(id);
      const all = winRates(ofArmId);
      if (arm === undefined || against === undefined || all.kept === 0) return [];
      const ratesOf = (personal: boolean) =>
        winRates(ofArmId.filter(({ question }) => labelOf(question, known)?.personal === personal));
      const judge = `${model}${simulated ? " (SIMULATED)" : ""}`;
      return [{ name: armName(arm, specs), against, judge, all, personal: ratesOf(true), others: ratesOf(false) }];
    }),
  );
  return { reports, wins };
}

/** Formats what was found as YAML, with three digits and without values of single users (`--json` has all). */
const rounded = (found: object): string =>
  stringify(found, (key, value: unknown) => {
    if (key === "users") return undefined;
    return typeof value === "number" ? Number(value.toFixed(3)) : value;
  }).trimEnd();
