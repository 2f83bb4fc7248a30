import net from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attemptTotals } from "../../src/run/purse/attempts.js";
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
  ["refused connection", /ECONNREFUSED 127\.0\.0\.1/],
  ["unknown host", /(ENOTFOUND|EAI_AGAIN) nobody\.invalid/],
])(
  "%s: tries are unbilled and counted apart, one line names the reason, and the run goes on afterwards",
  async (name, reason) => {
    const out = name.replace(" ", "-");
    const port = await passOn(0);
    await close(gates.pop());
    const near = `http://127.0.0.1:${port}/v1`;
    const { code, stderr } = await run(name === "unknown host" ? "http://nobody.invalid/v1" : near, out);
    expect(code).toBe(1);
    expect(stderr.split("\n").filter((line) => reason.test(line))).toEqual([
      expect.stringMatching(/^failed, 4 times: openai\/rated: Connection error\. .* \(gave up after 6 tries\)$/),
    ]);
    expect(stderr).toMatch(/^0 calls sent/m);
    expect(stderr).toMatch(/^24 tries were refused and are not counted: not billed/m);
    expect(attemptTotals(join(cwd, out, "attempts.jsonl"))).toMatchObject({ billable: 0, refused: 24, unknown: 0 });
    if (name === "unknown host") return; // nobody can make one
    await passOn(port);
    const again = await run(near, out);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringMatching(/^4 calls sent/m) });
  },
);
