import { setMaxListeners } from "node:events";
import { relative, resolve } from "node:path";
import { type Catalogue, catalogueOf } from "../../catalogue.js";
import { writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { addressesOf, checkEndpoints, readModelName } from "../../models/endpoints.js";
import { openModel } from "../../models/index.js";
import { type Prices, pricesAt } from "../../models/prices.js";
import { knownSecrets } from "../../secrets/known.js";
import { redactor } from "../../secrets/redactor.js";
import { withoutUrlSecrets } from "../../secrets/url.js";
import { oneLine } from "../../text/one-line.js";
import type { Json, Look, Model } from "../../types.js";
import { timestamp } from "../common/timestamp.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { type RunConfig, readConfig, withPrices } from "../run/config/config-file.js";
import type { Check } from "./check.js";
import { checkMachine } from "./machine.js";
import { MOST_CALLS, MOST_USD, probeModel } from "./probes.js";

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
  /** Sends some real calls, of less than ten cents in all, once `confirm` says so. */
  readonly paid?: boolean | undefined;
  /** Asked before anything is sent that may cost. */
  confirm(question: string): Promise<boolean>;
  /** The file of what was found of a model. Default: `doctor-<model>.json`. */
  readonly out?: string | undefined;
}

interface Diagnosis {
  readonly checks: readonly Check[];
  /** The file that can be sent to the project; undefined where no model was asked. */
  readonly file: string | undefined;
}

/**
 * Looks at this machine and, where one is named, at a model: without cost, unless real calls are asked for and confirmed. A key
 * that is missing is found, and what can be told without it is told. Throws UsageError on a name or an address that is none.
 */
export async function doctor(settings: DoctorSettings, io: Io): Promise<Diagnosis> {
  const { model: name, paid = false, baseUrl } = settings;
  if (name === undefined && paid) throw new UsageError("--paid: name the model to ask, e.g. --model openai/gpt-6-luna");
  const machine = await checkMachine({ offline: settings.offline === true }, io);
  if (name === undefined) return { checks: machine, file: undefined };
  const { checks, facts } = await checkModel(name, settings, io);
  const out = settings.out ?? `doctor-${name.replaceAll(/[^\w.-]+/g, "-")}.json`;
  const found = { lampEval: version(), node: io.node, at: timestamp(io), model: name, ...facts };
  const redact = redactor(knownSecrets(io.env, baseUrl === undefined ? [] : [baseUrl]).values);
  writeWhole(resolve(io.cwd, out), `${redact.text(JSON.stringify(found, null, 2))}\n`, { shared: true });
  const shown = checks.map((check) => ({ ...check, text: redact.text(check.text) })); // a server may echo the key
  return { checks: [...machine, ...shown], file: relative(io.cwd, resolve(io.cwd, out)) };
}

interface ModelDiagnosis {
  readonly checks: readonly Check[];
  readonly facts: Readonly<Record<string, Json>>;
}

