import { Command } from "commander";
import { doctor } from "../app/doctor/doctor.js";
import type { Check } from "../app/doctor/machine.js";
import { checkPlugin } from "../app/doctor/plugin.js";
import { UsageError } from "../errors.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";
import { wrapText } from "./wrap.js";

interface Flags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly config?: string;
  readonly prices?: string;
  readonly offline?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval doctor [FILE...]`: what works here; with `--model` whether that model answers; of files, whether plug-ins and programs work. */
export function doctorCommand(io: Terminal): Command {
  const command = new Command("doctor")
    .argument("[files...]", "check these instead: plug-ins (.js, .ts, packages), programs (exec:COMMAND)")
    .option("--model <provider/id>", "ask this model one small question, and show its price")
    .option("--base-url <url>", "server of the provider, e.g. http://localhost:8000/v1")
    .option("--config <file>", "a config whose endpoints and prices hold here too")
    .option("--prices <file>", "your own prices; they come before the built-in list")
    .option("--offline", "do not try Wikipedia or the hub of encoders")
    .option("--json", "print JSON")
    .action(async (files: readonly string[], flags: Flags) => {
      setExitCode(command, await (files.length === 0 ? checkHere(flags, io) : checkFiles(files, flags, io)));
    });
  return command;
}

async function checkHere({ json = false, ...flags }: Flags, io: Terminal): Promise<number> {
  const checks = await doctor(flags, io);
  io.out(json ? JSON.stringify({ checks }, undefined, 2) : checkText(checks, io.outIsTTY ? io.columns : undefined));
  return checks.some(({ state }) => state === "fail") ? exitCodes.failures : exitCodes.done;
}

/** Plug-ins and programs by trials on made-up data. Sends nothing. */
async function checkFiles(
  named: readonly string[],
  { json = false, ...ofMachine }: Flags,
  io: Terminal,
): Promise<number> {
  const other = Object.keys(ofMachine).find((flag) => flag !== "plugin");
  if (other !== undefined) throw new UsageError(`--${other}: checks the machine, not files; leave out one of them`);
  const config = named.find((name) => /^(?!exec:).*\.ya?ml$/i.test(name));
  if (config !== undefined)
    throw new UsageError(`${config}: lamp-eval run --config ${config} --dry-run checks a config`);
  const plugins = [];
  for (const name of named) plugins.push(await checkPlugin(name, io));
  if (json) io.out(JSON.stringify({ plugins: plugins.map(({ text: _, ...plugin }) => plugin) }, undefined, 2));
  else for (const tested of plugins) io.out(tested.text);
  return plugins.every(({ passed }) => passed) ? exitCodes.done : exitCodes.failures;
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
