import { knownSecrets } from "../../net/known.js";
import { RunFolder } from "../../run/folder.js";
import type { Io } from "../../run/io.js";
import { execute } from "./execute.js";
import { type Prepared, prepare } from "./prepare.js";
import type { RunResult } from "./result.js";
import type { RunRequest } from "./settings.js";
import type { HandOut } from "./work.js";

export { runFiles } from "../../run/run-files.js";
export type { RunRequest } from "./settings.js";

/**
 * Runs methods on tasks, or resumes where the folder holds a part of the same run, and writes the tables. Throws UsageError
 * before the first call where something is wrong with the request; a run that begins ends as `ended` says. `handOut`: how workers
 * are reached.
 */
export async function run(request: RunRequest, io: Io, handOut?: HandOut): Promise<RunResult> {
  return runPrepared(await prepare(request, io), handOut);
}

/** The same for a run that is planned. */
export async function runPrepared(prepared: Prepared, handOut?: HandOut): Promise<RunResult> {
  const { folder, stops, settings, io } = prepared;
  const home = new RunFolder(folder, {
    now: () => io.clock.now(),
    onLost: (error) => stops.stop.abort(error),
    secrets: knownSecrets(io.env).values,
  });
  const settle = stops.drainWithin(settings.drainSeconds * 1000);
  try {
    return await execute(prepared, home, handOut);
  } finally {
    settle();
    home.close();
  }
}
