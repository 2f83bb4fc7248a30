import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import type { Fault, ProviderServer, ServedRequest } from "../helpers/provider-server.js";
import { chatReply } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { manifestIn } from "../helpers/stored-run.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { callsOf, openaiDialect, startAgentServer } from "./agents-server.js";

const cwd = suiteDir();
let server: ProviderServer;
let fault: Fault | undefined;
/** What the server does with tools that a request declares. */
let toTools: (request: ServedRequest) => unknown;
let onRequest: (request: ServedRequest) => void = () => undefined;
/** Where the requests of the test that runs begin. */
let begun: number;

/** Takes `tools` and writes the call as text: a server of an open model without its tool parser. */
const ignoring = (request: ServedRequest) =>
  chatReply(request, '<tool_call>\n{"name": "lookup", "arguments": {"query": "river"}}\n</tool_call>');
const calling = (request: ServedRequest) =>
  openaiDialect.observed(request)
    ? chatReply(request, "4")
    : openaiDialect.calls(request, callsOf(openaiDialect.tools(request)));

beforeAll(async () => {
  server = await startAgentServer(openaiDialect, {
    fault(request) {
      onRequest(request);
      return fault;
    },
    reply(request) {
      if (request.body.tools !== undefined) return toTools(request);
      const isText = JSON.stringify(request.body).includes("Final Answer");
      return chatReply(request, isText ? "Final Answer: 4" : "4");
    },
  });
  writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob")]);
});
afterAll(() => server.close());
beforeEach(() => {
  fault = undefined;
  toTools = ignoring;
  begun = server.requests.length;
});

function run(method: string, out: string, more = "") {
  const line = `run --task lamp3 --method ${method} --data reviews --model openai/local --base-url ${server.url}/v1 --set wiki.mode=off --out ${out} ${more}`;
  return runCommandLine(line, { cwd, env: openaiDialect.env });
}
const sent = (): readonly ServedRequest[] => server.requests.slice(begun);

/** One line that says what is wrong, the server's flags, and the other protocol. */
const ONE_LINE_WITH_THE_WAY_OUT =
  /^lamp-eval: openai\/local: no tool calls \(.*\).*--enable-auto-tool-choice --tool-call-parser NAME.*--jinja.* or use --set agent\.protocol=text-react$/m;

describe("a server that does no tool calls", () => {
  test.each(["react", "membank", "persona-agent", "persona-agent-wo-memory"])(
    "stops %s after the one probe, with exit code 2 and the way out",
    async (method) => {
      const { code, stderr } = await run(method, `ignoring-${method}`);
      expect(code).toBe(2);
      expect(stderr).toMatch(ONE_LINE_WITH_THE_WAY_OUT);
      expect(sent()).toHaveLength(1);
      expect(sent()[0]?.body).toMatchObject({
        tools: [{ type: "function", function: { name: "lookup" } }],
        tool_choice: "auto",
      });
      expect(rowsOf(join(cwd, `ignoring-${method}`))).toEqual([]);
    },
  );

  test("may as well refuse the tools with an error", async () => {
    fault = { kind: "status", status: 400, message: '"auto" tool choice requires --enable-auto-tool-choice' };
    const { code, stderr } = await run("react", "refusing");
    expect(code).toBe(2);
    expect(stderr).toMatch(ONE_LINE_WITH_THE_WAY_OUT);
    expect(stderr).toContain('"auto" tool choice requires');
    expect(sent()).toHaveLength(1);
  });

  test.each([
    [401, "invalid key", 3, /^stopped before the end: openai\/local: 401 invalid key .*; check OPENAI_API_KEY/m],
    [404, "No endpoints found that support tool use", 2, ONE_LINE_WITH_THE_WAY_OUT],
  ])("is told from one that cannot be asked at all: status %i, %s", async (status, message, exit, says) => {
    fault = { kind: "status", status, message };
    const { code, stderr } = await run("react", `refusing-${message.length}`);
    expect({ code, stderr }).toEqual({ code: exit, stderr: expect.stringMatching(says) });
    expect(stderr).not.toMatch(/internal error|\n +at /);
    expect(sent()).toHaveLength(1);
  });

  test("is fine where the text protocol was asked for: no probe, and no tools in any request", async () => {
    expect(await run("react", "as-text", "--set agent.protocol=text-react")).toMatchObject({ code: 0 });
    expect(sent()).toHaveLength(4);
    for (const { body } of sent()) expect(body).not.toHaveProperty("tools");
  });
});

describe("a server that does tool calls", () => {
  test("is probed once per run, whatever the number of methods", async () => {
    toTools = calling;
    const { code } = await run("persona-agent-wo-persona,persona-agent-wo-alignment", "calling");
    expect(code).toBe(0);
    expect(sent().filter((request) => openaiDialect.tools(request).includes("lookup"))).toHaveLength(1);
    expect(openaiDialect.tools(sent()[0]!)).toEqual(["lookup"]); // before anything else
  });

  test("is probed with all that its agents will send; the manifest keeps what that took", async () => {
    toTools = calling;
    expect(await run("persona-agent-wo-persona", "full", "--set temperature=0.3 --set model.effort=low")).toMatchObject(
      { code: 0 },
    );
    const [probe, turn] = sent().flatMap(({ body }) => (body.tools === undefined ? [] : [Object.keys(body).sort()]));
    expect(probe).toEqual(turn);
    expect(sent()[0]?.body).toMatchObject({ temperature: 0.3, reasoning_effort: "low", tool_choice: "auto" });
    expect(manifestIn(join(cwd, "full"))?.probes?.["openai/local"]).toMatchObject({
      in: expect.any(Number),
      out: expect.any(Number),
    });
  });

  test("shows before anything else that the endpoint refuses a parameter, which model.omit leaves out", async () => {
    toTools = calling;
    fault = { kind: "status", status: 400, message: "Unsupported parameter: 'temperature'" };
    const refusing = fault;
    onRequest = ({ body }) => {
      fault = "temperature" in body ? refusing : undefined;
    };
    const ended = await run("react", "no-temperature");
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining("use --set model.omit=temperature") });
    expect(sent()).toHaveLength(1);
    const left = await run("react", "left-out", "--set model.omit=temperature");
    onRequest = () => undefined;
    fault = undefined;
    expect(left.code).toBe(0);
    expect(readFileSync(join(cwd, "left-out", "results.md"), "utf8")).toContain("temperature not applied");
    expect(sent().filter(({ body }) => "temperature" in body)).toHaveLength(1);
  });

  test("is paid for once, also when the run stops at a cap and is taken up again", async () => {
    toTools = calling;
    expect(await run("react", "capped", "--max-calls 2")).toMatchObject({ code: 1 });
    expect(await run("react", "capped")).toMatchObject({ code: 0 });
    expect(sent().filter((request) => openaiDialect.tools(request).includes("lookup"))).toHaveLength(1);
  });

  test("is asked for again after a failed probe, also in the same folder under the settings that were advised", async () => {
    expect(await run("react", "advised")).toMatchObject({ code: 2 });
    expect(await run("react", "advised")).toMatchObject({ code: 2 });
    expect(sent()).toHaveLength(2);
    expect(await run("react", "advised", "--set agent.protocol=text-react")).toMatchObject({ code: 0 });
  });
});
