import { UsageError } from "../../errors.js";
import { type Catalogue, catalogueOf } from "../../run/catalogue.js";
import { loadTask, questionsOf } from "../../run/data.js";
import type { Io } from "../../run/io.js";
import type { RunConfig, RunRequest } from "../../run/plan/settings.js";
import type { World } from "../../run/world.js";
import { countOf } from "../../text/count.js";
import { pyStrip } from "../../text/python.js";
import type { Task } from "../../types/index.js";
import { openRequest, type RunResult, runWorld } from "../run.js";
import { importedMethod } from "./method.js";
import { type Predictions, readPredictions } from "./predictions.js";

/** Predictions of another program, and the questions that they answer. */
export interface ImportSettings
  extends Pick<RunConfig, "data" | "users" | "limit" | "queriesPerUser" | "seed" | "out" | "maxFailed">,
    Pick<RunRequest, "argv" | "options"> {
  readonly task: string;
  /** Files, one a repeat. */
  readonly predictions: readonly string[];
  /** What the method is called in tables. */
  readonly name: string;
  /** Marks the numbers SIMULATED. */
  readonly simulated?: boolean | undefined;
}

interface ImportResult extends RunResult {
  /** What the table does not tell of the files, a line each. */
  readonly remarks: readonly string[];
}

/**
 * Makes a run out of predictions: they are answers in its log, and all else is as in any run. Throws UsageError on files, names and
 * data that do not fit together.
 */
export async function importRun(settings: ImportSettings, io: Io): Promise<ImportResult> {
  const { predictions: names, name, simulated = false, ...rest } = settings;
  const catalogue = catalogueOf(io);
  refuseTakenName(name, catalogue);
  const task = catalogue.tasks.get(settings.task, "--task");
  const predictions = await Promise.all(names.map((file) => readPredictions(file, task, catalogue.tasks, io)));
  const withoutGold = new Set<string>();
  const method = importedMethod(
    { name, files: predictions.map(({ file }) => file), simulated },
    // a question that is not scored needs no prediction: it is listed with an empty answer
    (repeat, question) => predictions[repeat]?.outputs.get(question) ?? (withoutGold.has(question) ? "" : undefined),
  );
  const world = await openRequest({ ...rest, method, repeats: predictions.length }, io);
  const questions = questionsOf(world.loaded[0]!); // of the one task
  for (const [id, { gold }] of questions) if (gold === undefined) withoutGold.add(id);
  for (const file of predictions) await refuseForeignIds(file, new Set(questions.keys()), world);
  const remarks = predictions.flatMap((file) => remarksOf(file, [...questions.keys()], withoutGold, task));
  return { ...(await runWorld(world)), remarks };
}

/** Ids outside a selection (--users, --limit) are left out; ids that the data do not have at all are refused. */
async function refuseForeignIds(
  { name, outputs }: Predictions,
  asked: ReadonlySet<string>,
  { loaded, plan, catalogue, io }: World,
): Promise<void> {
  const foreign = [...outputs.keys()].filter((id) => !asked.has(id));
  if (foreign.length === 0) return;
  const { task, dataset } = loaded[0]!; // the one task
  const { users: _, limit: __, ...whole } = plan;
  const perTask = { [task.name]: { ...plan.perTask[task.name], "data.maxQueriesPerUser": 0 } };
  const all = questionsOf(await loadTask(task, { ...whole, perTask }, catalogue, io.cwd));
  const unknown = foreign.filter((id) => !all.has(id));
  if (unknown.length > 0)
    throw new UsageError(
      `${name}: ${unknown.length} of ${countOf(outputs.size, "id")} ${unknown.length === 1 ? "is no question" : "are no questions"} of ${dataset.name} (first ${JSON.stringify(unknown[0])}); give the --data that the predictions answer`,
    );
  const are = foreign.length === 1 ? "is" : "are";
  io.tell(
    `${name}: ${countOf(foreign.length, "prediction")} ${are} outside the chosen users and questions and ${are} left out`,
  );
}

function refuseTakenName(name: string, { methods }: Catalogue): void {
  if (!/^\w(?:[\w .+-]{0,58}[\w.+-])?$/.test(name))
    throw new UsageError(
      `--name ${JSON.stringify(name)}: write 1 to 60 letters, digits, blanks or . _ + -, beginning with a letter or digit and without a blank at the end`,
    );
  if (methods.find(name.replaceAll(/[_ ]+/g, "-")) !== undefined)
    throw new UsageError(`--name ${name}: a built-in method is called so; choose another, e.g. --name my-${name}`);
}

/** Questions without a prediction, and empty texts, which are read and score 0. */
function remarksOf(
  { name, outputs }: Predictions,
  questions: readonly string[],
  withoutGold: ReadonlySet<string>,
  { kind }: Task,
): string[] {
  const missing = questions.filter((id) => outputs.get(id) === undefined);
  const [unscored, failed] = [
    missing.filter((id) => withoutGold.has(id)),
    missing.filter((id) => !withoutGold.has(id)),
  ];
  const scored = questions.length - questions.filter((id) => withoutGold.has(id)).length;
  const empty = [...outputs.values()].filter((output) => output !== undefined && pyStrip(output) === "").length;
  const have = (count: number): string => (count === 1 ? "has" : "have");
  const remarks: readonly (readonly [number, string])[] = [
    [
      failed.length,
      `${failed.length} of ${countOf(scored, "question")} ${have(failed.length)} no prediction (first ${JSON.stringify(failed[0])}): counted as failed, not scored`,
    ],
    [
      unscored.length,
      `${countOf(unscored.length, "question")} without gold ${have(unscored.length)} no prediction (first ${JSON.stringify(unscored[0])}): listed with an empty answer, not scored`,
    ],
    [
      kind === "text" ? empty : 0,
      `${empty} of ${countOf(outputs.size, "prediction")} ${empty === 1 ? "is an empty text" : "are empty texts"}: scored 0, as the official scorer does`,
    ],
  ];
  return remarks.flatMap(([count, remark]) => (count === 0 ? [] : [`${name}: ${remark}`]));
}
