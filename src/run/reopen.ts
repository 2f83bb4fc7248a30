import { UsageError } from "../errors.js";
import { asJson } from "../record/folder.js";
import { changedSetting, type Manifest } from "../record/manifest.js";
import { firstLine } from "../text/file-trouble.js";
import { openWorld, type World, type WorldInputs } from "./world.js";

interface Reopening extends WorldInputs {
  /** The manifest's plan, with what is this machine's own: where its data are, how its servers are asked. */
  readonly plan: Manifest["plan"];
  /** Stands before each message: `results/demo: `. */
  readonly shown: string;
  /** What to do where the data or the code here are not those of the run. */
  readonly hint: string;
  /** Throws UsageError on what may not be asked here. */
  refuse?(world: World): void;
}

/** Opens a run again. Throws UsageError where its plan cannot be opened, or would make other rows here. */
export async function reopen(manifest: Manifest, { plan, shown, hint, refuse, ...inputs }: Reopening): Promise<World> {
  const world = await openWorld(plan, inputs).catch((error: unknown) => {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${shown}its plan cannot be opened: ${firstLine(error)}`); // others may have written it
  });
  refuse?.(world);
  const changed = changedSetting(manifest.identity, Object(asJson(world.identity)));
  if (changed === undefined) return world;
  throw new UsageError(`${shown}${changed.name} was ${changed.was} and is ${changed.is} here; ${hint}`);
}
