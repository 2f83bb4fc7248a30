import { readFileSync } from "node:fs";
import type { Clock, Method } from "../types/index.js";
import type { Catalogue } from "./catalogue.js";

/** The outside world as commands and runs see it: handed in, so that each of them is testable. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** The folder that relative paths start from. */
  readonly cwd: string;
  /** Version of Node, for logs. */
  readonly node: string;
  /** What has a name. Absent: what is built in. */
  readonly catalogue?: Catalogue;
  /** How programs are run. Absent: there are none. */
  readonly openPrograms?: OpenPrograms;
  /** Hands a remark, one line or a few, to whoever runs the command. */
  tell(line: string): void;
}

/** The programs that are the `exec:` methods of a run. */
export interface OpenedPrograms {
  /** The method of `exec:COMMAND`, undefined for any other name. Throws UsageError where there is no such program. */
  method(name: string): Method | undefined;
  /** Ends every program that was started. */
  close(): Promise<void>;
}

type OpenPrograms = (settings: ProgramSettings) => OpenedPrograms;

/** Where programs run, and when they stop. */
export interface ProgramSettings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables that programs get although they hold a secret. */
  readonly allowed?: readonly string[];
  /** Variables that hold a key whatever they are called. */
  readonly keys?: readonly string[];
  readonly clock: Clock;
  /** By method name, the content ids that programs had in a recorded run: these need not be here, and nothing is started. */
  readonly recorded?: ReadonlyMap<string, string> | undefined;
  /** Nothing is started, every answer is empty. */
  readonly dryRun: boolean;
  /** Fires when questions that wait are given up. */
  readonly stop: AbortSignal;
  /** Fires when programs are ended, whatever they are at. */
  readonly kill: AbortSignal;
}

/** Now, in ISO 8601, UTC. */
export const timestamp = ({ clock }: Pick<Io, "clock">): string => new Date(clock.now()).toISOString();

/** Of this program. */
export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
