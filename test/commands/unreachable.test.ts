import { writeFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readLog } from "../../src/log/log.js";
import { rowsOf } from "../../src/record/rows.js";
import type { ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, startRatedServer } from "../helpers/rated-server.js";
import { reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const gates: net.Server[] = [];
let server: ProviderServer;

const close = (gate: net.Server | undefined) => new Promise((resolve) => gate?.close(resolve));

beforeAll(async () => {
  server = await startRatedServer();
  writeReviews(join(cwd, "reviews"), [reviewUser("ann"), reviewUser("bob")]);
});
afterAll(async () => {
  await server.close();
  for (const gate of gates) gate.close();
});

/** Four calls. */
const run = (baseUrl: string, out: string) =>
  runCommandLine(
    `run --task lamp3 --method prompt --data reviews --model openai/rated --base-url ${baseUrl} --max-calls 4 --out ${out}`,
    { cwd, env: { OPENAI_API_KEY: fakeKey } },
  );

/** Passes what comes to this port on to the server; closed in the end. Returns the port. */
async function passOn(at: number): Promise<number> {
  const to = Number(new URL(server.url).port);
  const gate = net.createServer((socket) => socket.pipe(net.connect(to, "127.0.0.1")).pipe(socket));
  await new Promise<void>((resolve) => gate.listen(at, "127.0.0.1", resolve));
  gates.push(gate);
  return (gate.address() as net.AddressInfo).port;
}

test.each([
  [
    "refused connection",
    /ECONNREFUSED 127\.0\.0\.1:\d+; no connection to http:\/\/127\.0\.0\.1:\d+\/v1 in 3 tries; start/,
  ],
  [
    "unknown host",
    /(ENOTFOUND|EAI_AGAIN) nobody\.invalid; no connection to http:\/\/nobody\.invalid\/v1 in 3 tries; start/,
  ],
])(
  "%s: three tries end the run before a question fails, one line says what to do, and it goes on afterwards",
  async (name, reason) => {
    const out = name.replace(" ", "-");
    const port = await passOn(0);
    await close(gates.pop());
    const near = `http://127.0.0.1:${port}/v1`;
    const { code, stderr } = await run(name === "unknown host" ? "http://nobody.invalid/v1" : near, out);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^nothing is answered yet: .* \(--give-up-after 1h waits that long for a server\)$/m);
    expect(stderr.split("\n").filter((line) => reason.test(line))).toEqual([
      expect.stringMatching(
        /^stopped before the end: openai\/rated: Connection error\. .* start that server or correct its address$/,
      ),
    ]);
    expect(rowsOf(join(cwd, out))).toEqual([]);
    const log = readLog(join(cwd, out, "log.jsonl"));
    log.close();
    expect(log.state.money).toMatchObject({ tries: 0, refused: 3, unknown: 0 });
    if (name === "unknown host") return; // nobody can make one
    await passOn(port);
    const again = await run(near, out);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/^4 calls sent/m) });
  },
);

test("a host that does not answer ends its own arms; those of another are finished", async () => {
  const port = await passOn(0);
  await close(gates.pop());
  const config = {
    endpoints: {
      dead: { provider: "openai", baseUrl: `http://127.0.0.1:${port}/v1` },
      near: { provider: "openai", baseUrl: server.url },
    },
  };
  writeFileSync(join(cwd, "two.json"), JSON.stringify(config));
  const line =
    "run --task lamp3 --method prompt --data reviews --config two.json --model dead/rated,near/rated --out two";
  const { code, stderr } = await runCommandLine(line, { cwd });
  expect(stderr).toMatch(/^stopped before the end: dead\/rated: .* no connection to/m);
  expect(code).toBe(3);
  const rows = rowsOf(join(cwd, "two"));
  expect([rows.length, new Set(rows.map(({ arm }) => arm)).size]).toEqual([4, 1]);
  expect(rows.some(({ outcome }) => outcome.kind === "failed")).toBe(false);
  await passOn(port);
  expect(await runCommandLine(line, { cwd })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^4 calls sent/m),
  });
});

test("--give-up-after, where it is said, is how long a server is waited for that may still be starting", async () => {
  const port = await passOn(0);
  await close(gates.pop());
  const line = `run --task lamp3 --method prompt --data reviews --model openai/rated --base-url http://127.0.0.1:${port}/v1 --give-up-after 60s --out late`;
  const { code, stderr } = await runCommandLine(line, { cwd });
  expect(code).toBe(3);
  expect(stderr).toMatch(/^stopped before the end: .*; no reply from http:\S+ for 60 s \(--give-up-after\)$/m);
  expect(stderr.match(/ECONNREFUSED .*; calls wait until it replies again/g)).toHaveLength(1);
});

test("a judge whose host takes no connection ends as a run does: one line, exit 3", async () => {
  await runCommandLine("run --task lamp4 --method prompt --users 1 --out judged", { cwd });
  const port = await passOn(0);
  await close(gates.pop());
  const { code, stderr } = await runCommandLine(
    `judge judged --model openai/rated --base-url http://127.0.0.1:${port}/v1`,
    { cwd, env: { OPENAI_API_KEY: fakeKey } },
  );
  expect(stderr).toMatch(/no connection to \S+ in 3 tries; start that server/);
  expect(code).toBe(3);
});
