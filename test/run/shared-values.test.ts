import { describe, expect, test } from "vitest";
import { poolOf } from "../../src/data/others.js";
import { type ArmContext, openKit } from "../../src/run/kit.js";
import type { Ledger } from "../../src/run/ledger.js";
import { tasks } from "../../src/tasks/index.js";
import type { Kit } from "../../src/types/index.js";
import { replyOf, scripted } from "../helpers/model-request.js";

const task = tasks.get("lamp2n");
const model = scripted(() => replyOf("x", { usage: { in: 3, out: 1 } }));

function bench(over: Partial<ArmContext> = {}): ArmContext {
  return {
    spec: { id: "c", task: task.name, dataset: "d", method: "m", model: model.id, options: {}, seed: 0, repeat: 0 },
    task,
    model,
    embedder: { id: "none", dimensions: 0, embed: async () => [] },
    others: poolOf([], { kind: "none", askers: [], dated: false }),
    tool: () => undefined,
    temperature: undefined,
    signal: new AbortController().signal,
    shared: new Map(),
    ...over,
  };
}

const ask = (kit: Kit) => kit.ask("summary", { messages: [{ role: "user", content: "?" }] });

describe("what all units of an arm share", () => {
  test("is booked on a ledger of its own, once, whoever comes first", async () => {
    const booked: [string, Ledger][] = [];
    const armSpec = bench({ onShared: (key, ledger) => booked.push([key, ledger]) });
    const units = ["u1", "u2"].map((id) => openKit(armSpec, id));
    await Promise.all(units.map(({ kit }) => kit.shared("reports", ask)));
    expect(booked.map(([key, ledger]) => [key, ledger.spend()])).toEqual([
      ["reports", { summary: { calls: 1, in: 3, out: 1 } }],
    ]);
    expect(units.map(({ ledger }) => [ledger.spend(), ledger.requests()])).toEqual([
      [{}, []],
      [{}, []],
    ]);
  });

  test("has one random stream, whoever comes first", async () => {
    const draw = (user: string) =>
      openKit(bench(), user).kit.shared("draw", async (kit) => kit.random("a").next() + kit.runRandom("a").next());
    expect(await draw("u1")).toBe(await draw("u2"));
  });
});

test("a shared value with a content id is built once for all arms with one pool, and each content by itself", async () => {
  const common = new Map<string, Promise<unknown>>();
  let built = 0;
  const get = (content: string) =>
    openKit(bench({ sharedByContent: common }), "u").kit.shared("key", async () => ++built && content, { content });
  expect(await Promise.all([get("a"), get("b"), get("a")])).toEqual(["a", "b", "a"]);
  expect(built).toBe(2);
});

test("a shared value with a content id may not ask a model: another arm would lack the call", async () => {
  const { kit } = openKit(bench(), "u");
  const asks = async (armKit: Kit) => (await ask(armKit)).text;
  await expect(kit.shared("key", asks, { content: "id" })).rejects.toThrow(
    "shared value key is shared by its content but asks",
  );
});
