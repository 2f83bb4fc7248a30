import { resolve } from "node:path";
import { UsageError } from "../../errors.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import { contentId } from "../../text/content-id.js";
import type { Io } from "../io.js";
import { planData } from "../run/data/data-facts.js";
import { reloadTask } from "./reload-task.js";
import type { RunFolder } from "./run-folder.js";

/**
 * A task's data of a run: from `data`, or where the run's command line had them. Throws UsageError where they are not at hand, or not what
 * the plan says.
 */
export async function dataOfRun(
  { manifest }: Pick<RunFolder, "manifest">,
  name: string,
  { run, data: given }: { readonly run: string; readonly data?: string | undefined },
  io: Io,
): Promise<LoadedTask> {
  const facts = manifest.plan.data.find(({ task }) => task === name);
  const data = given ?? flagValue("--data", manifest.argv);
  const hint = `give the folder of ${facts?.name ?? name} with --data`;
  let loaded: LoadedTask | undefined;
  try {
    loaded = await reloadTask(manifest, name, data, io);
  } catch (error) {
    if (given !== undefined || !(error instanceof UsageError)) throw error;
    throw new UsageError(`${run}: its data cannot be read again (${error.message}); ${hint}`);
  }
  if (loaded === undefined) throw new UsageError(`${run}: where its data are is not known; ${hint}`);
  const fresh = planData(loaded);
  const same = contentId([fresh.files, fresh.units]) === contentId([facts?.files ?? [], facts?.units ?? ""]);
  if (same) return loaded;
  throw new UsageError(
    `${resolve(io.cwd, data ?? "")}: not the data that ${run} ran on (files or visible histories differ); ${hint}`,
  );
}

/** `--name value` or `--name=value` of a command line. */
function flagValue(name: string, argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex((word) => word === name || word.startsWith(`${name}=`));
  return argv[at] === name ? argv[at + 1] : argv[at]?.slice(name.length + 1);
}
