import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { formatWikiFixture } from "../../src/agent/tools/wiki-fixture.js";
import { rowsOf, unitsOf } from "../../src/run/rows.js";
import type { ProviderServer, ProviderServerSettings, ServedRequest } from "../helpers/provider-server.js";
import { chatReply } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import {
  anthropicDialect,
  bedrockDialect,
  callsOf,
  type Dialect,
  openaiDialect,
  QUERY,
  startAgentServer,
} from "./agents-server.js";

let server: ProviderServer;
afterEach(() => server.close());

interface Run {
  readonly dialect: Dialect;
  readonly method: string;
  readonly more?: string;
  readonly server?: ProviderServerSettings;
}

const calls = callsOf(["wikipedia", "episodic_memory"]);
const WIKIPEDIA = "Page: Balanced-arm lamp\nSummary: A lamp with a {foldable} arm.";

/** One user with three past reviews and one question, whose text is `question`. */
const user = reviewUser("ann", 3, 1);
const question = (user.query[0] as { input: string }).input;

/** Runs persona-agent over the wire; returns what went out for the test question itself. */
async function play({ dialect, method, more = "", server: settings = {} }: Run) {
  const cwd = tempDir();
  server = await startAgentServer(dialect, settings);
  writeReviews(join(cwd, "reviews"), [user]);
  const pages = [{ title: "Balanced-arm lamp", summary: "A lamp with a {foldable} arm." }];
  const entry = { query: QUERY, retrieved: "2026-11-01", pages };
  writeFileSync(join(cwd, "wiki.json"), formatWikiFixture([entry]));
  const line = [
    `run --task lamp3 --method ${method} --data reviews --model ${dialect.model} --base-url ${dialect.baseUrl(server.url)} --set server.cache=off`,
    `--set temperature=none --set wiki.mode=replay --set wiki.fixture=wiki.json --out run ${more}`,
  ].join(" ");
  const again = (flags = "") => runCommandLine(`${line} ${flags}`, { cwd, env: dialect.env });
  return { again, folder: join(cwd, "run") };
}

const asksTheQuestion = ({ body }: ServedRequest): boolean => JSON.stringify(body).includes("Question 0 of ann");
const turns = (): ServedRequest[] => server.requests.filter(asksTheQuestion);

describe.each([anthropicDialect, bedrockDialect, openaiDialect])("persona-agent on $provider", (dialect) => {
  test("aligns and answers with two tools in one turn, in as many calls as the formula says", async () => {
    const { again, folder } = await play({ dialect, method: "persona-agent" });
    const { code, stderr } = await again();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const [n, A] = [3, 2];
    const probe = 1;
    expect(server.requests).toHaveLength(probe + (1 + (n * A + n + 1)) + A);
    const [row] = rowsOf(folder);
    expect(row).toMatchObject({ outcome: { kind: "answered" }, spend: { answer: { calls: A } } });
    expect(row?.incidents).toMatchObject({ "runs-with-two-tools": 1, "tool=episodic_memory": 1, "tool=wikipedia": 1 });
    expect(unitsOf(folder)[0]?.spend).toMatchObject({
      summary: { calls: 1 },
      simulate: { calls: n * A },
      gradient: { calls: n },
      update: { calls: 1 },
    });
    expect(new Set(turns().map(dialect.tools).map(String))).toEqual(new Set(["wikipedia,episodic_memory"]));
    expect(JSON.stringify(turns()[0]?.body)).toContain("You are the assistant of a {careful} reviewer");
    const sent = server.requests.length;
    expect(await again()).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(sent);
  });

  test("a run that stops between two turns goes on with the second, the first turn's blocks as they came", async () => {
    const { again } = await play({ dialect, method: "persona-agent-wo-persona" });
    expect(await again("--max-calls 2")).toMatchObject({ code: 1 });
    expect(turns()).toHaveLength(1);
    const { code, stderr } = await again();
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(turns()).toHaveLength(2);
    expect(turns()[1]?.body.messages).toContainEqual(dialect.sentBack(calls));
  });
});

/** The two observations of a request's last turn: Wikipedia's page, and three memories with date and label. */
function expectObservations([wikipedia, memory, ...more]: readonly string[]): void {
  expect(wikipedia).toBe(WIKIPEDIA);
  const lines = memory?.split("\n") ?? [];
  expect(lines).toHaveLength(3);
  for (const line of lines) expect(line).toMatch(/^2019-0[123]-01 \| .*Review number \d of ann.*[15]$/);
  expect(more).toEqual([]);
}

