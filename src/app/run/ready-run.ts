import type { GitState } from "../common/version.js";
import type { Io } from "../io.js";
import type { RunSettings } from "./config/run-settings.js";
import type { Emit } from "./events.js";
import type { Prepared } from "./prepare.js";
import type { Stops } from "./stops.js";

/** How a run finds out what it costs, before it goes on. */
export interface Pilot {
  /** Users of each task. */
  readonly users: number;
  /** Whether to go on whatever it finds. */
  readonly goOn: boolean;
}

/** A run that is ready to begin. */
export interface ReadyRun {
  readonly prepared: Prepared;
  readonly settings: RunSettings;
  /** Absolute. */
  readonly folder: string;
  /** What the person typed. */
  readonly argv: readonly string[];
  /** What the run begins with to find out what it costs. */
  readonly pilot?: Pilot | undefined;
  readonly stops: Stops;
  readonly emit: Emit;
  readonly io: Io;
  /** Of the folder at hand, where it is in a repository. */
  readonly git: GitState | undefined;
}
