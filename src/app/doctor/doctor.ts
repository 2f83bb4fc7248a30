import { setMaxListeners } from "node:events";
import { relative, resolve } from "node:path";
import { catalogueOf } from "../../catalogue.js";
import { writeWhole } from "../../disk/whole-file.js";
import { ModelError, UsageError } from "../../errors.js";
import { checkEndpoints, readModelName } from "../../models/endpoints.js";
import { openModel } from "../../models/index.js";
import { type Prices, pricesAt } from "../../models/prices.js";
import { suggest } from "../../registry.js";
import { knownSecrets } from "../../secrets/known.js";
import { redactor } from "../../secrets/redactor.js";
import { withoutUrlSecrets } from "../../secrets/url.js";
import { oneLine } from "../../text/file-trouble.js";
import type { Json, Model } from "../../types.js";
import { timestamp } from "../common/timestamp.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { readConfig, withPrices } from "../run/config/config-file.js";
import type { RunConfig } from "../run/settings.js";
import { type Check, checkMachine } from "./machine.js";
import { MOST_CALLS, MOST_USD, probeModel, shown, smallQuestion } from "./probes.js";

interface DoctorSettings {
  /** `provider/model-id`. Absent: this machine alone is looked at. */
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** A config whose `endpoints` and `prices` hold here too. */
  readonly config?: string | undefined;
  /** A file of own prices. */
  readonly prices?: string | undefined;
  /** Asks nothing of Wikipedia. */
  readonly offline?: boolean | undefined;
  /** Sends some more calls, of less than ten cents in all, once `confirm` says so. */
  readonly paid?: boolean | undefined;
  /** Asked before more than the one small question is sent. */
  confirm(question: string): Promise<boolean>;
  /** Writes what was found to this file. Absent: nothing is written. */
  readonly out?: string | undefined;
}

interface Diagnosis {
  readonly checks: readonly Check[];
  /** The file that was written. */
  readonly file: string | undefined;
}

/**
 * Looks at this machine and, where one is named, asks a model one small question. Throws UsageError on a name or an address that is
 * none, and where `confirm` cannot ask.
 */
export async function doctor(settings: DoctorSettings, io: Io): Promise<Diagnosis> {
  const { model: name, paid = false, baseUrl, out } = settings;
  if (name === undefined && paid) throw new UsageError("--paid: name the model to ask, e.g. --model openai/gpt-6-luna");
  const machine = await checkMachine({ offline: settings.offline === true }, io);
  const { checks: ofModel, facts } = name === undefined ? NO_MODEL : await checkModel(name, settings, io);
  const redact = redactor(knownSecrets(io.env, baseUrl === undefined ? [] : [baseUrl]).values); // a server may echo the key
  const checks = [...machine, ...ofModel.map((check) => redact.json({ ...check }))];
  if (out === undefined) return { checks, file: undefined };
  const found = { lampEval: version(), node: io.node, at: timestamp(io), ...facts, checks };
  writeWhole(resolve(io.cwd, out), `${redact.text(JSON.stringify(found, null, 2))}\n`, { shared: true });
  return { checks, file: relative(io.cwd, resolve(io.cwd, out)) };
}

interface ModelDiagnosis {
  readonly checks: readonly Check[];
  readonly facts: Readonly<Record<string, Json>>;
}

const NO_MODEL: ModelDiagnosis = { checks: [], facts: {} };

