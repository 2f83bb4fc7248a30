import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/run/rows.js";
import { type Fault, type ServedRequest, startProviderServer } from "../helpers/provider-server.js";
import { fakeKey } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
beforeAll(() => writeReviews(join(cwd, "reviews"), [reviewUser("ann")]));

const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "Y2lwaGVy" };
const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };
const served = (output: unknown[], model: string) => ({
  ...{ id: "resp_1", object: "response", status: "completed", error: null, model, output, usage },
});

/** First reasons and calls, then rates. */
function turn({ body }: ServedRequest): unknown {
  const [tool] = body.tools ?? [];
  if (tool !== undefined && body.input.at(-1).type !== "function_call_output") {
    const call = { type: "function_call", id: "fc_1", call_id: "call_1", name: tool.name, status: "completed" };
    return served([thought, { ...call, arguments: '{"query":"desk lamp"}' }], body.model);
  }
  const content = [{ type: "output_text", text: "4", annotations: [] }];
  return served([{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }], body.model);
}

/** What OpenAI refuses: reasoning that is not there, or not right before its call, and results of no call. */
function refuses({ body }: ServedRequest): Fault | undefined {
  const items: { type?: string; call_id?: string }[] = body.input;
  const isWhole = items.every(({ type, call_id }, at) => {
    if (type === "function_call") return JSON.stringify(items[at - 1]) === JSON.stringify(thought);
    return type !== "function_call_output" || items[at - 1]?.call_id === call_id;
  });
  if (body.store === false && isWhole) return undefined;
  return { kind: "status", status: 400, message: "Item with id 'rs_1' not found." };
}

async function run(model: string, fault: (request: ServedRequest) => Fault | undefined) {
  const server = await startProviderServer({ reply: turn, fault });
  const out = model.replace(/\W/g, "-");
  const lab = { provider: "openai", baseUrl: `${server.url}/v1`, keyEnv: "OPENAI_API_KEY", quirks: "openai" };
  writeFileSync(join(cwd, "lab.yaml"), JSON.stringify({ endpoints: { lab }, model: `lab/${model}`, data: "reviews" }));
  const line = `run --config lab.yaml --task lamp3 --method persona-agent-wo-persona --set wiki.mode=off --limit 1 --out ${out}`;
  const { code, stdout, stderr } = await runCommandLine(line, { cwd, env: { OPENAI_API_KEY: fakeKey } });
  await server.close();
  const kinds = rowsOf(join(cwd, out)).map(({ outcome }) => outcome.kind);
  return { code, stderr, kinds, printed: `${stdout}${stderr}`, requests: server.requests, folder: join(cwd, out) };
}

describe("an agent on the Responses API", () => {
  test("brings its reasoning back encrypted, right before the call that followed it", async () => {
    const { requests, ...ended } = await run("gpt-6-luna", refuses);
    expect(ended).toMatchObject({ code: 0, kinds: ["answered"] });
    expect(requests.filter((request) => refuses(request) !== undefined)).toEqual([]);
    expect(requests.some(({ body }) => body.input.some(({ type }: { type?: string }) => type === "reasoning"))).toBe(
      true,
    );
    for (const { body } of requests) expect(body.include).toContain("reasoning.encrypted_content");
  });
});
