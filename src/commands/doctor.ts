import { setMaxListeners } from "node:events";
import { resolve } from "node:path";
import { Command } from "commander";
import { ModelError, UsageError } from "../errors.js";
import { checkPlugin } from "../extend/doctor/plugin.js";
import { checkEndpoints, readModelName } from "../models/endpoints.js";
import { openModel } from "../models/index.js";
import { givePrice, type Prices, pricesAt } from "../models/prices.js";
import { knownSecrets, redactor, withoutUrlSecrets } from "../net/secrets.js";
import { suggest } from "../registry/registry.js";
import { catalogueOf } from "../run/catalogue.js";
import { readConfig, withPrices } from "../run/plan/config.js";
import type { RunConfig } from "../run/plan/settings.js";
import { oneLine } from "../text/file-trouble.js";
import type { Model, ModelReply } from "../types/index.js";
import { type Check, checkMachine } from "./doctor-machine.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { wrapText } from "./fit-text.js";
import { openRequest, runWorld } from "./run-request.js";
import type { Terminal } from "./terminal.js";
import { verify } from "./verify.js";

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
    .option("--offline", "do not try Wikipedia")
    .option("--json", "print JSON");
  return command.action(async (files: readonly string[], { json = false, ...flags }: Flags) => {
    const isSound = await (files.length === 0 ? checkHere(flags, json, io) : checkFiles(files, flags, json, io));
    if (!isSound) setExitCode(command, exitCodes.failures);
  });
}

async function checkHere(flags: Flags, json: boolean, io: Terminal): Promise<boolean> {
  const { model, baseUrl, offline = false } = flags;
  const redact = redactor(knownSecrets(io.env, baseUrl === undefined ? [] : [baseUrl])); // a server may echo the key
  const machine = await checkMachine(offline, io);
  const ofModel = model === undefined ? [] : await checkModel(model, flags, io);
  const checks = [...machine, ...ofModel.map((check) => redact.json({ ...check }))];
  io.out(json ? JSON.stringify({ checks }, undefined, 2) : checkText(checks, io.outIsTTY ? io.columns : undefined));
  return checks.every(({ state }) => state !== "fail");
}

/** Plug-ins and programs, executed once on made-up data. Sends nothing. */
async function checkFiles(named: readonly string[], flags: Flags, json: boolean, io: Terminal): Promise<boolean> {
  const other = Object.keys(flags).find((flag) => flag !== "plugin");
  if (other !== undefined) throw new UsageError(`--${other}: checks the machine, not files; leave out one of them`);
  const config = named.find((name) => /^(?!exec:).*\.ya?ml$/i.test(name));
  if (config !== undefined)
    throw new UsageError(`${config}: lamp-eval run --config ${config} --dry-run checks a config`);
  const plugins = [];
  for (const name of named) plugins.push(await checkPlugin(name, io, { open: openRequest, run: runWorld, verify }));
  if (json) io.out(JSON.stringify({ plugins: plugins.map(({ text: _, ...plugin }) => plugin) }, undefined, 2));
  else for (const tested of plugins) io.out(tested.text);
  return plugins.every(({ passed }) => passed);
}

/** The state of checks as a table of a terminal of so many columns: a long text goes on below its begin. Without `columns` a check is one line. */
export function checkText(checks: readonly Check[], columns = Number.POSITIVE_INFINITY): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const before = " ".repeat("skipped".length + width + 4);
  return checks
    .map(({ name, state, text }) => {
      const lines = wrapText(text, columns - before.length);
      return `${state.padEnd("skipped".length)}  ${name.padEnd(width)}  ${lines.join(`\n${before}`)}`;
    })
    .join("\n");
}

