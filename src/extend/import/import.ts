import { UsageError } from "../../errors.js";
import { catalogueOf } from "../../plan/catalogue.js";
import type { RunConfig, RunRequest } from "../../plan/settings.js";
import type { ReadingIo } from "../../record/stored-run.js";
import { questionsOf } from "../../run/data.js";
import type { World } from "../../run/world.js";
import { countOf } from "../../text/count.js";
import { importedMethod } from "./imported.js";
import { type Predictions, readColumns, readPredictions } from "./predictions.js";

/** Predictions of another program, and the questions that they answer. */
export interface ImportSettings
  extends Pick<RunConfig, "data" | "users" | "limit" | "queriesPerUser" | "seed" | "out" | "maxFailed">,
    Pick<RunRequest, "argv" | "options"> {
  readonly task: string;
  /** Files, one a repeat. */
  readonly predictions: readonly string[];
  /** Names of the fields that hold id and answer: `id=question_id,prediction=answer`. */
  readonly columns?: string | undefined;
  /** Name of the method in tables. */
  readonly name: string;
  /** Marks the numbers SIMULATED. */
  readonly simulated?: boolean | undefined;
}

/** Opens a request, which sends nothing yet. */
export type OpenRequest = (request: RunRequest, io: ReadingIo) => Promise<World>;

/**
 * Opens predictions as a run: they are answers in its log, and all else is as in any run. Returns with it a line on each difference
 * between files and questions. Throws UsageError on files, names and data that do not fit together.
 */
export async function openImport(
  { predictions: files, name, columns, simulated = false, ...request }: ImportSettings,
  io: ReadingIo,
  open: OpenRequest,
): Promise<{ readonly world: World; readonly remarks: readonly string[] }> {
  const { tasks, methods } = catalogueOf(io);
  if (!/^\w(?:[\w .+-]{0,58}[\w.+-])?$/.test(name))
    throw new UsageError(
      `--name ${JSON.stringify(name)}: write 1 to 60 letters, digits, blanks or . _ + -, beginning with a letter or digit and without a blank at the end`,
    );
  if (methods.find(name.replaceAll(/[_ ]+/g, "-")) !== undefined)
    throw new UsageError(`--name ${name}: a built-in method is called so; choose another, e.g. --name my-${name}`);
  const reading = { task: tasks.get(request.task, "--task"), tasks, columns: readColumns(columns) };
  const predictions = await Promise.all(files.map((file) => readPredictions(file, reading, io)));
  const withoutGold = new Set<string>();
  const method = importedMethod(
    { name, files: predictions.map(({ file }) => file), simulated },
    // a question that is not scored needs no prediction: it is listed with an empty answer
    (repeat, question) => predictions[repeat]?.outputs.get(question) ?? (withoutGold.has(question) ? "" : undefined),
  );
  const world = await open({ ...request, method, repeats: predictions.length }, io);
  const questions = questionsOf(world.loaded[0]!); // of the one task
  for (const [id, { gold }] of questions) if (gold === undefined) withoutGold.add(id);
  return { world, remarks: predictions.flatMap((file) => remarksOf(file, [...questions.keys()], withoutGold)) };
}

/** Returns a line on each difference between a file and the questions. Throws UsageError where no id is that of a question. */
function remarksOf(
  { name, outputs }: Predictions,
  questions: readonly string[],
  withoutGold: ReadonlySet<string>,
): string[] {
  const asked = new Set(questions);
  const other = [...outputs.keys()].filter((id) => !asked.has(id));
  if (other.length === outputs.size)
    throw new UsageError(
      `${name}: none of its ids is that of a question (first ${JSON.stringify(other[0])}); give the --data that the predictions answer`,
    );
  const missing = questions.filter((id) => outputs.get(id) === undefined && !withoutGold.has(id));
  const said = (ids: readonly string[], text: string) =>
    ids.length === 0 ? [] : [`${name}: ${ids.length} ${text} (first ${JSON.stringify(ids[0])})`];
  return [
    ...said(other, `of ${countOf(outputs.size, "prediction")} are of no chosen question and are left out`),
    ...said(missing, `of ${countOf(questions.length, "question")} have no prediction: counted as failed, not scored`),
  ];
}
