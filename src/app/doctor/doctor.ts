import { setMaxListeners } from "node:events";
import { resolve } from "node:path";
import { ModelError, UsageError } from "../../errors.js";
import { checkEndpoints, readModelName } from "../../models/endpoints.js";
import { openModel } from "../../models/index.js";
import { type Prices, pricesAt } from "../../models/prices.js";
import { knownSecrets } from "../../net/known.js";
import { redactor } from "../../net/redactor.js";
import { withoutUrlSecrets } from "../../net/url.js";
import { suggest } from "../../registry/registry.js";
import { catalogueOf } from "../../run/catalogue.js";
import type { Io } from "../../run/io.js";
import { oneLine } from "../../text/file-trouble.js";
import type { Model, ModelReply, ModelRequest } from "../../types/index.js";
import { readConfig, withPrices } from "../../run/plan/config.js";
import type { RunConfig } from "../../run/plan/settings.js";
import { type Check, checkMachine } from "./machine.js";

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
}

/** Looks at this machine and, where one is named, asks a model one small question. Throws UsageError on a name or an address that is none. */
export async function doctor(settings: DoctorSettings, io: Io): Promise<readonly Check[]> {
  const { model, baseUrl } = settings;
  const machine = await checkMachine({ offline: settings.offline === true }, io);
  if (model === undefined) return machine;
  const redact = redactor(knownSecrets(io.env, baseUrl === undefined ? [] : [baseUrl]).values); // a server may echo the key
  return [...machine, ...(await checkModel(model, settings, io)).map((check) => redact.json({ ...check }))];
}

async function checkModel(name: string, settings: DoctorSettings, io: Io): Promise<Check[]> {
  const { baseUrl } = settings;
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
  const price = priceCheck(name, pricesAt(io.clock.now(), typeof own === "object" ? own : [], endpoints));
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
  const checks: Check[] = [];
  for (const one of model.servers ?? [model]) {
    const { state, text } = await askOnce(one, modelId, server);
    checks.push({ name: "model", state, text: one.address === undefined ? text : `${one.address}: ${text}` });
  }
  const seen = [...limits].map(
    ([header, value]): Check => ({ name: "limit", state: "ok", text: `${header}: ${value}` }),
  );
  return [...checks, price, ...seen];
}

/** Headers that tell what an account may send. */
const LIMIT_HEADER = /ratelimit|rate-limit|^retry-after/i;

/** A model that thinks first may take a while. */
const LONGEST_ANSWER_MS = 60_000;

/** A question that every model can answer, with room for a model that thinks first. */
const QUESTION: ModelRequest = {
  messages: [{ role: "user", content: "Is water wet? Answer with one word." }],
  maxTokens: 256,
  sample: 0,
};

/** Sends the small question once. `server`: what names the address, for whoever has to correct it. */
async function askOnce(model: Model, modelId: string, server: string): Promise<Omit<Check, "name">> {
  const signal = AbortSignal.timeout(LONGEST_ANSWER_MS);
  setMaxListeners(0, signal);
  try {
    const reply = await model.complete(QUESTION, signal);
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

/** `"yes", 12 tokens in, 1 out`. */
const shown = ({ text, usage }: ModelReply): string =>
  `${JSON.stringify(text.slice(0, 40))}, ${usage.in} tokens in, ${usage.out} out${usage.estimated === true ? " (estimated: the server counts none)" : ""}${usage.billedUsd === undefined ? "" : `, billed $${usage.billedUsd}`}`;

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