async function checkModel(name: string, settings: DoctorSettings, io: Io): Promise<ModelDiagnosis> {
  const { baseUrl, paid = false, confirm } = settings;
  const { providers, tasks } = catalogueOf(io);
  const { endpoints = {}, prices: own } = doctorConfig(settings, io, tasks);
  checkEndpoints(endpoints, providers);
  const { provider, modelId, endpoint, name: maker } = readModelName(name, endpoints, providers);
  const limits = new Map<string, string>();
  const opening = {
    env: io.env,
    concurrency: 1,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    onResponse(_status: number, headers: Headers) {
      for (const [header, value] of headers) if (LIMIT_HEADER.test(header)) limits.set(header, value);
    },
  };
  const { model, missing } = await openedModel((more) =>
    openModel(name, { ...opening, ...more }, providers, endpoints),
  );
  const prices = pricesAt(io.clock.now(), typeof own === "object" ? own : []);
  const checks: Check[] = [
    missing === undefined
      ? { name: "model", state: "ok", text: `${name} can be asked` }
      : { name: "model", state: "fail", text: missing },
    priceCheck(name, prices),
    ...(missing === undefined ? [] : [NOT_ASKED]),
  ];
  const { signal } = new AbortController();
  setMaxListeners(0, signal); // every call listens to it
  const looks: Look[] = [];
  const addresses = endpoint === undefined ? [baseUrl] : addressesOf(endpoint);
  for (const address of missing === undefined ? addresses : []) {
    const { keyEnv, api, quirks } = endpoint ?? {};
    const named = { name: maker, keyEnv: keyEnv ?? (address === undefined ? undefined : ""), api, quirks };
    const at = { ...opening, ...(address === undefined ? {} : { baseUrl: address }) };
    looks.push(
      ...((await provider.look?.(modelId, { ...at, ...(endpoint === undefined ? {} : { endpoint: named }) }, signal)) ??
        []),
    );
  }
  for (const { name: what, state, text } of looks) checks.push({ name: what, state, text });
  const question = `this sends up to ${MOST_CALLS} short calls to ${name}, ${prices.ofCall(name, { in: 1, out: 1 }) === undefined ? "whose price is not known" : `for less than $${MOST_USD.toFixed(2)}`}; go on?`;
  const agreed = paid && missing === undefined && (await confirm(question));
  const probed = agreed
    ? await probeModel(model, { price: (usage) => prices.ofCall(name, usage), signal })
    : { checks: [], findings: [], usd: 0 };
  checks.push(...probed.checks);
  if (paid && !agreed && missing === undefined)
    checks.push({ name: "probes", state: "skipped", text: "not agreed to: nothing was sent that costs" });
  if (agreed)
    checks.push({ name: "spent", state: "ok", text: `$${probed.usd.toFixed(4)} as billed, or by the list of prices` });
  for (const [header, value] of limits) checks.push({ name: "limit seen", state: "ok", text: `${header}: ${value}` });
  return {
    checks,
    facts: {
      ...(baseUrl === undefined ? {} : { baseUrl: withoutUrlSecrets(baseUrl) }),
      capabilities: { ...model.capabilities },
      looks: looks.map(({ name: what, state, text, said }) => ({ name: what, state, text, said: said ?? null })),
      probes: [...probed.findings],
      limits: Object.fromEntries(limits),
    },
  };
}

/** What of a model is asked with its key alone. */
const NOT_ASKED: Check = {
  name: "endpoint",
  state: "skipped",
  text: "its record, token count and probes need the key",
};

interface OpenedModel {
  readonly model: Model;
  /** Why it cannot be asked. */
  readonly missing: string | undefined;
}

/** The model, also where a key or a login is all that is missing. Throws UsageError where it cannot be opened for other reasons. */
async function openedModel(open: (more: { readonly sendsNothing?: true }) => Promise<Model>): Promise<OpenedModel> {
  try {
    return { model: await open({}), missing: undefined };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { model: await open({ sendsNothing: true }), missing: oneLine(error) };
  }
}

/** What a config, and a file of prices before it, say of servers and prices. */
function doctorConfig({ config, prices }: DoctorSettings, io: Io, tasks: Catalogue["tasks"]): RunConfig {
  const layers = config === undefined ? [] : readConfig(resolve(io.cwd, config), `--config ${config}`, tasks);
  const flags = prices === undefined ? [] : [withPrices({ prices }, io.cwd, "--prices")];
  return Object.assign({}, ...layers, ...flags) as RunConfig;
}

/** Headers that tell what an account may send. */
const LIMIT_HEADER = /ratelimit|rate-limit|^retry-after/i;

function priceCheck(name: string, prices: Prices): Check {
  const [input, output] = [
    { in: 1000, out: 0 },
    { in: 0, out: 1000 },
  ].map((usage) => prices.ofCall(name, usage));
  if (input === undefined || output === undefined)
    return { name: "price", state: "warn", text: "not known: costs are a dash, and --max-usd needs --prices" };
  const dollars = (usd: number): string => `$${Number((usd * 1000).toPrecision(3))}`;
  return {
    name: "price",
    state: "ok",
    text: `${dollars(input)} in, ${dollars(output)} out a million tokens, by the list`,
  };
}
