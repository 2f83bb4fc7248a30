import { Command } from "commander";
import { UsageError } from "../errors.js";
import type { Check } from "../extend/doctor/executed.js";
import { checkPlugin } from "../extend/doctor/plugin.js";
import { knownSecrets, redactor } from "../net/secrets.js";
import { catalogueOf } from "../plan/catalogue.js";
import { shellWord } from "../text/words.js";
import { checkEmbedder, checkModel } from "./doctor-model.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { wrapText } from "./fit-text.js";
import { printJson } from "./json.js";
import { openRequest, runOpened } from "./run-request.js";
import type { Terminal } from "./terminal.js";
import { verify } from "./verify.js";

interface Flags {
  readonly model?: string;
  readonly embedder?: string;
  readonly baseUrl?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `lamp-eval doctor [FILE...]`: which keys are set; with `--model` what that can do, with `--embedder` whether it answers; of files, whether plug-ins and programs work. */
export function doctorCommand(io: Terminal): Command {
  const command = new Command("doctor")
    .argument("[files...]", "check these instead: plug-ins (.js, .ts), programs (exec:COMMAND)")
    .option("--model <provider/id>", "ask this model a few questions: what it can do, and how fast")
    .option("--embedder <provider/id>", "embed a text by this encoder")
    .option("--base-url <url>", "server of the model, or of the encoder alone, e.g. http://localhost:8000/v1")
    .option("--config <file>", "a config whose endpoints hold here too")
    .option("--json", "print JSON");
  return command.action(async (files: readonly string[], { json = false, ...flags }: Flags) => {
    const checks = await (files.length === 0 ? checkHere(flags, io) : checkFiles(files, io));
    const exitCode = checks.some(({ state }) => state === "fail") ? exitCodes.failures : exitCodes.done;
    if (json) printJson(io, "doctor", { checks }, exitCode);
    else io.out(checksText(checks, io));
    setExitCode(command, exitCode);
  });
}

/** Most problems of one check that are printed. */
const LISTED = 5;

/** Formats a line a check, with its first problems below it. */
function checksText(checks: readonly Check[], { outIsTTY = false, columns }: Terminal): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const before = " ".repeat(width + 8);
  return checks
    .map(({ name, state, text, problems = [] }) => {
      const parts = wrapText(text, outIsTTY ? columns - before.length : Number.POSITIVE_INFINITY);
      const more = problems.length > LISTED ? [`... and ${problems.length - LISTED} more`] : [];
      const lines = [...parts, ...problems.slice(0, LISTED), ...more];
      return `${state.padEnd(4)}  ${name.padEnd(width)}  ${lines.join(`\n${before}`)}`;
    })
    .join("\n");
}

async function checkHere(flags: Flags, io: Terminal): Promise<Check[]> {
  const { model, embedder, baseUrl } = flags;
  const redact = redactor(knownSecrets(io.env, baseUrl === undefined ? [] : [baseUrl])); // a server may echo the key
  if (model === undefined && embedder === undefined) return keyChecks(io);
  const ofModel = model === undefined ? [] : await checkModel(model, flags, io);
  const ofEmbedder =
    embedder === undefined ? [] : [await checkEmbedder(embedder, model === undefined ? baseUrl : undefined, io)];
  return [...ofModel, ...ofEmbedder].map((check) => ({ ...check, text: redact.text(check.text) }));
}

/** Executes plug-ins and programs once on made-up data. Sends nothing. */
async function checkFiles(named: readonly string[], io: Terminal): Promise<Check[]> {
  const config = named.find((name) => /^(?!exec:).*\.ya?ml$/i.test(name));
  if (config !== undefined)
    throw new UsageError(`${config}: lamp-eval run --config ${shellWord(config)} --dry-run checks a config`);
  const checks = [];
  const runner = { open: openRequest, run: runOpened, verify };
  for (const name of named) checks.push(...(await checkPlugin(name, io, runner)));
  return checks;
}

/** Returns which keys are set. Their values are never shown. */
const keyChecks = (io: Terminal): Check[] =>
  catalogueOf(io).providers.all.flatMap(({ name: provider, keyVariables = [] }) => {
    if (keyVariables.length === 0) return [];
    const set = keyVariables.filter((variable) => (io.env[variable] ?? "").trim() !== "");
    const name = `key ${provider}`;
    if (set.length > 0) return { name, state: "ok", text: `${set.join(", ")} set` };
    return { name, state: "warn", text: `${keyVariables.join(" or ")} is not set` };
  });
