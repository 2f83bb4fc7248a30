import { Command } from "commander";
import { probeToolCalls } from "../agent/probe.js";
import { ModelError, UsageError } from "../errors.js";
import type { Check } from "../extend/doctor/executed.js";
import { checkPlugin } from "../extend/doctor/plugin.js";
import { checkEndpoints, readModelName } from "../models/endpoints.js";
import { openModel } from "../models/index.js";
import { knownSecrets, redactor, withoutUrlSecrets } from "../net/secrets.js";
import { catalogueOf } from "../plan/catalogue.js";
import { readEndpoints } from "../plan/config.js";
import { oneLine } from "../text/file-trouble.js";
import { shellWord } from "../text/words.js";
import type { ModelReply } from "../types/index.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { wrapText } from "./fit-text.js";
import { printJson } from "./json.js";
import { openRequest, runOpened } from "./run-request.js";
import type { Terminal } from "./terminal.js";
import { verify } from "./verify.js";

interface Flags {
  readonly model?: string;
  readonly baseUrl?: string;
  readonly config?: string;
  readonly json?: boolean;
}

/** `lamp-eval doctor [FILE...]`: which keys are set; with `--model` whether it answers; of files, whether plug-ins and programs work. */
export function doctorCommand(io: Terminal): Command {
  const command = new Command("doctor")
    .argument("[files...]", "check these instead: plug-ins (.js, .ts), programs (exec:COMMAND)")
    .option("--model <provider/id>", "ask this model for a word and for a tool call")
    .option("--base-url <url>", "server of the provider, e.g. http://localhost:8000/v1")
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
  const { model, baseUrl } = flags;
  const redact = redactor(knownSecrets(io.env, baseUrl === undefined ? [] : [baseUrl])); // a server may echo the key
  const ofModel = model === undefined ? [] : await checkModel(model, flags, io);
  return [...keyChecks(io), ...ofModel.map((check) => ({ ...check, text: redact.text(check.text) }))];
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

/** Asks a model for a word, and for a tool call. Throws UsageError on a missing key, and on a name or an address that is none. */
async function checkModel(name: string, { baseUrl, config }: Flags, io: Terminal): Promise<Check[]> {
  const { providers } = catalogueOf(io);
  const endpoints = config === undefined ? {} : readEndpoints(config, io);
  checkEndpoints(endpoints, providers);
  const { endpoint, name: maker } = readModelName(name, endpoints, providers);
  const opening = { env: io.env, concurrency: 1, ...(baseUrl === undefined ? {} : { baseUrl }) };
  const model = await openModel(name, opening, providers, endpoints);
  const own = baseUrl === undefined ? "--base-url" : `--base-url ${withoutUrlSecrets(baseUrl)}`;
  const server = endpoint === undefined ? own : `endpoints.${maker}.baseUrl`;
  const answer = await checked("model", server, async (signal) => {
    const { text, usage, stop, model: by } = await model.complete(QUESTION, signal);
    if (text.trim() === "" && stop === "length")
      throw new UsageError(`${by} used up its tokens before it answered; use --set model.answerTokens=4096`);
    const billed = usage.billedUsd === undefined ? "" : `, billed $${usage.billedUsd}`;
    return `it answers ${JSON.stringify(text.slice(0, 40))}, ${usage.in} tokens in, ${usage.out} out${billed} (${by})`;
  });
  if (answer.state === "fail" || model.simulated || !model.capabilities.tools) return [answer];
  const tools = await checked("tools", server, async (signal) => {
    const reply = (request: object): Promise<ModelReply> => model.complete({ ...QUESTION, ...request }, signal);
    await probeToolCalls(model.id, reply);
    return "it calls tools";
  });
  return [answer, tools];
}

/** A model that thinks first may take a while. */
const LONGEST_ANSWER_MS = 60_000;

/** A question that every model can answer, with room for a model that thinks first. */
const QUESTION = {
  messages: [{ role: "user", content: "Is water wet? Answer with one word." }],
  maxTokens: 256,
  sample: 0,
} as const;

/** Returns what came of a call, or what is wrong and what to do. `server`: what names the address, for whoever has to correct it. */
async function checked(name: string, server: string, call: (signal: AbortSignal) => Promise<string>): Promise<Check> {
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  try {
    return { name, state: "ok", text: await call(signal) };
  } catch (error) {
    const failed = (text: string): Check => ({ name, state: "fail", text });
    if (error instanceof UsageError) return { name, state: "warn", text: error.message };
    if (signal.aborted) return failed(`no answer in ${LONGEST_ANSWER_MS / 1000} s; look at the server`);
    if (!(error instanceof ModelError)) throw error;
    const message = oneLine(error.message);
    if (error.status === undefined) return failed(`${message}; start the server, or correct ${server}`);
    return failed(error.retryable ? `${message}; try again later` : message);
  }
}
