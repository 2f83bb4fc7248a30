import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { type Fault, type ProviderServer, startProviderServer } from "../helpers/provider-server.js";
import { chatReply } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
let server: ProviderServer;
let odd: Record<string, unknown> = {};
let first: Fault | undefined;

beforeAll(async () => {
  server = await startProviderServer({
    fault: (request) => (request.attempt === 1 ? first : undefined),
    reply: (request) => ({ ...(chatReply(request, "5") as object), ...odd }),
  });
  writeReviews(join(cwd, "reviews"), [reviewUser("u1"), reviewUser("u2")]);
});
afterAll(() => server.close());

/** A run against a server whose every reply has these fields. */
function run(out: string, fields: Record<string, unknown>) {
  odd = fields;
  const line = `run --task lamp3 --method prompt --data reviews --model openai/m --base-url ${server.url}/v1 --out ${out}`;
  return runCommandLine(line, { cwd });
}

test("a server that asks for a day is waited for two minutes, and the run says so", async () => {
  first = { kind: "status", status: 429, headers: { "retry-after": "100000" } };
  const { code, stderr } = await run("patient", {});
  first = undefined;
  expect(code).toBe(0);
  expect(stderr).toMatch(/openai\/m asks to wait 100000 s; trying again in 120 s, the longest wait/);
});

describe("a server whose replies lack a part", () => {
  test("that says no model leaves no name, and the run opens again", async () => {
    for (const model of [undefined, null]) {
      const out = `nameless-${model}`;
      expect((await run(out, { model })).code).toBe(0);
      expect(manifestIn(join(cwd, out))?.answeredBy).toEqual([]);
      const again = await run(out, { model });
      expect({ code: again.code, stderr: again.stderr }).toMatchObject({
        code: 0,
        stderr: expect.stringMatching(/0 calls sent/),
      });
    }
  });

  test.each([
    ["nothing", undefined],
    ["nothing inside", {}],
    ["text", { prompt_tokens: "500", completion_tokens: "1" }],
    ["less than nothing", { prompt_tokens: -500, completion_tokens: -1 }],
  ])("that counts %s has its tokens estimated, and the table says so", async (name, usage) => {
    const out = `counts-${name.replaceAll(" ", "-")}`;
    const { code, stdout, stderr } = await run(out, { usage });
    expect(code).toBe(0);
    expect(stdout).toMatch(/tokens of 4 replies are estimated: the server sent no count/);
    expect(`${stdout}${stderr}`).not.toMatch(/NaN|\$-/);
    for (const { spend, incidents } of rowsOf(join(cwd, out)).values()) {
      expect(incidents).toEqual({ "usage-estimated": 1 });
      expect(spend.answer?.in).toBeGreaterThan(0);
      expect(spend.answer?.out).toBe(1);
    }
  });
});

test.each([
  ["m", undefined],
  ["m-2026-11-01", undefined],
  ["m-mini", "answered by m-mini"],
])("under the table stands who answered, where that is not the model that was asked: %s", async (model, note) => {
  const { stdout } = await run(`by-${model}`, { model });
  expect(stdout.match(/answered by \S+/)?.[0]).toBe(note);
});
