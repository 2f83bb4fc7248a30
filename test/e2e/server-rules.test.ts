import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import type { Fault, ServedRequest } from "../helpers/provider-server.js";
import { chatReply, fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
beforeAll(() => writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob")]));

const bad = (status: number, message: string): Fault => ({ kind: "status", status, message });
const isJsonObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

interface SentTurn {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly {
    readonly function: { readonly arguments: string };
    readonly extra_content?: unknown;
  }[];
  readonly [field: string]: unknown;
}
const turnsOf = ({ body }: ServedRequest): SentTurn[] => body.messages;
const callTurns = (request: ServedRequest): SentTurn[] =>
  turnsOf(request).filter((turn) => turn.tool_calls !== undefined);

const SIGNATURE = { google: { thought_signature: "c2lnbmF0dXJl" } };
const DETAILS = [{ type: "reasoning.encrypted", data: "b3BhcXVl", index: 0 }];
const PARTS = [
  { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
  { type: "text", text: "I look." },
];

/** What servers say in a turn that calls a tool, and what they refuse in the next request. */
const servers: Readonly<
  Record<
    string,
    { says?: object; extra?: object; args?: string; refuses: (request: ServedRequest) => Fault | undefined }
  >
> = {
  "DeepSeek: reasoning_content on every turn with calls": {
    says: { reasoning_content: "Two look-ups." },
    refuses: (request) =>
      callTurns(request).every((turn) => turn.reasoning_content === "Two look-ups.")
        ? undefined
        : bad(400, "The reasoning_content in the thinking mode must be passed back to the API."),
  },
  "Gemini: the thought signature of the call": {
    extra: { extra_content: SIGNATURE },
    refuses: (request) =>
      callTurns(request).every(
        ({ tool_calls }) => JSON.stringify(tool_calls?.[0]?.extra_content) === JSON.stringify(SIGNATURE),
      )
        ? undefined
        : bad(400, "Function call is missing a thought_signature"),
  },
  "OpenRouter: reasoning_details": {
    says: { reasoning: "hm", reasoning_details: DETAILS },
    refuses: (request) =>
      callTurns(request).every((turn) => JSON.stringify(turn.reasoning_details) === JSON.stringify(DETAILS))
        ? undefined
        : bad(400, "reasoning_details must be preserved"),
  },
  "Mistral: content as parts": {
    says: { content: PARTS },
    refuses: (request) =>
      callTurns(request).every(({ content }) => JSON.stringify(content) === JSON.stringify(PARTS))
        ? undefined
        : bad(400, "thinking chunks must be passed back"),
  },
  "llama.cpp: arguments are an object": {
    args: '{"query": "desk la',
    refuses: (request) =>
      callTurns(request).every(({ tool_calls }) => tool_calls?.every((call) => isJsonObject(call.function.arguments)))
        ? undefined
        : bad(500, "Failed to parse tool call arguments as JSON"),
  },
  "old vLLM: arguments are an object, no list": {
    args: '["desk lamp"]',
    refuses: (request) =>
      callTurns(request).every(({ tool_calls }) => tool_calls?.every((call) => isJsonObject(call.function.arguments)))
        ? undefined
        : bad(400, "arguments must be an object"),
  },
};

describe("an agent ends on a server that wants its own turn back", () => {
  test.each(Object.entries(servers))("%s", async (name, { says, extra, args, refuses }) => {
    const turn = (request: ServedRequest): unknown => {
      if (request.body.tools === undefined || turnsOf(request).at(-1)?.role === "tool") return chatReply(request, "4");
      const declared: string = request.body.tools[0].function.name;
      const call = { id: "call00001", type: "function", ...extra };
      const tool_calls = [{ ...call, function: { name: declared, arguments: args ?? '{"query": "desk lamp"}' } }];
      const message = { role: "assistant", content: null, refusal: null, ...says, tool_calls };
      return Object.assign({}, chatReply(request, ""), {
        choices: [{ index: 0, finish_reason: "tool_calls", message }],
      });
    };
    const server = await startRatedServer({ reply: turn, fault: refuses });
    const out = name.replace(/\W+/g, "-").slice(0, 20);
    const line = `run --task lamp3 --method persona-agent-wo-persona --data reviews --model openai/local --base-url ${server.url}/v1 --set wiki.mode=off --limit 1 --out ${out}`;
    const { code, stderr } = await runCommandLine(line, { cwd, env: { OPENAI_API_KEY: fakeKey } });
    await server.close();
    expect({ stderr, code }).toMatchObject({ code: 0 });
    expect(rowsOf(join(cwd, out)).map(({ outcome }) => outcome.kind)).toEqual(["answered"]);
    expect(server.requests.filter((request) => refuses(request) !== undefined)).toEqual([]);
    expect(server.requests.some((request) => callTurns(request).length > 0)).toBe(true);
    if (args === undefined) return;
    const told = turnsOf(server.requests.at(-1)!).at(-1);
    expect(told?.content).toMatch(/^The arguments of this call were no JSON object: /);
    expect(told?.content).toContain(args);
  });

  test("and what a server did not send is not sent to it", async () => {
    const server = await startRatedServer();
    const line = `run --task lamp3 --method react --data reviews --model openai/local --base-url ${server.url}/v1 --set agent.protocol=text-react --set wiki.mode=off --limit 1 --out plain`;
    await runCommandLine(line, { cwd, env: { OPENAI_API_KEY: fakeKey } });
    await server.close();
    const names = new Set(server.requests.flatMap((request) => turnsOf(request).flatMap((turn) => Object.keys(turn))));
    expect([...names].sort()).toEqual(["content", "role"]);
  });
});

describe("a reasoning model on a compatible server", () => {
  const thinking = (request: ServedRequest): unknown => {
    const room = Number(request.body.max_tokens);
    const text = room < 1000 ? "<think>Let me see. The user" : "<think>Let me see, 1 or 2?</think>\n4";
    const reply = chatReply(request, text);
    return room < 1000
      ? Object.assign({}, reply, {
          choices: [
            { index: 0, finish_reason: "length", message: { role: "assistant", content: text, refusal: null } },
          ],
        })
      : reply;
  };
  const run = async (more: string) => {
    const server = await startRatedServer({ reply: thinking });
    const line = `run --task lamp3 --method rag,pag,graph-rag --set others=leave-one-out --data reviews --model openai/qwen3-8b --base-url ${server.url}/v1 --queries-per-user 1 ${more}`;
    const { code, stderr } = await runCommandLine(line, { cwd, env: { OPENAI_API_KEY: fakeKey } });
    await server.close();
    return { code, stderr, bodies: server.requests.map(({ body }) => body) };
  };

  test("is given room by model.answerTokens", async () => {
    const roomy = await run("--set model.answerTokens=4096 --set model.effort=low --out roomy");
    expect(roomy.code).toBe(0);
    for (const body of roomy.bodies) expect(body).toMatchObject({ reasoning_effort: "low" });
    expect(rowsOf(join(cwd, "roomy")).every(({ outcome }) => outcome.kind === "answered")).toBe(true);
  });

  test("is read without its thinking by every method, and no later prompt carries it", async () => {
    const { bodies } = await run("--set model.answerTokens=4096 --out stripped");
    for (const { outcome } of rowsOf(join(cwd, "stripped"))) expect(outcome).toMatchObject({ reply: "4" });
    for (const body of bodies) expect(JSON.stringify(body.messages)).not.toContain("think>");
    expect(readFileSync(join(cwd, "stripped", "log.jsonl"), "utf8")).toContain("<think>"); // the reply as it came
  });
});
