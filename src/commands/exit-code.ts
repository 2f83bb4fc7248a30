import type { Command } from "commander";

/** Exit codes, as documented in docs/RELIABILITY.md. */
export const exitCodes = {
  done: 0,
  failures: 1,
  usage: 2,
  /** The provider takes no call of the run: a refused key, no money, a spent quota, an unknown model, every request refused, no connection, no reply for `--give-up-after`. */
  refused: 3,
  /** Of `lamp-eval data audit`, by the gravest grade found. */
  audit: { leaks: 1, suspicions: 16 },
  /** `--batch detach`: batches are out, and the same command collects them. */
  waiting: 4,
  /** An internal error: a mistake of the program itself (sysexits.h, EX_SOFTWARE). */
  internal: 70,
  /** Interrupted: 128 and the number of the signal, as a shell has it. */
  signals: { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 },
  /** Of `lamp-eval gate`, by verdict; `stale-pack` also of `lamp-eval run --replay`. */
  gate: { pass: 0, fail: 10, unsure: 11, "failed-rows": 12, budget: 13, "stale-pack": 14 },
} as const;

const gateCodes = Object.entries(exitCodes.gate).map(([verdict, code]) => `${code} ${verdict}`);

/** Text of `gate --help` on them. */
export const gateExitHelp = `Exit codes:\n${gateCodes.join(", ")},\n${exitCodes.usage} wrong use or other data. UNSURE exits 0 with a warning,\nunless --strict is given.`;

/** A command sets its own exit code here when it is not 0. */
export function setExitCode(command: Command, code: number): void {
  command.setOptionValue("exitCode", code);
}

/** The code that the command that ran has set, itself or below `command`; 0 where none has. */
export function exitCodeOf(command: Command): number {
  const code: unknown = command.getOptionValue("exitCode");
  return typeof code === "number" ? code : Math.max(0, ...command.commands.map(exitCodeOf));
}
