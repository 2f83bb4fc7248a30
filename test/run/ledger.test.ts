import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import type { Kit, ModelRequest } from "../../src/types/index.js";
import { answering, armOf, personalizing, ratingUnit, runEngine, says } from "../helpers/engine-run.js";
import { replyOf, scripted } from "../helpers/model-request.js";

/** Three chains of two calls each, side by side; `b1` and `c2` fail. */
const fanOut = async (kit: Kit): Promise<string> => {
  const chain = async (name: string): Promise<string> => {
    await kit.ask("summary", says(`${name}1`));
    return (await kit.ask("answer", says(`${name}2`))).text;
  };
  const texts = await Promise.all(["a", "b", "c"].map(chain));
  return texts[0]!;
};

const askedText = ([message]: ModelRequest["messages"]): string => (message?.role === "user" ? message.content : "");

/** A model whose replies come in this order of their requests. */
const modelOf = (order: string) =>
  scripted(async ({ messages }) => {
    const text = askedText(messages);
    await setTimeout(5 * order.indexOf(text));
    if (text === "b1" || text === "c2") throw new ModelError(`${text} failed`, { retryable: false });
    return replyOf("5");
  });

const kinds = {
  "an answer": answering((_, kit) => fanOut(kit)),
  "a preparation": personalizing(async (kit) => {
    const text = await fanOut(kit);
    return async () => text;
  }),
  "a shared value": personalizing(async (kit) => {
    const text = await kit.shared("value", fanOut);
    return async () => text;
  }),
};

describe("a fan-out with failed calls", () => {
  test.each(Object.entries(kinds))("makes the same records in every order of replies: %s", async (_, method) => {
    const runs = ["a1a2b1b2c1c2", "c1c2b1a1a2", "b1a1c1c2a2", "a2b1c2a1c1"].map(async (order) => {
      const { rows, units, traces } = await runEngine([armOf(method, [ratingUnit("u", ["q"])])], {
        model: modelOf(order),
      });
      return JSON.stringify({ rows, units, traces });
    });
    const [first, ...others] = await Promise.all(runs);
    for (const other of others) expect(other).toBe(first);
    expect(first).toContain('"answer":{"calls":1,');
    expect(first).toContain('"summary":{"calls":2,');
  });

  test("fails for the run where one of its failures ends the run, whatever its key", async () => {
    const model = scripted(({ messages }) => {
      const text = askedText(messages);
      const scope = text === "c1" ? "stop" : "call";
      throw new ModelError(`${text} failed`, { retryable: false, scope });
    });
    const { reason, rows } = await runEngine([armOf(kinds["an answer"], [ratingUnit("u", ["q"])])], { model });
    expect(reason).toMatchObject({ message: "c1 failed" });
    expect(rows).toEqual([]);
  });
});
