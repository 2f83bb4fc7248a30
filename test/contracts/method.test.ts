import childProcess from "node:child_process";
import crypto from "node:crypto";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http2 from "node:http2";
import net from "node:net";
import { dirname } from "node:path";
import tls from "node:tls";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { optionFindings } from "../../src/app/contract/options.js";
import { rowFindings } from "../../src/app/contract/rows.js";
import { reachedFor } from "../../src/app/contract/sealed.js";
import { runTrial, type Subject } from "../../src/app/contract/trial.js";
import { worldOf } from "../../src/app/contract/world.js";
import { methods } from "../../src/methods/index.js";
import { integer } from "../../src/options.js";
import { tasks } from "../../src/tasks/index.js";
import type { Answerer, Kit, Method, Question } from "../../src/types.js";

const task = tasks.get("lamp2m");
const run = (method: Method) => runTrial({ task, method, online: true }, worldOf(task));

describe("every registered method", () => {
  test.each(methods.all)("$name keeps the contract of rows, calls, options and sealed rooms", async (method) => {
    const subject: Subject = { task, method, online: true };
    expect(await rowFindings(subject)).toEqual([]);
    expect(optionFindings(method)).toEqual([]);
    expect(await reachedFor(() => run(method))).toEqual([]);
  });
});

describe("a method is found out that", () => {
  test("keeps something from one user to the next", async () => {
    let met = 0;
    const counting = answering(async ({ text }, kit) => {
      met += 1;
      return ask(kit, `${text} ${met}`);
    });
    const rules = (await rowFindings({ task, method: counting, online: false })).map(({ rule }) => rule);
    expect(new Set(rules)).toEqual(new Set(["rows", "users"]));
  });

  test("makes other calls than it plans", async () => {
    const twice = answering(async ({ text }, kit) => (await ask(kit, text)) && ask(kit, `${text} again`));
    const [finding] = await rowFindings({ task, method: twice, online: false });
    expect(finding).toMatchObject({ rule: "calls", text: expect.stringContaining("answer: 2 calls, planned 1..1") });
  });

  const here = fileURLToPath(import.meta.url);
  test.each<[string, () => unknown]>([
    ["a file (readFileSync)", () => fs.readFileSync(here)],
    ["a file (accessSync)", () => fs.accessSync(here)],
    ["a file (unlinkSync)", () => fs.unlinkSync(`${here}.none`)],
    ["a file (opendirSync)", () => fs.opendirSync(dirname(here))],
    ["a file (copyFile)", () => fs.promises.copyFile(here, `${here}.none`)],
    ["a file (ReadStream)", () => Reflect.construct(fs.ReadStream, [here])],
    ["the network (fetch)", () => fetch("http://localhost:1")],
    ["the network (connect)", () => new net.Socket().connect(9, "127.0.0.1")],
    ["the network (connect)", () => tls.connect(9, "127.0.0.1")],
    ["the network (connect)", () => http2.connect("http://127.0.0.1:9")],
    ["the network (createSocket)", () => dgram.createSocket("udp4")],
    ["the network (lookup)", () => dns.lookup("localhost", () => undefined)],
    ["the network (resolve4)", () => dns.promises.resolve4("localhost")],
    ["the network (resolve4)", () => new dns.Resolver().resolve4("localhost", () => undefined)],
    ["another program (spawnSync)", () => childProcess.spawnSync("none")],
    ["another program (Worker)", () => new Worker("0", { eval: true })],
    ["the clock (now)", () => Date.now()],
    ["the clock (now)", () => performance.now()],
    ["the clock (Date)", () => new Date()],
    ["the clock (Date)", () => Date()],
    ["the clock (Date)", () => Reflect.construct(new Date(0).constructor, [])],
    ["the clock (DateTimeFormat)", () => new Intl.DateTimeFormat("en").format()],
    ["the clock (bigint)", () => process.hrtime.bigint()],
    ["the clock (uptime)", () => process.uptime()],
    ["unseeded chance (random)", () => Math.random()],
    ["unseeded chance (randomUUID)", () => crypto.randomUUID()],
    ["unseeded chance (randomInt)", () => crypto.randomInt(9)],
    ["unseeded chance (randomBytes)", () => crypto.randomBytes(9)],
    ["unseeded chance (randomUUID)", () => globalThis.crypto.randomUUID()],
    ["unseeded chance (getRandomValues)", () => globalThis.crypto.getRandomValues(new Uint8Array(1))],
    ["the environment (HOME)", () => process.env.HOME],
  ])("reaches for %s", async (what, reach) => {
    let got: unknown = "nothing";
    const reaching = async () => {
      got = await reach();
    };
    expect([await reachedFor(reaching), got]).toEqual([[what], "nothing"]);
  });

  test("reaches for the clock while it answers; what is watched works again afterwards", async () => {
    const reaching = answering(async ({ text }, kit) => ask(kit, text + Date.now()));
    expect(await reachedFor(() => run(reaching))).toContain("the clock (now)");
    const { HOME } = process.env;
    expect([typeof Date.now(), Date(), fs.existsSync(here), HOME]).toEqual(["number", expect.any(String), true, HOME]);
  });

  test.each<[string, () => unknown]>([
    ["a time that is given", () => new Intl.DateTimeFormat("en").format(new Date(0))],
    ["a hash", () => crypto.createHash("sha256").update("a").digest("hex")],
    ["what a console does", () => fs.writeSync(1, "")],
  ])("is not blamed for %s", async (_what, job) => {
    expect(await reachedFor(async () => job())).toEqual([]);
  });

  test("does not document its options", () => {
    const method = answering(async ({ text }, kit) => ask(kit, text));
    expect(optionFindings(method)).toEqual([]);
    const bad = { ...method, name: "My Method", options: { k: { ...integer({ default: 1, help: "" }) } } };
    expect(optionFindings(bad)).toEqual([
      expect.stringContaining('"My Method"'),
      expect.stringContaining("k: its name is not dotted"),
      expect.stringContaining("k: it has no help"),
    ]);
  });
});

test("a method that reaches for nothing is not blamed for what runs beside it", async () => {
  const quiet = answering(async ({ text }, kit) => ask(kit, text));
  let beside = 0;
  const ticking = setInterval(() => {
    beside += Date.now() > 0 && Math.random() < 2 ? 1 : 0;
  }, 0);
  let reached = await reachedFor(() => run(quiet));
  while (beside === 0) reached = [...reached, ...(await reachedFor(() => run(quiet)))];
  clearInterval(ticking);
  expect(reached).toEqual([]);
});

const ask = async (kit: Kit, content: string): Promise<string> =>
  (await kit.ask("answer", { messages: [{ role: "user", content }] })).text;

function answering(answer: (question: Question, kit: Kit) => Promise<string>): Method {
  return {
    name: "planted",
    summary: "made for a test",
    source: "this test",
    options: {},
    plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 1, high: 1 } }) }),
    personalize: async (): Promise<Answerer> => answer,
  };
}
