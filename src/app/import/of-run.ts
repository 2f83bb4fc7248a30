import { basename } from "node:path";
import { catalogueOf } from "../../catalogue.js";
import { UsageError } from "../../errors.js";
import { refusePart } from "../../run/plan/part.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { contentId } from "../../text/content-id.js";
import type { Cell } from "../../types.js";
import { type ArmChoice, isChosen, variantsText } from "../common/arm-choice.js";
import { dataOfRun } from "../common/run-data.js";
import { openRunFolder, type RunFolder, refuseAbsent } from "../common/run-folder.js";
import type { Io } from "../io.js";
import type { Predictions } from "./predictions.js";

/** Which answers of a run are taken. */
interface RunAnswersChoice extends ArmChoice {
  readonly run: string;
  readonly task?: string | undefined;
  readonly method?: string | undefined;
  /** Where the run's data are. Absent: where the run's command line had them. */
  readonly data?: string | undefined;
}

/** The answers of one method of a run, and what they answer. */
interface RunAnswers {
  readonly loaded: LoadedTask;
  /** As replied, one for each repeat. */
  readonly predictions: readonly Predictions[];
  readonly method: string;
  readonly seed: number;
  readonly simulated: boolean;
}

/** Throws UsageError where there is no run, more than one arm is meant, or the run's data are not at hand. */
export async function answersOfRun(choice: RunAnswersChoice, io: Io): Promise<RunAnswers> {
  const { run } = choice;
  const folder = openRunFolder(run, io.cwd);
  refusePart(run, folder.manifest);
  const cells = armOf(folder, choice);
  const { task, method, seed } = cells[0]!; // at least one
  catalogueOf(io).tasks.get(task, `${run}: its task (of a plug-in: --plugin FILE)`);
  return {
    loaded: await dataOfRun(folder, task, choice, io),
    predictions: cells.map((cell) => predictionsOf(cell, folder, run)),
    method,
    seed,
    simulated: folder.rows.some((row) => row.cell === cells[0]?.id && row.simulated === true),
  };
}

/** The repeats of the one arm that is meant, in order. */
function armOf({ manifest }: RunFolder, { run, task, method, ...choice }: RunAnswersChoice): readonly Cell[] {
  const { cells } = manifest.plan;
  refuseAbsent(run, "--task", task, cells.map((cell) => cell.task)); // biome-ignore format: one call a flag
  const ofTask = cells.filter((cell) => task === undefined || cell.task === task);
  refuseAbsent(run, "--method", method, ofTask.map((cell) => cell.method)); // biome-ignore format: one call a flag
  const ofMethod = ofTask.filter((cell) => method === undefined || cell.method === method);
  for (const [flag, names] of [
    ["--task", ofMethod.map((cell) => cell.task)],
    ["--method", ofMethod.map((cell) => cell.method)],
  ] as const)
    if (new Set(names).size > 1)
      throw new UsageError(
        `${run}: has several ${flag.slice(2)}s; name one: ${flag} ${[...new Set(names)].join(` or ${flag} `)}`,
      );
  const chosen = ofMethod.filter((cell) => isChosen(cell, choice));
  const repeats = [...chosen].sort((a, b) => a.repeat - b.repeat);
  if (repeats.length === 0 || new Set(repeats.map(({ repeat }) => repeat)).size < repeats.length)
    throw new UsageError(
      `${run}: ${repeats.length === 0 ? "no such arm" : "several arms"}; choose one with --variant or --model; its arms: ${variantsText(ofMethod, choice)}`,
    );
  return repeats;
}

function predictionsOf({ id, method }: Cell, { rows }: RunFolder, run: string): Predictions {
  const outputs = new Map(
    rows.flatMap(({ cell, question, outcome }) =>
      cell === id && outcome.kind !== "failed" ? [[question, outcome.reply] as const] : [],
    ),
  );
  const name = `${method} of ${basename(run)}`;
  const told = JSON.stringify([...outputs]);
  return { name, file: { name, bytes: Buffer.byteLength(told), sha256: contentId([...outputs]) }, outputs };
}
