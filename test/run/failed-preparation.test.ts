import { expect, test } from "vitest";
import { poolOf } from "../../src/data/others.js";
import { ModelError } from "../../src/errors.js";
import { learningFailed, type Rows, runArms } from "../../src/run/engine.js";
import type { Arm } from "../../src/run/plan.js";
import { tasks } from "../../src/tasks/index.js";
import type { Answerer, Kit, Method, Row, UnitRecord } from "../../src/types.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { wordEmbedder } from "../helpers/kit.js";
import { replyOf, scripted } from "../helpers/model-request.js";

const task = tasks.get("lamp3");
const ask = (kit: Kit, content: string) => kit.ask("summary", { messages: [{ role: "user", content }] });

/** Answers, but refuses what says `fail`. */
const model = scripted(({ messages }) => {
  if (JSON.stringify(messages).includes("fail")) throw new ModelError("too long", { retryable: false });
  return replyOf("5");
});

async function runWith(personalize: (kit: Kit) => Promise<Answerer>, online = false) {
  const method: Method = {
    name: "failing",
    summary: "",
    source: "",
    options: {},
    personalize: (_user, _options, kit) => personalize(kit),
    plan: () => ({ perUnit: () => ({}), perQuestion: () => ({}) }),
  };
  const examples = ["q1", "q2"].map((id) => ({ question: { id, text: id, content: id, query: id }, gold: "5" }));
  const unit = { id: "u", user: { id: "u", history: [] }, examples };
  const others = poolOf([], { kind: "none", askers: [], dated: false });
  const cell = {
    id: "c",
    task: task.name,
    dataset: "d",
    method: "failing",
    model: model.id,
    options: {},
    seed: 0,
    repeat: 0,
  };
  const dataset = { name: "d", task: task.name, users: [], files: [], ordered: true, facts: {} };
  const loaded = { task, dataset, units: [unit], others, given: {}, dataOptions: {}, remarks: [] };
  const arm: Arm = { cell, method, options: {}, loaded };
  const [rows, units]: [Row[], UnitRecord[]] = [[], []];
  const sink: Rows = {
    isDone: () => false,
    isPrepared: () => false,
    row: (row) => void rows.push(row),
    unit: (record) => void units.push(record),
    timing: () => undefined,
    trace: () => undefined,
    figure: () => undefined,
  };
  const reason = await runArms({
    arms: [arm],
    equip: () => ({ model, embedder: wordEmbedder, temperature: undefined }),
    tool: () => undefined,
    concurrency: 1,
    clock: fakeClock(),
    online,
    rows: sink,
    stop: new AbortController(),
    kill: new AbortController().signal,
  });
  expect(reason).toBeUndefined();
  return { rows, units };
}

const paid = { calls: 1, in: 10, out: 3 };

test("what a failed preparation paid for is recorded, and that it failed", async () => {
  const { rows, units } = await runWith(async (kit) => {
    await ask(kit, "fine");
    await ask(kit, "fail");
    throw new Error("not reached");
  });
  expect(rows.map(({ outcome }) => outcome)).toEqual([
    { kind: "failed", error: "preparing the user: too long" },
    { kind: "failed", error: "preparing the user: too long" },
  ]);
  expect(units).toMatchObject([{ unit: "u", spend: { summary: paid }, incidents: { "preparation-failed": 1 } }]);
});

test("what a failed shared value paid for is recorded on the cell", async () => {
  const { units } = await runWith((kit) =>
    kit.shared("table", async (cell) => {
      await ask(cell, "fine");
      await ask(cell, "fail");
      throw new Error("not reached");
    }),
  );
  expect(units).toMatchObject([
    { unit: "shared/table", shared: true, spend: { summary: paid } },
    { unit: "u", spend: {}, incidents: { "preparation-failed": 1 } },
  ]);
});

test("a gold that could not be learned leaves its answer scored and says so", async () => {
  const { rows } = await runWith(async () => {
    const answer: Answerer = async () => "5";
    answer.learn = async (event, kit) => void (await ask(kit, event.id === "q1" ? "fail" : "fine"));
    return answer;
  }, true);
  expect(
    rows.map(({ question, outcome, incidents }) => [question, outcome.kind, incidents[learningFailed] ?? 0]),
  ).toEqual([
    ["q1", "answered", 1],
    ["q2", "answered", 0],
  ]);
});