/** Asks a model one small question. Throws UsageError on a name or an address that is none. */
async function checkModel(name: string, { baseUrl, config, prices: file }: Flags, io: Terminal): Promise<Check[]> {
  const { providers, tasks } = catalogueOf(io);
  const layers = config === undefined ? [] : readConfig(resolve(io.cwd, config), `--config ${config}`, tasks);
  const own = file === undefined ? {} : withPrices({ prices: file }, io.cwd, "--prices");
  const { endpoints = {}, prices }: RunConfig = Object.assign({}, ...layers, own);
  checkEndpoints(endpoints, providers);
  const { modelId, endpoint, name: maker } = readModelName(name, endpoints, providers);
  const limits = new Map<string, string>();
  const opening = {
    env: io.env,
    concurrency: 1,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    onResponse(_status: number, headers: Headers) {
      for (const [header, value] of headers) if (LIMIT_HEADER.test(header)) limits.set(header, value);
    },
  };
  const price = priceCheck(name, pricesAt(io.clock.now(), typeof prices === "object" ? prices : [], endpoints));
  let model: Model;
  try {
    model = await openModel(name, opening, providers, endpoints);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    await openModel(name, { ...opening, sendsNothing: true }, providers, endpoints); // a wrong name or address throws again
    return [{ name: "model", state: "fail", text: oneLine(error) }, price];
  }
  const given =
    baseUrl === undefined ? "--base-url where the server is your own" : `--base-url ${withoutUrlSecrets(baseUrl)}`;
  const server = endpoint === undefined ? given : `endpoints.${maker}.baseUrl`;
  const [state, text] = await askOnce(model, modelId, server);
  const seen = [...limits].map(
    ([header, value]): Check => ({ name: "limit", state: "ok", text: `${header}: ${value}` }),
  );
  return [{ name: "model", state, text }, price, ...seen];
}

/** Headers that tell what an account may send. */
const LIMIT_HEADER = /ratelimit|rate-limit|^retry-after/i;

/** A model that thinks first may take a while. */
const LONGEST_ANSWER_MS = 60_000;

/** A question that every model can answer, with room for a model that thinks first. */
const QUESTION = {
  messages: [{ role: "user", content: "Is water wet? Answer with one word." }],
  maxTokens: 256,
  sample: 0,
} as const;

/** Sends the small question once. `server`: what names the address, for whoever has to correct it. */
async function askOnce(model: Model, modelId: string, server: string): Promise<[Check["state"], string]> {
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  setMaxListeners(0, signal);
  try {
    const reply = await model.complete(QUESTION, signal);
    const isEmpty = reply.text.trim() === "";
    if (!isEmpty || reply.stop !== "length") return [isEmpty ? "warn" : "ok", `it answers ${replyText(reply)}`];
    const fix = "give thinking room with --set model.answerTokens=4096, or --set model.effort=low";
    return ["warn", `${reply.model} used up its tokens before it answered; ${fix}`];
  } catch (error) {
    if (signal.aborted && error === signal.reason)
      return ["fail", `no answer in ${LONGEST_ANSWER_MS / 1000} s; look at the server`];
    if (!(error instanceof ModelError)) throw error;
    const { retryable, status } = error;
    const message = oneLine(error.message);
    if (status === undefined) return ["fail", `${message}; start the server, or correct ${server}`];
    if (retryable) return ["fail", `${message}; try again later`];
    const listed = status === 404 ? ((await model.listed?.(signal)) ?? []) : [];
    const names = listed.length === 0 ? "" : `; it serves ${listed.slice(0, MOST_NAMED).join(", ")}`;
    return ["fail", `${message}${suggest(modelId, listed) || names}`];
  }
}

/** Models in a message. */
const MOST_NAMED = 5;

/** `"yes", 12 tokens in, 1 out (model-id)`. */
function replyText({ text, usage, model }: ModelReply): string {
  const estimated = usage.estimated === true ? " (estimated: the server counts none)" : "";
  const billed = usage.billedUsd === undefined ? "" : `, billed $${usage.billedUsd}`;
  return `${JSON.stringify(text.slice(0, 40))}, ${usage.in} tokens in, ${usage.out} out${estimated}${billed} (${model})`;
}

function priceCheck(name: string, prices: Prices): Check {
  const [input, output] = [prices.ofCall(name, { in: 1000, out: 0 }), prices.ofCall(name, { in: 0, out: 1000 })];
  if (input === undefined || output === undefined)
    return {
      ...{ name: "price", state: "warn" },
      text: `unknown: tables show no cost, and --max-usd is refused; ${givePrice(name)}`,
    };
  const dollars = (usd: number): string => `$${Number((usd * 1000).toPrecision(3))}`;
  const text = `${dollars(input)} in, ${dollars(output)} out a million tokens, by the list`;
  return { name: "price", state: "ok", text };
}
