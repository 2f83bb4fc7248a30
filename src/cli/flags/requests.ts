import { PILOT_USERS, type RunRequest } from "../../app/run/run.js";
import { UsageError } from "../../errors.js";
import type { RunFlags } from "./run-flags.js";

/** What the flags ask for, with one config at most. */
export function requestOf(flags: RunFlags): RunRequest {
  const [request, ...more] = requestsOf(flags);
  if (request === undefined || more.length > 0)
    throw new UsageError("--config: several only with --dry-run; give a command for each (--purse shares one cap)");
  return request;
}

/** The same for each config. */
export function requestsOf(all: RunFlags): RunRequest[] {
  const { dryRun: _, json: __, report: ___, plugin: ____, set, config = [undefined], pilot, ...flags } = all;
  const users = pilot === true ? PILOT_USERS : pilot;
  return config.map((file) => ({
    ...flags,
    ...(file === undefined ? {} : { config: file }),
    ...(users === undefined ? {} : { pilot: users }),
    options: set,
  }));
}
