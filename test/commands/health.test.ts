import { afterAll, beforeAll, expect, test } from "vitest";
import { type ProviderServer, type ServedRequest, startProviderServer } from "../helpers/provider-server.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

interface Planted {
  readonly content: string | null;
  readonly finish_reason: string;
  readonly refusal?: string;
}

const cwd = suiteDir();
let server: ProviderServer;
let planted: (request: ServedRequest) => Planted;
beforeAll(async () => {
  server = await startProviderServer({
    reply(request) {
      const { finish_reason, ...said } = planted(request);
      const message = { role: "assistant", refusal: null, ...said };
      const usage = { prompt_tokens: 100, completion_tokens: 9, total_tokens: 109 };
      return {
        id: "c1",
        object: "chat.completion",
        model: "m",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      };
    },
  });
});
afterAll(() => server.close());

async function run(out: string, reply: typeof planted, more = "") {
  planted = reply;
  const before = server.requests.length;
  const line = `run --task lamp2m --method prompt --model openai/m --base-url ${server.url}/v1 --limit 30 --out ${out} ${more}`;
  const result = await runCommandLine(line, { cwd });
  return { ...result, sent: server.requests.length - before };
}

test.each<[string, Planted]>([
  ["thinks in a field that is not shown", { content: "", finish_reason: "length" }],
  ["opens a think tag", { content: "<think>\nThe user wants a tag", finish_reason: "length" }],
])("a server that %s until its tokens are used up stops the run, which names the way on", async (name, reply) => {
  const { code, stderr, stdout } = await run(name.replaceAll(" ", "-"), () => reply, "--concurrency 1");
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /lamp2m prompt: 5 answers in a row were cut at 64 tokens before any text.*\n.*--set model\.answerTokens=4096 --reuse \S+ and another --out asks only those again/,
    ),
  ]);
  expect(stdout).toMatch(/^prompt: 5 of 5 answers cut at 64 tokens$/m);
});

test("an answer that ended by itself is not asked again with more tokens; one that was cut is", async () => {
  const asked = new Map<string, Planted>();
  const thinks = (request: ServedRequest): Planted => {
    const prompt = JSON.stringify(request.body.messages);
    const isLong = request.body.max_tokens === 64 && asked.size % 6 !== 0;
    asked.set(prompt, asked.get(prompt) ?? { content: "comedy", finish_reason: "stop" });
    return isLong ? { content: null, finish_reason: "length" } : { content: "comedy", finish_reason: "stop" };
  };
  const stopped = await run("few", thinks, "--concurrency 1");
  expect([stopped.code, stopped.sent]).toEqual([1, 6]);
  const raised = await run("more", thinks, "--set model.answerTokens=4096 --reuse few");
  expect([raised.code, raised.sent]).toEqual([0, 29]);
  expect((await runCommandLine("verify more", { cwd })).code).toBe(0);
});

test.each<[string, Planted, RegExp, RegExp]>([
  [
    "chats",
    { content: "Sure! Based on the plot, I would say: comedy", finish_reason: "stop" },
    /warning: lamp2m prompt: none of 20 answers can be read, for example "Sure! Based.*; the lenient reading finds an answer in 20 of 20/,
    /unparsed/,
  ],
  [
    "says nothing",
    { content: "", finish_reason: "stop" },
    /no answer can be read, for example an empty one/,
    /^prompt: 30 of 30 answers empty$/m,
  ],
  [
    "refuses",
    { content: null, finish_reason: "stop", refusal: "I cannot help with that." },
    /no answer can be read, for example "I cannot help/,
    /^prompt: 30 of 30 answers refused$/m,
  ],
])("a server that %s: exit 1, with a reply quoted", async (name, reply, said, table) => {
  const { code, stderr, stdout } = await run(name.replaceAll(" ", "-"), () => reply);
  expect(code).toBe(1);
  expect(stderr).toMatch(said);
  expect(stdout).toMatch(table);
});