async function checkModel(name: string, settings: DoctorSettings, io: Io): Promise<ModelDiagnosis> {
  const { baseUrl, paid = false, confirm } = settings;
  const { providers, tasks } = catalogueOf(io);
  const { endpoints = {}, prices: own }: RunConfig = Object.assign(
    {},
    ...(settings.config === undefined
      ? []
      : readConfig(resolve(io.cwd, settings.config), `--config ${settings.config}`, tasks)),
    settings.prices === undefined ? {} : withPrices({ prices: settings.prices }, io.cwd, "--prices"),
  );
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
  const prices = pricesAt(io.clock.now(), typeof own === "object" ? own : [], endpoints);
  let model: Model;
  try {
    model = await openModel(name, opening, providers, endpoints);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    model = await openModel(name, { ...opening, sendsNothing: true }, providers, endpoints); // a wrong name or address throws again
    return { checks: [{ name: "model", state: "fail", text: oneLine(error) }, priceCheck(name, prices)], facts: {} };
  }
  const given = baseUrl === undefined ? undefined : withoutUrlSecrets(baseUrl);
  const server = endpoint === undefined ? given && `--base-url ${given}` : `endpoints.${maker}.baseUrl`;
  const checks: Check[] = [];
  for (const one of model.servers ?? [model]) {
    const { state, text } = await askOnce(one, modelId, server ?? "--base-url where the server is your own");
    checks.push({ name: "model", state, text: one.address === undefined ? text : `${one.address}: ${text}` });
  }
  checks.push(priceCheck(name, prices));
  const answers = checks.every(({ state }) => state !== "fail");
  if (paid && answers) {
    const price = prices.ofCall(name, { in: 1, out: 1 });
    const most = price === undefined ? "whose price is not known" : `for less than $${MOST_USD.toFixed(2)}`;
    const agreed = await confirm(`this sends up to ${MOST_CALLS} short calls to ${name}, ${most}; go on?`);
    const refused: Check = { name: "probes", state: "skipped", text: "you did not agree: no more calls were sent" };
    checks.push(...(agreed ? await probeModel(model, (usage) => prices.ofCall(name, usage)) : [refused]));
  }
  for (const [header, value] of limits) checks.push({ name: "limit seen", state: "ok", text: `${header}: ${value}` });
  const { capabilities } = model;
  return { checks, facts: { model: name, ...(given && { baseUrl: given }), capabilities: { ...capabilities } } };
}

/** Headers that tell what an account may send. */
const LIMIT_HEADER = /ratelimit|rate-limit|^retry-after/i;

/** A model that thinks first may take a while. */
const LONGEST_ANSWER_MS = 60_000;

/** Sends the small question once. `server`: what names the address, for whoever has to correct it. */
async function askOnce(model: Model, modelId: string, server: string): Promise<Omit<Check, "name">> {
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  setMaxListeners(0, signal);
  try {
    const reply = await model.complete(smallQuestion(), signal);
    if (reply.text.trim() !== "" || reply.stop !== "length")
      return { state: reply.text.trim() === "" ? "warn" : "ok", text: `it answers ${shown(reply)} (${reply.model})` };
    const fix = "give thinking room with --set model.answerTokens=4096, or --set model.effort=low";
    return { state: "warn", text: `${reply.model} used up its tokens before it answered; ${fix}` };
  } catch (error) {
    const late = signal.aborted && error === signal.reason;
    if (late) return { state: "fail", text: `no answer in ${LONGEST_ANSWER_MS / 1000} s; look at the server` };
    if (!(error instanceof ModelError)) throw error;
    const { message, retryable, status } = error;
    if (status === undefined)
      return { state: "fail", text: `${oneLine(message)}; start the server, or correct ${server}` };
    const listed = status === 404 ? ((await model.listed?.(signal)) ?? []) : [];
    const names = listed.length === 0 ? "" : `; it serves ${listed.slice(0, MOST_NAMED).join(", ")}`;
    const fix = retryable ? "; try again later" : `${suggest(modelId, listed) || names}`;
    return { state: "fail", text: `${oneLine(message)}${fix}` };
  }
}

/** Models in a message. */
const MOST_NAMED = 5;

function priceCheck(name: string, prices: Prices): Check {
  const [input, output] = [prices.ofCall(name, { in: 1000, out: 0 }), prices.ofCall(name, { in: 0, out: 1000 })];
  if (input === undefined || output === undefined)
    return { name: "price", state: "warn", text: "unknown: tables show no cost, and --max-usd needs --prices" };
  const dollars = (usd: number): string => `$${Number((usd * 1000).toPrecision(3))}`;
  return {
    name: "price",
    state: "ok",
    text: `${dollars(input)} in, ${dollars(output)} out a million tokens, by the list`,
  };
}
