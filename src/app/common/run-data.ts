import { UsageError } from "../../errors.js";
import { catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import type { LoadedTask } from "../../run/plan/plan.js";
import type { StoredRun } from "../../run/stored-run.js";
import { contentId } from "../../text/content-id.js";
import { layersIn } from "../run/config/portable-layers.js";
import { settingsOfLayers } from "../run/config/resolve-settings.js";
import { planData } from "../run/data/data-facts.js";
import { loadTask } from "../run/data/load-task.js";

/**
 * A task's data of a run, chosen and cut as its settings say: from `data` (a folder, or task=folder pairs), or where the run had
 * them. Throws UsageError where they are not at hand, or not those of the plan.
 */
export async function dataOfRun(
  { manifest }: Pick<StoredRun, "manifest">,
  name: string,
  { run, data }: { readonly run: string; readonly data?: string | undefined },
  io: Io,
): Promise<LoadedTask> {
  const layers = [...layersIn(manifest.layers, run), ...(data === undefined ? [] : [{ data }])];
  const settings = settingsOfLayers(layers, layers.length, catalogueOf(io));
  const facts = manifest.plan.data.find(({ task }) => task === name);
  const hint = `give the folder of ${facts?.name ?? name} with --data`;
  const loaded = await loadTask(settings.catalogue.tasks.get(name), settings, io.cwd).catch((error: unknown) => {
    if (data !== undefined || !(error instanceof UsageError)) throw error;
    throw new UsageError(`${run}: its data cannot be read again (${error.message}); ${hint}`);
  });
  const fresh = planData(loaded);
  if (contentId([fresh.files, fresh.units]) === contentId([facts?.files ?? [], facts?.units ?? ""])) return loaded;
  throw new UsageError(
    `${data ?? settings.data ?? "the built-in data"}: not the data that ${run} ran on (files or visible histories differ); ${hint}`,
  );
}
