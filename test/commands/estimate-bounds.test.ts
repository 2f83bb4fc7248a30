import { expect, test } from "vitest";
import { estimateRun, run } from "../../src/commands/library.js";
import { methods } from "../../src/methods/index.js";
import { familyBytesPerToken, outputLimit, promptBytes } from "../../src/models/tokens.js";
import type { RunRequest } from "../../src/plan/settings.js";
import { readOptions } from "../../src/registry/options.js";
import { tasks } from "../../src/tasks/index.js";
import type { ModelReply, ModelRequest, Provider } from "../../src/types/index.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { replyOf, scripted } from "../helpers/model-request.js";
import { tempDir } from "../helpers/temp-dir.js";

const MODEL = "counted/model";
const filler = (tokens: number): string => "word ".repeat(Math.floor((tokens * familyBytesPerToken(MODEL)) / 5));

/** Writes as much as it may. */
const writer = ({ maxTokens }: ModelRequest): Partial<ModelReply> => ({ text: filler(maxTokens) });
/** Calls a tool as long as it is offered one, and decides for whatever costs more. */
const caller = (request: ModelRequest): Partial<ModelReply> => {
  const [tool] = request.toolChoice === "none" ? [] : (request.tools ?? []);
  if (tool === undefined) return { text: `{"personal": true, "chosen": [1, 2, 3]}` };
  const { properties } = tool.parameters as { properties: Record<string, { enum?: readonly string[] }> };
  const given = Object.entries(properties).map(([name, { enum: names }]) => [name, names?.[0] ?? "robots in love"]);
  const call = { id: "1", name: tool.name, arguments: Object.fromEntries(given) };
  return { text: filler(request.maxTokens / 2), toolCalls: [call], stop: "tool" };
};

/** What was sent, at the usual bytes of a token. */
async function measured(request: RunRequest, answer: typeof writer) {
  const sent = { calls: 0, in: 0, out: 0 };
  const model = scripted((asked) => {
    const usage = {
      in: Math.ceil(promptBytes(asked) / familyBytesPerToken(MODEL)),
      out: outputLimit(model.capabilities, asked),
    };
    if (asked.tools?.[0]?.name === "lookup") return replyOf("", { usage, ...answer(asked) }); // whether a server calls tools
    sent.calls += 1;
    sent.in += usage.in;
    sent.out += usage.out;
    return replyOf("", { usage, ...answer(asked) });
  });
  const provider: Provider = {
    name: "counted",
    summary: "counts what it is asked",
    open: async () => ({ ...model, id: MODEL, capabilities: { ...model.capabilities, logprobs: false } }),
  };
  const io = { cwd: tempDir(), env: {}, clock: fakeClock(), node: "v20.19.0", tell: () => undefined };
  const all = { ...request, model: MODEL, providers: [provider], users: 2, queriesPerUser: 2 };
  const { total } = await estimateRun(all, io);
  expect(sent.calls).toBe(0);
  await run({ ...all, out: "o" }, io);
  return { total, sent };
}

const taskOf = (method: string): string =>
  ["lamp2m", "home-commands", "alex-like", "lamp3"].find(
    (name) =>
      methods.get(method).unfit?.(tasks.get(name)) === undefined &&
      !(/assistant|buffer|stateless/.test(method) && name !== "alex-like"),
  ) ?? "lamp2m";
const cases: readonly (readonly [method: string, options: NonNullable<RunRequest["options"]>, more: RunRequest])[] = [
  ...methods.names.map((name) => [name, {}, {}] as const),
  ["rag", { select: "llm-few" }, {}],
  ["rag", { select: "decide-zero" }, {}],
  ["rums", { "rums.entropy": "sample", "rums.search": "llm", "rums.filter": "llm", "rums.samples": 3 }, {}],
  ["membank", { "membank.mode": "direct", select: "rums", "rums.filterItems": 3 }, {}],
  ["sage", { "sage.mode": "direct" }, {}],
  ["sage", {}, { online: true }],
  ["react", { "react.tools": "wikipedia,episodic-memory", select: "llm-zero" }, {}],
  ["graph-rag", { "graph-rag.reports": "llm", "graph-rag.persona": "pag" }, {}],
  ["persona-agent", { "align.schedule": "per-query", "align.iterations": 2, "align.optimizer": "textgrad" }, {}],
  ["persona-agent", { "align.schedule": "rolling", "align.batch": "rolling" }, { online: true }],
  ["assistant", { "assistant.extract": "llm", select: "rums" }, {}],
  ["pag", {}, { repeats: 2 }],
];

test.each(cases)("no more is sent than planned at most: %s %j %j", async (method, options, more) => {
  const request = { task: taskOf(method), method, options: { "rums.filterItems": 3, ...options }, ...more };
  const isAgent = methods.get(method).needs?.(readOptions(methods.get(method).options, options))?.agent === true;
  for (const answer of isAgent ? [caller] : [writer, caller]) {
    const { total, sent } = await measured(request, answer);
    if (total.callsHigh > 0) expect(sent.calls, answer.name).toBeGreaterThan(0); // baselines ask nobody
    expect(total.callsHigh, `calls, ${answer.name}`).toBeGreaterThanOrEqual(sent.calls);
    expect(total.tokensIn, `tokens in, ${answer.name}`).toBeGreaterThanOrEqual(sent.in);
    expect(total.tokensOut, `tokens out, ${answer.name}`).toBeGreaterThanOrEqual(sent.out);
  }
});