describe("the bodies of a two-tool agent run", () => {
  test("to anthropic: tools, then signed thinking and calls unmodified, then one result per call", async () => {
    const { again } = await play({ dialect: anthropicDialect, method: "persona-agent-wo-alignment" });
    await again();
    const [first, second] = turns();
    expect(first?.path).toBe("/v1/messages");
    expect(first?.body).toEqual({
      model: "claude-sonnet-5-5",
      max_tokens: 1024,
      system: expect.stringMatching(/^You are a helpful personalized assistant.*\nUser summary: most popular score: /),
      messages: [{ role: "user", content: question }],
      thinking: { type: "between_tools" },
      tools: [
        { name: "wikipedia", description: expect.stringMatching(/clear topic/), input_schema: querySchema },
        { name: "episodic_memory", description: expect.stringMatching(/at least once/), input_schema: querySchema },
      ],
      tool_choice: { type: "auto" },
    });
    const { messages, ...rest } = second?.body ?? {};
    const { messages: opening, ...unchanged } = first?.body ?? {};
    expect(rest).toEqual(unchanged);
    expect(messages.slice(0, 1)).toEqual(opening);
    // a signature covers bytes: the order of the fields counts too
    expect(JSON.stringify(messages[1])).toBe(JSON.stringify(anthropicDialect.sentBack(calls)));
    expect(messages[2]).toEqual({
      role: "user",
      content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: expect.any(String) })),
    });
    expectObservations(messages[2].content.map(({ content }: { content: string }) => content));
    expect(messages).toHaveLength(3);
  });

  test("to bedrock: toolConfig, then reasoningContent and toolUse unmodified, then one toolResult per call", async () => {
    const { again } = await play({ dialect: bedrockDialect, method: "persona-agent-wo-alignment" });
    await again();
    const [first, second] = turns();
    expect(first?.path).toBe("/model/us.anthropic.claude-sonnet-5-5/converse");
    const spec = (name: string, says: RegExp) => ({
      toolSpec: { name, description: expect.stringMatching(says), inputSchema: { json: querySchema } },
    });
    expect(first?.body).toEqual({
      system: [{ text: expect.stringMatching(/^You are a helpful personalized assistant/) }],
      messages: [{ role: "user", content: [{ text: question }] }],
      inferenceConfig: { maxTokens: 1024 },
      additionalModelRequestFields: { thinking: { type: "between_tools" } },
      toolConfig: {
        tools: [spec("wikipedia", /clear topic/), spec("episodic_memory", /at least once/)],
        toolChoice: { auto: {} },
      },
    });
    const { messages, ...rest } = second?.body ?? {};
    const { messages: opening, ...unchanged } = first?.body ?? {};
    expect(rest).toEqual(unchanged);
    expect(messages.slice(0, 2)).toEqual([...opening, bedrockDialect.sentBack(calls)]);
    expect(messages[2]).toEqual({
      role: "user",
      content: calls.map(({ id }) => ({ toolResult: { toolUseId: id, content: [{ text: expect.any(String) }] } })),
    });
    expectObservations(
      messages[2].content.map(({ toolResult }: { toolResult: { content: { text: string }[] } }) =>
        toolResult.content.map(({ text }) => text).join(""),
      ),
    );
    expect(messages).toHaveLength(3);
  });

  test("to openai: functions, then tool_calls, then one tool message per call", async () => {
    const { again } = await play({ dialect: openaiDialect, method: "persona-agent-wo-alignment" });
    await again();
    const [first, second] = turns();
    expect(first?.path).toBe("/v1/chat/completions");
    const declared = (name: string, says: RegExp) => ({
      type: "function",
      function: { name, description: expect.stringMatching(says), parameters: querySchema },
    });
    expect(first?.body).toEqual({
      model: "local",
      messages: [
        { role: "system", content: expect.stringMatching(/^You are a helpful personalized assistant/) },
        { role: "user", content: question },
      ],
      max_tokens: 1024,
      tools: [declared("wikipedia", /clear topic/), declared("episodic_memory", /at least once/)],
      tool_choice: "auto",
    });
    const { messages, ...rest } = second?.body ?? {};
    const { messages: opening, ...unchanged } = first?.body ?? {};
    expect(rest).toEqual(unchanged);
    expect(messages).toEqual([
      ...opening,
      openaiDialect.sentBack(calls),
      ...calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: expect.any(String) })),
    ]);
    expectObservations(messages.slice(3).map(({ content }: { content: string }) => content));
  });
});

test("text-react over openai: stop sequence, no tools, no probe, every observation in the next prompt", async () => {
  const said = [
    ` I look at the past.\nAction: episodic_memory\nAction Input: "${QUERY}"\nObservation: made up, not found`,
    ` Now the world.\nAction: wikipedia\nAction Input: ${QUERY}`,
    " I now know the final answer\nFinal Answer: 5",
  ];
  const { again, folder } = await play({
    dialect: openaiDialect,
    method: "persona-agent-wo-persona",
    more: "--set agent.protocol=text-react",
    server: { reply: (request) => chatReply(request, said[request.index] ?? "too many calls") },
  });
  expect(await again()).toMatchObject({ code: 0 });
  expect(server.requests).toHaveLength(3);
  for (const { body } of server.requests) {
    expect(body).toMatchObject({ stop: ["\nObservation"], max_tokens: 1024 });
    expect(body).not.toHaveProperty("tools");
    expect(body.messages.map(({ role }: { role: string }) => role)).toEqual(["system", "user"]);
  }
  const [first, second, third] = server.requests.map(({ body }) => body.messages[1].content as string);
  expect(first).toContain(`Question: ${question}\nThought:`);
  expect(first).toMatch(/^episodic_memory\(query: string\) - /m);
  expect(first).toMatch(/^wikipedia\(query: string\) - /m);
  expect(second?.startsWith(`${first} I look at the past.\nAction: episodic_memory`)).toBe(true);
  const [, memory] = second?.split(`Action Input: "${QUERY}"\nObservation: `) ?? [];
  expect(memory).toMatch(/^2019-0\d-01 \| (.*\n){3}Thought: $/);
  expect(second).not.toContain("made up");
  expect(third).toBe(
    `${second} Now the world.\nAction: wikipedia\nAction Input: ${QUERY}\nObservation: ${WIKIPEDIA}\nThought: `,
  );
  expect(rowsOf(folder)[0]?.outcome).toMatchObject({ kind: "answered", reply: "5" });
});

const querySchema = {
  type: "object",
  properties: { query: { type: "string", description: expect.any(String) } },
  required: ["query"],
  additionalProperties: false,
};
