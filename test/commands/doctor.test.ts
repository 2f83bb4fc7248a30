import { readdirSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ProviderServer, startProviderServer } from "../helpers/provider-server.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const KEY = "sk-doctor-0123456789";

/** A server that answers chat and takes no temperature. */
const asked: { path: string; body: Record<string, unknown> }[] = [];
const server = http.createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  const path = incoming.url ?? "";
  asked.push({ path, body });
  const send = (status: number, said: object): void => {
    outgoing.writeHead(status, { "content-type": "application/json", "x-ratelimit-limit-requests": "50" });
    outgoing.end(JSON.stringify(said));
  };
  const echo = /^\/echo\/(\d+)\/chat/.exec(path);
  if (echo !== null) {
    outgoing.writeHead(401);
    return void outgoing.end(`${"x".repeat(Number(echo[1]))}${incoming.headers.authorization?.slice(7)}`);
  }
  if (path !== "/v1/chat/completions") return send(404, { error: { message: `no ${path}` } });
  if ("temperature" in body) return send(400, { error: { message: "Unsupported parameter: temperature" } });
  const tools =
    body.tool_choice === "auto" ? [{ id: "c1", type: "function", function: { name: "lookup", arguments: "{}" } }] : [];
  const message = {
    role: "assistant",
    content: tools.length > 0 ? null : "yes",
    ...(tools.length > 0 ? { tool_calls: tools } : {}),
  };
  return send(200, {
    id: "x",
    model: "lamp-1-fp8",
    choices: [{ index: 0, finish_reason: tools.length > 0 ? "tool_calls" : "stop", message, logprobs: null }],
    usage: {
      prompt_tokens: Math.ceil(text.length / 4),
      completion_tokens: 1,
      total_tokens: 1,
      cost: 0.00002,
      echoed: KEY,
    },
  });
});
let url = "";
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const line = (more: string) => `doctor --model openai/lamp-1 --base-url ${url}/v1 ${more}`;
const env = { OPENAI_API_KEY: KEY };
const calls = (): number => asked.filter(({ path }) => path.endsWith("/completions")).length;

