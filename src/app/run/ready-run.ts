import type { Io } from "../io.js";
import type { Emit } from "./events.js";
import type { Prepared } from "./prepare.js";
import type { RunSettings } from "./settings.js";
import type { Stops } from "./stops.js";

/** A run that is ready to begin. */
export interface ReadyRun {
  readonly prepared: Prepared;
  readonly settings: RunSettings;
  /** Absolute. */
  readonly folder: string;
  /** What the person typed. */
  readonly argv: readonly string[];
  /** The folder that a shard takes what all users share from, as typed. */
  readonly shared: string | undefined;
  readonly stops: Stops;
  readonly emit: Emit;
  readonly io: Io;
}
