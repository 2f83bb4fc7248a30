import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { type Fault, type ServedRequest, startProviderServer } from "../helpers/provider-server.js";
import { fakeKey } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const env = { OPENAI_API_KEY: fakeKey, ANTHROPIC_API_KEY: fakeKey };
let fault: (request: ServedRequest) => Fault | undefined = () => undefined;
let server: Awaited<ReturnType<typeof startProviderServer>>;
beforeAll(async () => {
  server = await startProviderServer({ fault: (request) => fault(request) });
  writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob"), reviewUser("cyd")]);
});
afterAll(() => server.close());

const run = (more: string, model = "openai/gpt-4.1-mini", path = "/v1") =>
  runCommandLine(
    `run --task lamp3 --method prompt --data reviews --model ${model} --base-url ${server.url}${path} ${more}`,
    { cwd, env },
  );

/** As OpenRouter's reference has it, Errors and debugging. */
const flagged = { reasons: ["violence"], flagged_input: "...", provider_name: "OpenAI", model_slug: "x" };
const moderation = { error: { code: 403, message: "Your input was flagged", metadata: flagged } };
/** As Azure's reference has it, Content filtering. */
const filtered = {
  error: {
    message: "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
    type: null,
    param: "prompt",
    code: "content_filter",
    status: 400,
    innererror: { code: "ResponsibleAIPolicyViolation" },
  },
};

test.each([
  ["OpenRouter's 403", 403, moderation, 0],
  ["the same within a 200", 200, moderation, 0],
  ["Azure's 400", 400, filtered, undefined],
])(
  "moderation of one question is a refusal of that question, scored and not asked again: %s",
  async (name, status, served, usd) => {
    const out = name.replaceAll(/\W+/g, "-");
    const before = server.requests.length;
    fault = ({ body }) => (JSON.stringify(body).includes("bob") ? { kind: "status", status, served } : undefined);
    expect(await run(`--out ${out}`)).toMatchObject({ code: 0 });
    const sent = server.requests.length - before;
    const rows = rowsOf(join(cwd, out));
    const refused = rows.filter(({ incidents }) => incidents["answer-refused"] === 1);
    expect(refused.length).toBe(2);
    for (const { outcome, spend } of refused) {
      expect(outcome.kind).toBe("unparsed");
      expect(spend.answer?.billed?.usd).toBe(usd); // Azure bills the prompt, OpenRouter nothing
    }
    expect(rows.filter(({ outcome }) => outcome.kind === "failed")).toEqual([]);
    expect(sent).toBe(rows.length);
    expect(await run(`--out ${out}`)).toMatchObject({ code: 0 });
    expect(server.requests.length - before).toBe(sent);
  },
);

test("an endpoint's headers go with every call; their secrets come from variables and are written nowhere", async () => {
  const secret = "very-secret-of-the-gateway";
  const models = { openai: "gpt-4.1-mini", anthropic: "claude-haiku-5-5", bedrock: "anthropic.claude-haiku-5-5" };
  fault = ({ body }) =>
    JSON.stringify(body).includes("bob") ? { kind: "status", status: 400, message: `not with ${secret}` } : undefined;
  for (const [provider, model] of Object.entries(models)) {
    const baseUrl = `${server.url}${provider === "openai" ? "/v1" : ""}`;
    const headers = { "X-Team": "research", "X-Gateway-Key": { env: "GATEWAY" }, Authorization: { env: "LOGIN" } };
    const lab = { provider, baseUrl, headers, ...(provider === "bedrock" ? { keyEnv: "LOGIN" } : {}) };
    writeFileSync(join(cwd, `${provider}.json`), JSON.stringify({ endpoints: { lab } }));
    const flags = `--config ${provider}.json --task lamp3 --method prompt --data reviews`;
    const command = `run ${flags} --model lab/${model} --out headers-${provider}`;
    const before = server.requests.length;
    const held = { GATEWAY: secret, LOGIN: "Bearer of-the-login", AWS_REGION: "us-east-1" };
    const { code, stderr } = await runCommandLine(command, { cwd, env: held });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("not with [redacted]") });
    const sent = server.requests.slice(before).map((request) => request.headers);
    expect(sent.length).toBeGreaterThan(2);
    for (const one of sent) {
      expect(one).toMatchObject({ "x-team": "research", "x-gateway-key": secret });
      if (provider !== "bedrock") expect(one.authorization).toBe("Bearer of-the-login"); // there it is part of the signature
    }
    for (const file of readdirSync(join(cwd, `headers-${provider}`), { withFileTypes: true }))
      if (file.isFile()) expect(readFileSync(join(file.parentPath, file.name), "utf8")).not.toContain(secret);
    const unset = await runCommandLine(command, { cwd, env: { ...held, GATEWAY: "" } });
    expect(unset).toMatchObject({ code: 2, stderr: expect.stringContaining("GATEWAY is not set") });
  }
});
