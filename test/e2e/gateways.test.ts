import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { latestRows } from "../../src/run/run-rows.js";
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
    const rows = latestRows(join(cwd, out));
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

test.each([
  ["openai/gpt-4.1-mini", "/v1"],
  ["anthropic/claude-haiku-5-5", ""],
])("JSON that a gateway sends as text/plain is read: %s", async (model, path) => {
  const chat = { choices: [{ message: { content: "5" }, finish_reason: "stop" }], usage: {} };
  const message = { type: "message", content: [{ type: "text", text: "5" }], stop_reason: "end_turn", usage: {} };
  const served = { model: "m", ...(path === "" ? message : chat) };
  fault = () => ({ kind: "status", status: 200, served, headers: { "content-type": "text/plain; charset=utf-8" } });
  const out = `plain-${model.slice(0, 4)}`;
  expect(await run(`--unsupported drop --out ${out}`, model, path)).toMatchObject({ code: 0 });
  expect(latestRows(join(cwd, out)).every(({ outcome }) => outcome.kind === "answered")).toBe(true);
});
