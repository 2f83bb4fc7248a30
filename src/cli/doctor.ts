import { createInterface } from "node:readline/promises";
import { Command } from "commander";
import { doctor } from "../app/doctor/doctor.js";
import type { Check } from "../app/doctor/machine.js";
import { UsageError } from "../errors.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";
import { wrapText } from "./text/wrap.js";

interface Flags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly config?: string;
  readonly prices?: string;
  readonly offline?: boolean;
  readonly paid?: boolean;
  readonly yes?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/** `lamp-eval doctor`: what works here and what does not; with `--model` whether that model answers. */
export function doctorCommand(io: Terminal): Command {
  const command = new Command("doctor")
    .option("--model <provider/id>", "ask this model one small question, and show its price")
    .option("--base-url <url>", "server of the provider, e.g. http://localhost:8000/v1")
    .option("--config <file>", "a config whose endpoints and prices hold here too")
    .option("--prices <file>", "prices of your own, which come before the list")
    .option("--paid", "send some more calls (less than $0.10; asks first) and say which parameters the endpoint takes")
    .option("--yes", "with --paid: do not ask")
    .option("--out <file>", "write what was found to this file, without keys")
    .option("--offline", "do not try Wikipedia")
    .option("--json", "print JSON")
    .action(async ({ yes = false, json = false, ...flags }: Flags) => {
      const { checks, file } = await doctor({ ...flags, confirm: (question) => confirm(question, yes, io) }, io);
      io.out(
        json ? JSON.stringify({ checks, file }, undefined, 2) : checkText(checks, io.outIsTTY ? io.columns : undefined),
      );
      if (file !== undefined && !json) io.err(`written to ${file}, without keys`);
      if (checks.some(({ state }) => state === "fail")) setExitCode(command, exitCodes.failures);
    });
  return command;
}

/** Where nobody can be asked, silence is no consent. */
async function confirm(question: string, yes: boolean, io: Terminal): Promise<boolean> {
  if (yes) return true;
  if (!io.isTTY || process.stdin.isTTY !== true) throw new UsageError(`--paid: ${question} say so with --yes`);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

/** The state of checks as a table of a terminal of so many columns: a long text goes on below its begin. Without `columns` a check is one line. */
export const checkText = (checks: readonly Check[], columns = Number.POSITIVE_INFINITY): string => {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const before = " ".repeat(STATE + width + 4);
  return checks
    .map(({ name, state, text }) => {
      const lines = wrapText(text, columns - before.length);
      return `${state.padEnd(STATE)}  ${name.padEnd(width)}  ${lines.join(`\n${before}`)}`;
    })
    .join("\n");
};

/** The longest state, `skipped`. */
const STATE = 7;
