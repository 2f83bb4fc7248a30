import { expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { learningFailed } from "../../src/run/unit.js";
import type { Answerer, Kit } from "../../src/types/index.js";
import { armOf, personalizing, ratingUnit, runEngine, says } from "../helpers/engine-run.js";
import { replyOf, scripted } from "../helpers/model-request.js";

const ask = (kit: Kit, content: string) => kit.ask("summary", says(content));

/** Answers, but refuses what says `fail`. */
const model = scripted(({ messages }) => {
  if (JSON.stringify(messages).includes("fail")) throw new ModelError("too long", { retryable: false });
  return replyOf("5");
});

const runWith = async (personalize: (kit: Kit) => Promise<Answerer>, online = false) => {
  const { reason, rows, units } = await runEngine(
    [armOf(personalizing(personalize), [ratingUnit("u", ["q1", "q2"])])],
    {
      model,
      online,
    },
  );
  expect(reason).toBeUndefined();
  return { rows, units };
};

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

test("what a failed shared value paid for is recorded on the arms", async () => {
  const { units } = await runWith((kit) =>
    kit.shared("table", async (armKit) => {
      await ask(armKit, "fine");
      await ask(armKit, "fail");
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
