import { readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seeded } from "../../src/random/seeded.js";
import { runFiles } from "../../src/record/rows.js";
import type { Fault, ProviderServer } from "../helpers/provider-server.js";
import { fakeKey, promptOf, startRatedServer } from "../helpers/rated-server.js";
import { answeredPrompts, comparable } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { type CliProcess, type Exit, startCli } from "./cli-process.js";
import { runHere } from "./in-process.js";
import { until } from "./until.js";

const concurrency = 4;
const cwd = suiteDir();
let server: ProviderServer;
let uninterrupted: Record<string, string>;
/** Requests of the whole run. */
let total: number;
/** What becomes of requests for now. */
let fault: Fault | undefined;

beforeAll(async () => {
  server = await startRatedServer({ latencyMs: 5, fault: () => fault });
  const { code, stderr } = await finish("uninterrupted");
  if (code !== 0) throw new Error(stderr);
  uninterrupted = comparable(join(cwd, "uninterrupted"));
  total = server.requests.length;
});
afterAll(() => server.close());

const settings = { cwd, env: { OPENAI_API_KEY: fakeKey } };
const argumentsFor = (out: string): string[] =>
  `run --task lamp3 --method prompt,rag,pag --users 8 --model openai/rated --base-url ${server.url}/v1 --concurrency ${concurrency} --out ${out}`.split(
    " ",
  );
const start = (out: string): CliProcess => startCli(argumentsFor(out), settings);
/** Nobody kills it. */
const finish = (out: string): Promise<Exit> => runHere(argumentsFor(out), settings);

/** Lets the run go on until the server has seen so many more requests, then kills it. */
async function runAndKill(out: string, requests: number): Promise<Exit> {
  const goal = server.requests.length + requests;
  const cli = start(out);
  await until(() => server.requests.length >= goal || cli.ended);
  cli.kill("SIGKILL");
  return cli.exit;
}

const promptsSince = (index: number): string[] => server.requests.slice(index).map(promptOf);

describe("a run that is killed", () => {
  test("no request goes out twice in an uninterrupted run", () => {
    const sent = promptsSince(0).slice(0, total);
    expect(total).toBeGreaterThan(60);
    expect(new Set(sent).size).toBe(total);
    expect(answeredPrompts(join(cwd, "uninterrupted"))).toEqual(new Set(sent));
  });

  test("sends no answered request again, however often it is killed, and ends with the same bytes", async () => {
    const folder = join(cwd, "killed");
    const begun = server.requests.length;
    const random = seeded("moments of death");
    let kills = 0;
    for (const share of [0.02, 0.4, 0.4]) {
      const before = server.requests.length;
      const answered = kills === 0 ? new Set<string>() : answeredPrompts(folder);
      const { signal } = await runAndKill("killed", Math.max(1, Math.round(total * share * (0.5 + random.next() / 2))));
      if (signal === "SIGKILL") kills++;
      expect(promptsSince(before).filter((prompt) => answered.has(prompt))).toEqual([]);
    }
    expect(kills).toBe(3);

    const before = server.requests.length;
    const answered = answeredPrompts(folder);
    const { code, stderr } = await finish("killed");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(promptsSince(before).filter((prompt) => answered.has(prompt))).toEqual([]);
    expect(new Set(promptsSince(begun)).size).toBe(total);
    expect(server.requests.length - begun - total).toBeLessThanOrEqual(kills * concurrency); // those in flight
    expect(comparable(folder)).toEqual(uninterrupted);
  });

  test("killed after its last question, while files are closed, put in order and summed up, loses nothing", async () => {
    const cli = start("late");
    await until(() => /lamp3 pag: (\d+)\/\1 /.test(cli.messages) || cli.ended);
    cli.kill("SIGKILL");
    await cli.exit;
    const before = server.requests.length;
    expect(await finish("late")).toMatchObject({ code: 0 });
    expect(server.requests.length).toBe(before);
    expect(comparable(join(cwd, "late"))).toEqual(uninterrupted);
  });

  test("recovers a torn line of the log, and torn rows and removed traces, and pays for nothing but a lost reply", async () => {
    const folder = join(cwd, "uninterrupted");
    const files = [runFiles.rows, runFiles.log];
    for (const torn of [...files.map((name) => [name]), files]) {
      for (const name of torn) tear(join(folder, name));
      rmSync(join(folder, runFiles.traces));
      const before = server.requests.length;
      const { code, stderr } = await finish("uninterrupted");
      expect({ torn, code, stderr }).toMatchObject({ code: 0 });
      expect(server.requests.length - before).toBeLessThanOrEqual(torn.includes(runFiles.log) ? 1 : 0);
      expect(comparable(folder), torn.join(" ")).toEqual(uninterrupted);
    }
  });
});

describe("the lock of a run folder", () => {
  test("keeps a second process out by name, and falls to the next run when its owner was killed", async () => {
    fault = { kind: "hang" };
    const first = start("locked");
    const seen = server.requests.length;
    await until(() => server.requests.length > seen || first.ended);
    const second = await finish("locked");
    first.kill("SIGKILL");
    await first.exit;
    fault = undefined;
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(
      /locked: process \d+ on \S+ is working on this run .*; wait for it, choose another --out, or remove \S+lock if that process is gone/,
    );
    const third = await finish("locked");
    expect(third.code).toBe(0);
    expect(comparable(join(cwd, "locked"))).toEqual(uninterrupted);
  });

  test("of a process that is gone, or without a readable owner, is taken over", async () => {
    for (const owner of ["999999999", "", "garbage"]) {
      writeFileSync(join(cwd, "locked", "lock"), owner);
      utimesSync(join(cwd, "locked", "lock"), 0, 0); // no sign of life for long
      const { code, stderr } = await finish("locked");
      expect({ owner, code, stderr }).toMatchObject({ code: 0 });
    }
  });
});

/** Leaves the last record of a file half written; of a log the last reply, and nothing behind it. */
function tear(path: string): void {
  const bytes = readFileSync(path);
  const last = path.endsWith(runFiles.log) ? bytes.lastIndexOf('{"t":"answer"') : bytes.lastIndexOf("\n{");
  truncateSync(path, Math.ceil((last + bytes.indexOf("\n", last + 1)) / 2));
}
