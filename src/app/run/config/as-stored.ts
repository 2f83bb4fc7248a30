import { resolve } from "node:path";
import { heldBefore } from "../../../options.js";
import { readManifest } from "../../../run/manifest/manifest.js";
import { allOptions } from "../../common/all-options.js";
import type { Io } from "../../io.js";
import type { Replay } from "../../replay/replay.js";
import type { RunSettings } from "./settings.js";

/**
 * The settings, with the defaults that a stored plan was made with where it is older than an option: of the recording that is
 * replayed, else of the folder that the run goes into. What a person, a config or a preset gives wins.
 */
export function asStored(settings: RunSettings, replay: Replay | undefined, io: Io): RunSettings {
  const cells = replay?.cassette.head.plan.cells ?? storedCells(settings, io);
  if (cells === undefined) return settings;
  const held = heldBefore(allOptions(settings.catalogue), cells);
  return {
    ...settings,
    set: { ...held, ...settings.set },
    setFor: (task) => ({ ...held, ...settings.setFor(task) }),
  };
}

const storedCells = ({ out }: RunSettings, { cwd }: Io) =>
  out === undefined ? undefined : readManifest(resolve(cwd, out))?.plan.cells;
