/** Calls of a program's libraries: through a local address with OpenAI's protocol they are the run's calls. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { type CallOwner, type Door, openDoor } from "../../src/extend/exec/door.js";
import { rowsOf, unitRecordsOf } from "../../src/record/rows.js";
import { tasks } from "../../src/tasks/index.js";
import { runHere } from "../e2e/in-process.js";
import { fakeKit } from "../helpers/kit.js";
import { entriesOf } from "../helpers/planted-log.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { Command, env, expectSame } from "../law/command.js";
import { derivedFiles } from "../law/files.js";
import { servedModel, startUnevenServer } from "../law/uneven-server.js";

const root = suiteDir();
const memory = fileURLToPath(new URL("../fixtures/exec/memory.mjs", import.meta.url));
let server: ProviderServer;
beforeAll(async () => {
  server = await startUnevenServer({ fails: () => false });
});
afterAll(() => server.close());

/** A run of the memory system with its door open, on two users. */
function command(name: string, mode = "plain", line = ""): Command {
  const common = "--task lamp2m --users 2 --concurrency 4 --config run.json";
  const made = new Command(
    join(root, name),
    `${common} --model ${servedModel} --base-url ${server.url} ${line}`.trim(),
  );
  writeFileSync(join(made.cwd, "memory.mjs"), readFileSync(memory));
  const config = { method: [`exec:node memory.mjs ${mode}`], set: { "exec.door": "on" } };
  writeFileSync(join(made.cwd, "run.json"), JSON.stringify(config));
  return made;
}

/** What a run's records say that it spent, by phase. */
function spent({ folder }: Command): Record<string, number> {
  const calls: Record<string, number> = {};
  for (const { spend } of [...rowsOf(folder), ...unitRecordsOf(folder)])
    for (const [phase, totals] of Object.entries(spend)) calls[phase] = (calls[phase] ?? 0) + totals.calls;
  return calls;
}

const replies = ({ folder }: Command): number =>
  entriesOf(folder).filter((entry) => entry.t === "answer" && entry.kind === "reply").length;

describe("a run with a door", () => {
  test("counts each call of the program's library, and comes back from its log without program or server", async () => {
    const made = command("plain");
    const before = server.requests.length;
    await made.finish();
    const sent = server.requests.length - before;
    const rows = rowsOf(made.folder);
    const units = unitRecordsOf(made.folder);
    const events = units.reduce((sum, { historySize }) => sum + historySize, 0);
    expect(spent(made)).toEqual({ ingest: events, answer: rows.length });
    expect([sent, replies(made)]).toEqual([events + rows.length, events + rows.length]);
    expect([...rows, ...units].some(({ spendUnknown }) => spendUnknown)).toBe(false);
    for (const { historySize, incidents } of units)
      expect(incidents).toEqual({ "door-ignored=response_format": historySize, "door-ignored=top_p": historySize });
    expect(JSON.stringify(server.requests.at(-1)?.body)).toMatch(/\(\d{3}\)/); // the encoder's numbers came through
    await made.comesBack(() => server.requests.length);
    renameSync(join(made.cwd, "memory.mjs"), join(made.cwd, "gone.mjs"));
    expect(await runHere(["verify", "out"], { cwd: made.cwd, env })).toMatchObject({ code: 0 });
    const { stdout } = await runHere(["report", "out", "--wide"], { cwd: made.cwd, env });
    expect(stdout).toMatch(/calls\/user/);
    expect(server.requests.length - before).toBe(sent);
  });

  test("stops exactly at a cap, and goes on with nothing bought twice", async () => {
    const most = 11;
    const whole = await command("whole").finish();
    const capped = command("capped");
    const before = server.requests.length;
    expect(await capped.exit("--max-calls", String(most))).toBe(1);
    expect(server.requests.length - before).toBe(most);
    expectSame(await capped.finish(), whole);
    expect(server.requests.length - before).toBe(replies(capped));
  });

  test("keeps the last ingestion of a user whose requests are not the same twice", async () => {
    const made = command("clock", "clock");
    expect(await made.exit("--max-calls", "40")).toBe(1);
    await made.finish();
    const units = unitRecordsOf(made.folder);
    expect(units.some(({ incidents }) => incidents["ingest-differs"] === 1)).toBe(true);
    for (const { historySize, spend } of units) expect(spend.ingest?.calls).toBe(historySize);
    expect(await runHere(["verify", "out"], { cwd: made.cwd, env })).toMatchObject({ code: 0 });
  });

  test("says what a program that dies was at, and marks what is not known of one that says nothing", async () => {
    const crashed = command("crash", "crash");
    expect(await crashed.exit()).toBe(1);
    expect(JSON.stringify(derivedFiles(crashed.folder))).toMatch(
      /ended with code 3 while it took in user \S+ after 2 calls/,
    );
    const silent = command("silent", "silent");
    await silent.finish();
    expect(rowsOf(silent.folder).every(({ spendUnknown }) => spendUnknown)).toBe(true);
    expect((await runHere(["report", "out"], { cwd: silent.cwd, env })).stdout).toMatch(/ ≥[\d,]+ /);
  });
});