describe("doctor", () => {
  test("looks at this machine without a model: keys by name; writes nothing", async () => {
    const cwd = tempDir();
    const { code, stdout } = await runCommandLine("doctor", { cwd, env });
    expect([code, readdirSync(cwd)]).toEqual([0, []]);
    expect(stdout).toMatch(/^ok +key openai +OPENAI_API_KEY set$/m);
    expect(stdout).toMatch(/^warn +key anthropic +ANTHROPIC_API_KEY is not set$/m);
    expect(stdout).not.toContain(KEY);
  });

  test("asks a model for a word and a tool call, and writes nothing", async () => {
    const cwd = tempDir();
    const before = calls();
    const { code, stdout } = await runCommandLine(line(""), { cwd, env });
    expect([code, calls() - before, readdirSync(cwd)]).toEqual([0, 5, []]);
    expect(stdout).toMatch(/^ok +model +it answers "yes", \d+ tokens in, 1 out, billed \$0\.00002 \(lamp-1-fp8\)$/m);
    expect(stdout).toMatch(
      /^ok +speed +\S+ tokens a second; a prompt of \d+ tokens is answered in .* questions of the demo/m,
    );
    expect(stdout).toMatch(/^ok +tools +it calls tools$/m);
    expect(stdout).toMatch(/^warn +logprobs +no log-probabilities came/m);
    expect(stdout).not.toMatch(/ key /); // of other providers
  });

  test.each([
    ["thinks until its tokens are used up", { content: "<think>Water is" }, /model\.answerTokens=4096/],
    [
      "does not end its turn",
      { content: "It is. And fire? Is fire wet? And" },
      /a base model has no chat format; use --set openai\.api=completions/,
    ],
  ])("says what to do with a model that %s, and quotes what came instead of a call", async (_, message, words) => {
    const odd = await startProviderServer({
      reply: ({ body }) => {
        const said =
          body.tools === undefined ? message : { content: '{"name": "lookup", "arguments": {"query": "river"}}' };
        const usage = { prompt_tokens: 9, completion_tokens: 256, total_tokens: 265 };
        const choice = { index: 0, message: { role: "assistant", ...said }, finish_reason: "length" };
        return { id: "c", object: "chat.completion", model: "m", choices: [choice], usage };
      },
    });
    const { code, stdout } = await runCommandLine(`doctor --model openai/m --base-url ${odd.url}/v1`, {
      cwd: tempDir(),
      env,
    });
    await odd.close();
    expect(code).toBe(0);
    expect(stdout).toMatch(words);
    expect(stdout).toMatch(/^warn +tools +.*what looks like a call came written as text: "\{/m);
  });

  test("embeds a text, and a run whose encoder does not answer ends before its first question", async () => {
    const cwd = tempDir();
    const encoder = await startProviderServer({
      route: (_method, path) => ({
        status: path.startsWith("/good/") ? 200 : 501,
        body: path.startsWith("/good/")
          ? { data: [{ embedding: [1, 2] }] }
          : { error: { message: "no embeddings here" } },
      }),
    });
    const doctor = (path: string) =>
      runCommandLine(`doctor --embedder openai/e --base-url ${encoder.url}${path}`, { cwd });
    expect((await doctor("/good/v1")).stdout).toMatch(/^ok +embedder +it embeds in .*, 2 dimensions \(openai\/e\)$/m);
    expect(await doctor("/v1")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^fail +embedder .*501 no embeddings here/),
    });
    const before = calls();
    const typed = `run --task lamp2m --method membank --model openai/lamp-1 --base-url ${url}/v1 --limit 2 --set embedder=openai/e --set embedder.baseUrl=${encoder.url}/v1`;
    const { code, stderr } = await runCommandLine(typed, { cwd, env });
    await encoder.close();
    expect([code, calls() - before]).toEqual([3, 0]);
    expect(stderr).toMatch(/encoder openai\/e: 501 no embeddings here.*; lamp-eval doctor --embedder tries it/);
  });

  test("looks at a named endpoint of a config", async () => {
    const cwd = tempDir();
    writeFileSync(join(cwd, "lab.yaml"), `endpoints: { lab: { provider: openai, baseUrl: "${url}/v1" } }\n`);
    const { code, stdout } = await runCommandLine("doctor --model lab/lamp-1 --config lab.yaml", { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +model +it answers "yes".* \(lamp-1-fp8\)$/m);
  });

  describe("exits 1 with one line that says what is wrong and what to do:", () => {
    let strict: ProviderServer;
    beforeAll(async () => {
      strict = await startProviderServer({
        fault({ headers, body, path }) {
          const key = headers["x-api-key"] ?? headers.authorization?.replace("Bearer ", "");
          if (key !== KEY) return { kind: "status", status: 401, message: `Incorrect API key provided: ${key}` };
          const model = body.model ?? /model\/([^/]+)/.exec(path)?.[1];
          if (!/lamp-1$/.test(model))
            return { kind: "status", status: 404, message: `The model ${model} does not exist` };
          return undefined;
        },
      });
    });
    afterAll(() => strict.close());

    const wrongKey = { OPENAI_API_KEY: "sk-other-9876543210", ANTHROPIC_API_KEY: "sk-other-9876543210" };
    const keys = { OPENAI_API_KEY: KEY, ANTHROPIC_API_KEY: KEY };
    test.each([
      [
        "a wrong key",
        "openai/lamp-1",
        "/v1",
        wrongKey,
        /401 Incorrect API key provided: \[redacted\].*; check OPENAI_API_KEY/,
      ],
      ["a wrong key", "anthropic/lamp-1", "", wrongKey, /401 .*; check ANTHROPIC_API_KEY and what it may use$/],
      [
        "a misspelt model",
        "openai/lanp-1",
        "/v1",
        keys,
        /404 The model lanp-1 does not exist.*; check the model id after the slash in --model, and --base-url$/,
      ],
      [
        "an unknown model",
        "anthropic/claude-99",
        "",
        keys,
        /404 .*; check the model id after the slash in --model, and --base-url$/,
      ],
    ])("%s of %s", async (_what, model, path, given, words) => {
      const before = strict.requests.length;
      const typed = `doctor --model ${model} --base-url ${strict.url}${path}`;
      const { code, stdout } = await runCommandLine(typed, { cwd: tempDir(), env: given });
      expect([code, strict.requests.length - before]).toEqual([1, 1]);
      expect(stdout.match(/^fail .*$/gm)).toEqual([expect.stringMatching(words)]);
    });
  });

  test("prints no key that a refusal echoes, wherever it stands in it", async () => {
    for (const before of [0, 190]) {
      const { stdout } = await runCommandLine(line(`--base-url ${url}/echo/${before}`), { cwd: tempDir(), env });
      expect(stdout).toMatch(/^fail +model +.*401/m);
      expect(stdout).not.toContain(KEY.slice(0, 9));
    }
  });

  test("without the key of the model says which variable is missing", async () => {
    const { code, stderr } = await runCommandLine("doctor --model openai/gpt-6-luna", { cwd: tempDir() });
    expect([code, stderr]).toEqual([2, expect.stringContaining("provider openai: OPENAI_API_KEY is not set")]);
  });
});
