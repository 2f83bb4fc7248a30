import { probeToolCalls } from "../agent/probe.js";
import { openEmbedder } from "../embedders/index.js";
import { ModelError, UsageError } from "../errors.js";
import type { Check } from "../extend/doctor/executed.js";
import { checkEndpoints, readModelName } from "../models/endpoints.js";
import { openModel } from "../models/index.js";
import { withoutUrlSecrets } from "../net/secrets.js";
import { catalogueOf } from "../plan/catalogue.js";
import { readEndpoints } from "../plan/config.js";
import { countOf } from "../text/count.js";
import { oneLine } from "../text/file-trouble.js";
import { stripReasoning } from "../text/strip-reasoning.js";
import type { Model, ModelReply, ModelRequest } from "../types/index.js";
import { duration } from "./duration.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly baseUrl?: string;
  readonly config?: string;
}

/** A model that is asked, and how its server is named, for whoever has to correct it. */
interface Asked {
  readonly model: Model;
  readonly server: string;
  readonly now: () => number;
}

/**
 * Asks a model what it can do: a word, a long prompt, a list, tool calls, log-probabilities. Throws UsageError on a missing key, and on a
 * name or an address that is none.
 */
export async function checkModel(name: string, { baseUrl, config }: Flags, io: Terminal): Promise<Check[]> {
  const { providers } = catalogueOf(io);
  const endpoints = config === undefined ? {} : readEndpoints(config, io);
  checkEndpoints(endpoints, providers);
  const { endpoint, name: maker } = readModelName(name, endpoints, providers);
  const opening = { env: io.env, concurrency: 1, ...(baseUrl === undefined ? {} : { baseUrl }) };
  const model = await openModel(name, opening, providers, endpoints);
  const own = baseUrl === undefined ? "--base-url" : `--base-url ${withoutUrlSecrets(baseUrl)}`;
  const server = endpoint === undefined ? own : `endpoints.${maker}.baseUrl`;
  const asked = { model, server, now: io.clock.monotonic };
  const answer = await checked("model", asked, async (complete) => wordText(await complete({})));
  if (answer.state === "fail" || model.simulated) return [answer];
  const { tools, logprobs } = model.capabilities;
  return [
    answer,
    await checked("speed", asked, (complete) => speedText(complete, asked)),
    ...(tools ? [await checked("tools", asked, toolsText)] : []),
    ...(logprobs ? [await checked("logprobs", asked, logprobsText)] : []),
  ];
}

type Complete = (request: Partial<ModelRequest>) => Promise<ModelReply>;

/** A question that every model can answer, with room for a model that thinks first. */
const QUESTION: ModelRequest = {
  messages: [{ role: "user", content: "Is water wet? Answer with one word." }],
  maxTokens: 256,
  sample: 0,
};

function wordText({ text, usage, stop, model: by }: ModelReply): string {
  const visible = stripReasoning(text).trim();
  if (visible === "" && stop === "length")
    throw new UsageError(
      `${by} thinks first and used up its ${QUESTION.maxTokens} tokens before it answered; use --set model.answerTokens=4096, or --set model.effort=none if its server knows that`,
    );
  if (stop === "length")
    throw new UsageError(
      `${by} writes on and does not end its turn (${JSON.stringify(visible.slice(0, 60))}...): a base model has no chat format; use --set openai.api=completions`,
    );
  const billed = usage.billedUsd === undefined ? "" : `, billed $${usage.billedUsd}`;
  const thinks = visible !== text.trim() || (usage.thinking ?? 0) > 0;
  const room = thinks ? "; it thinks first: give it room with --set model.answerTokens=4096" : "";
  return `it answers ${JSON.stringify(visible.slice(0, 40))}, ${usage.in} tokens in, ${usage.out} out${billed} (${by})${room}`;
}

/** Questions of the demo on movie tags, which `rag` asks with prompts of about 600 tokens. */
const DEMO_QUESTIONS = 80;

const LONG_PROMPT = `${"The old river runs slowly past the mill, and the miller counts his sacks of grain. ".repeat(33)}\nWho counts? Answer with one word.`;

async function speedText(complete: Complete, { now }: Asked): Promise<string> {
  const timed = async (content: string, maxTokens: number) => {
    const startMs = now();
    const { usage } = await complete({ messages: [{ role: "user", content }], maxTokens });
    return { usage, seconds: Math.max(0.001, (now() - startMs) / 1000) };
  };
  const long = await timed(LONG_PROMPT, 64);
  const list = await timed("Write the numbers from 1 to 40, separated by commas.", 128);
  const rate = list.usage.out / list.seconds;
  const demo = duration(DEMO_QUESTIONS * long.seconds);
  return `${rate < 10 ? rate.toFixed(1) : Math.round(rate)} tokens a second; a prompt of ${countOf(long.usage.in, "token")} is answered in ${long.seconds.toFixed(1)} s, so rag takes about ${demo} for the ${DEMO_QUESTIONS} questions of the demo, one at a time`;
}

async function toolsText(complete: Complete, { model }: Asked): Promise<string> {
  await probeToolCalls(model.id, complete);
  return "it calls tools";
}

async function logprobsText(complete: Complete): Promise<string> {
  const { logprobs = [] } = await complete({ maxTokens: 8, logprobs: 5 });
  if (logprobs.length > 0) return "it gives log-probabilities";
  throw new UsageError("no log-probabilities came: rums measures by samples then, with more calls");
}

/** Embeds a text. Throws UsageError on a missing key, and on a name or an address that is none. */
export async function checkEmbedder(name: string, baseUrl: string | undefined, io: Terminal): Promise<Check> {
  const embedder = await openEmbedder(name, { env: io.env, cwd: io.cwd, ...(baseUrl && { baseUrl }) });
  const startMs = io.clock.monotonic();
  return tried("embedder", "--base-url (in a run --set embedder.baseUrl)", async () => {
    const [vector] = await embedder.embed(["Is water wet?"]);
    const seconds = (io.clock.monotonic() - startMs) / 1000;
    return `it embeds in ${seconds.toFixed(1)} s, ${countOf(vector?.length ?? 0, "dimension")} (${embedder.id})`;
  });
}

const checked = (
  name: string,
  asked: Asked,
  check: (complete: Complete, asked: Asked) => Promise<string>,
): Promise<Check> =>
  tried(name, asked.server, (signal) =>
    check((request) => asked.model.complete({ ...QUESTION, ...request }, signal), asked),
  );

/** A server without a graphics card may take a while. */
const LONGEST_CHECK_MS = 180_000;

/** Returns what came of a check, or what is wrong and what to do. `server`: what names the address. */
async function tried(name: string, server: string, check: (signal: AbortSignal) => Promise<string>): Promise<Check> {
  const signal = AbortSignal.timeout(LONGEST_CHECK_MS);
  try {
    return { name, state: "ok", text: await check(signal) };
  } catch (error) {
    const failed = (text: string): Check => ({ name, state: "fail", text });
    if (error instanceof UsageError) return { name, state: "warn", text: error.message };
    if (signal.aborted) return failed(`no answer in ${LONGEST_CHECK_MS / 1000} s; look at the server`);
    if (!(error instanceof ModelError)) throw error;
    const message = oneLine(error.message);
    if (error.status === undefined) return failed(`${message}; start the server, or correct ${server}`);
    return failed(error.retryable ? `${message}; try again later` : message);
  }
}