describe("the protocol", () => {
  let door: Door;
  let open: CallOwner | undefined;
  const kit = fakeKit({
    task: tasks.get("lamp2m"),
    script: ({ request, text }) => {
      if (text.includes("fail")) throw new ModelError("too long", { retryable: false });
      return `${text} #${request.draw}`;
    },
  });
  beforeAll(async () => {
    door = await openDoor(() => open);
  });
  afterAll(() => door.close());

  async function post(path: string, body: object) {
    const url = `${door.env.OPENAI_BASE_URL}/${path}`;
    const response = await fetch(url, { method: "POST", body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  }
  const user = (content: string) => [{ role: "user", content }];
  const begin = (): void => {
    open = { kit: kit.kit, phase: "ingest", draws: new Map(), during: (call) => call() };
  };

  test("repeats and n are draws, streams are one chunk, tools and formats go in, failures are 400", async () => {
    expect((await post("chat/completions", { messages: user("a") })).status).toBe(409);
    begin();
    const texts = async (body: object) =>
      JSON.parse((await post("chat/completions", body)).text).choices.map(
        ({ message }: { message: { content: string } }) => message.content,
      );
    expect(await texts({ messages: user("a") })).toEqual([expect.stringContaining("a #0")]);
    const [first, second] = await texts({ messages: user("a"), n: 2 });
    expect([first, second]).toEqual([expect.stringContaining("a #1"), expect.stringContaining("a #2")]);
    const { text } = await post("chat/completions", { messages: user("b"), stream: true });
    expect(text).toMatch(/^data: \{.*"delta":\{"role":"assistant","content":"[^"]*b #0".*\n\ndata: \[DONE\]\n\n$/);
    await post("chat/completions", {
      model: "judge",
      messages: [
        { role: "system", content: "s" },
        ...user("c"),
        { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "f", arguments: '{"x":1}' } }] },
        { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "r" }] },
      ],
      tools: [{ type: "function", function: { name: "f" } }],
      response_format: { type: "json_object" },
    });
    expect(kit.calls.at(-1)?.request).toMatchObject({
      of: "judge",
      system: "s\n\nAnswer with JSON only.",
      messages: [
        { role: "user", content: "c" },
        { role: "assistant", toolCalls: [{ id: "1", name: "f", arguments: { x: 1 } }] },
        { role: "tool", results: [{ id: "1", name: "f", content: "r" }] },
      ],
      tools: [{ name: "f", description: "", parameters: {} }],
    });
    expect(await post("chat/completions", { messages: user("fail") })).toMatchObject({
      status: 400,
      text: expect.stringContaining("too long"),
    });
    expect(await post("chat/completions", { messages: [] })).toMatchObject({ status: 400 });
    expect(await post("responses", {})).toMatchObject({ status: 400 });
    expect((await fetch(`${door.env.OPENAI_BASE_URL?.replace(/[^/]+\/v1$/, "other/v1")}/models`)).status).toBe(404);
  });
});
