import { describe, expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { integer } from "../../src/registry/options.js";
import { tasks } from "../../src/tasks/index.js";
import type { Answerer, Kit, Method, Question } from "../../src/types/index.js";
import { optionFindings } from "../helpers/contract/options.js";
import { rowFindings } from "../helpers/contract/rows.js";
import type { Subject } from "../helpers/contract/trial.js";

const task = tasks.get("lamp2m");

describe("every registered method", () => {
  test.each(methods.all)("$name keeps the contract of rows, calls and options", async (method) => {
    const fitting = [task, tasks.get("lamp3")].find((one) => method.unfit?.(one) === undefined)!;
    const subject: Subject = { task: fitting, method, online: true };
    expect(await rowFindings(subject)).toEqual([]);
    expect(optionFindings(method)).toEqual([]);
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
