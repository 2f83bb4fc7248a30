import http from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import { ModelError } from "../../../src/errors.js";
import { requestKey } from "../../../src/log/entry.js";
import { anthropic } from "../../../src/models/providers/anthropic/index.js";
import { bedrock } from "../../../src/models/providers/bedrock/index.js";
import { openai } from "../../../src/models/providers/openai/index.js";
import { withDeadline } from "../../../src/net/deadline.js";
import { seeded } from "../../../src/random/seeded.js";
import type { Message, Model, ModelReply, ModelRequest } from "../../../src/types/index.js";
import { intact, mutated, type Served } from "./mutate.js";
import { validReplies, type Wire } from "./valid.js";

interface FuzzCounts {
  replies: number;
  accepted: number;
  refused: number;
  /** Of the accepted: usage that was estimated. */
  estimated: number;
}

export interface FuzzResult extends FuzzCounts {
  /** What must not be: anything but a ModelError, nonsense accepted, a call that never ended, a valid reply refused. */
  readonly offences: readonly string[];
}

/**
 * Sends `count` calls of one wire through the real client to a local server that answers each with a spoilt reply (every
 * 50th with an intact one), the same ones for the same `seed`.
 */
export async function fuzzReplies(wire: Wire, count: number, seed: string): Promise<FuzzResult> {
  const counts: FuzzCounts = { replies: 0, accepted: 0, refused: 0, estimated: 0 };
  const offences: string[] = [];
  const replyTo = (number: number): Served => {
    const random = seeded(`${seed}/${wire}/${number}`);
    const valid = validReplies[wire][random.below(validReplies[wire].length)]!;
    return number % INTACT_EACH === 0 ? intact(valid) : mutated(valid, random);
  };
  const server = await serve(replyTo);
  const model = await openWire(wire, server.url);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const number = next++;
      const offence = await judged(model, number, counts);
      counts.replies++;
      if (offence !== undefined) offences.push(`${seed}/${wire}/${number}: ${offence}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  await server.close();
  return { ...counts, offences };
}

/** The first thing in an accepted reply that is no reply. */
export function nonsenseIn(reply: ModelReply): string | undefined {
  const { text, toolCalls, usage, logprobs, model } = reply;
  const { estimated, ...tokens } = usage;
  const checks: readonly [string, boolean][] = [
    ["text", isText(text)],
    ["model", isText(model)],
    ["tool calls", toolCalls.every(({ id, name }) => isText(id) && id !== "" && isText(name) && name !== "")],
    ["tool arguments", toolCalls.every((call) => isText(call.arguments) || isObject(call.arguments))],
    ["usage", Object.values(tokens).every(isWhole) && isWhole(usage.in) && isWhole(usage.out)],
    ["cache parts", (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) <= usage.in],
    ["estimated", estimated === undefined || estimated === true],
    ["logprobs", (logprobs ?? []).every((entry) => isToken(entry) && entry.top.every(isToken))],
    ["bytes", isDeepStrictEqual(JSON.parse(JSON.stringify(reply)), reply)],
  ];
  const failed = checks.find(([, holds]) => !holds);
  return failed === undefined ? undefined : `accepted nonsense: ${failed[0]} in ${JSON.stringify(reply).slice(0, 300)}`;
}

const INTACT_EACH = 50;
const IN_FLIGHT = 16;
const DEADLINE_MS = 60_000;
const LONGEST_MESSAGE = 1200;
const ENV = {
  ANTHROPIC_API_KEY: "sk-fuzz-1234567890",
  AWS_REGION: "us-east-1",
  AWS_BEARER_TOKEN_BEDROCK: "fuzz-token-1",
};

function openWire(wire: Wire, url: string): Promise<Model> {
  const settings = { env: ENV, baseUrl: url, concurrency: IN_FLIGHT };
  if (wire === "anthropic") return anthropic.open("claude-haiku-5-5", settings);
  if (wire === "bedrock") return bedrock.open("some.model-v1:0", settings);
  const api = wire === "responses" ? wire : "chat";
  return openai.open("org/some-model", { ...settings, baseUrl: `${url}/v1`, api });
}

function requestOf(number: number): ModelRequest {
  const tool = { name: "wikipedia", description: "Finds.", parameters: { type: "object", properties: {} } };
  return { messages: [{ role: "user", content: `#${number}` }], tools: [tool], maxTokens: 64, sample: 0 };
}

/** What is wrong with how the client took reply `number`; undefined where nothing is. */
async function judged(model: Model, number: number, counts: FuzzCounts): Promise<string | undefined> {
  const request = requestOf(number);
  const late = { ms: DEADLINE_MS, error: () => new Error("never ended") };
  try {
    const reply = await withDeadline((signal) => model.complete(request, signal), new AbortController().signal, late);
    counts.accepted++;
    if (reply.usage.estimated === true) counts.estimated++;
    return nonsenseIn(reply) ?? nextTurn(model, request, reply);
  } catch (error) {
    counts.refused++;
    if (!(error instanceof ModelError)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
    if (error.message.length > LONGEST_MESSAGE || error.message.includes("\n")) return `message ${error.message}`;
    return number % INTACT_EACH === 0 ? `an intact reply refused: ${error.message}` : undefined;
  }
}

const isWhole = (value: unknown): boolean => typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
const isText = (value: unknown): boolean => typeof value === "string";
const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const isLogprob = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value <= 0;

const isToken = (entry: { readonly token: unknown; readonly logprob: unknown }): boolean =>
  isText(entry.token) && isLogprob(entry.logprob);

/** An accepted reply must be fit to be stored and to be sent back. */
function nextTurn(model: Model, request: ModelRequest, reply: ModelReply): string | undefined {
  const { text, toolCalls, opaque } = reply;
  const turn: Message = { role: "assistant", content: text, toolCalls, ...(opaque === undefined ? {} : { opaque }) };
  const key = requestKey(model.id, { ...request, messages: [...request.messages, turn] });
  return key.length === 64 ? undefined : "no key for the next turn";
}

async function serve(replyTo: (number: number) => Served) {
  const server = http.createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const number = Number(/#(\d+)/.exec(Buffer.concat(chunks).toString("utf8"))?.[1]);
      const { status, headers, body } = replyTo(number);
      const hasBody = status !== 204;
      outgoing.writeHead(status, { ...headers, ...(hasBody ? { "content-length": body.length } : {}) });
      outgoing.end(hasBody ? body : undefined);
    });
  });
  server.keepAliveTimeout = DEADLINE_MS;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
