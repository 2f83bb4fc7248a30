import { expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import { answering, armOf, asking, personalizing, ratingUnit, runEngine, says } from "../helpers/engine-run.js";
import { replyOf, scripted } from "../helpers/model-request.js";

const units = [ratingUnit("u", ["a", "b"]), ratingUnit("v", ["c"])];
const never = new Promise<never>(() => undefined);
const outcomes = (rows: Awaited<ReturnType<typeof runEngine>>["rows"]) =>
  Object.fromEntries(
    rows.map(({ question, outcome }) => [question, outcome.kind === "failed" ? outcome.error : outcome.kind]),
  );

test("a method that throws on one question fails that row with its message, and the run goes on", async () => {
  const method = answering(async (question, kit) => {
    if (question.id === "a") throw new TypeError("no words in a");
    return asking(question, kit);
  });
  const { rows, reason } = await runEngine([armOf(method, units)]);
  expect(reason).toBeUndefined();
  expect(outcomes(rows)).toEqual({ a: "no words in a", b: "answered", c: "answered" });
});

test("a method that throws for one user fails that user's rows alone", async () => {
  const method = personalizing(async (_, { id }) => {
    if (id === "u") throw new Error("no history");
    return asking;
  });
  const { rows } = await runEngine([armOf(method, units)]);
  expect(outcomes(rows)).toEqual({
    a: "preparing the user: no history",
    b: "preparing the user: no history",
    c: "answered",
  });
});

test("a promise that never settles is ended by the deadline, a long call is not", async () => {
  const model = scripted(async () => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    return replyOf("5");
  });
  const method = answering((question, kit) => (question.id === "a" ? never : asking(question, kit)));
  const { rows, reason } = await runEngine([armOf(method, units)], { model, deadlineSeconds: 1, concurrency: 3 });
  expect(reason).toBeUndefined();
  expect(outcomes(rows)).toEqual({ a: expect.stringMatching(/no end within 1 s/), b: "answered", c: "answered" });
});

test("a method may call its phases as it likes, and gets its history ranked and its texts as vectors", async () => {
  const event = (id: string, text: string) => ({ ...tasks.get("lamp3").event({ id, text, score: "5" }) });
  const history = [event("h1", "a red lamp"), event("h2", "blue shoes"), event("h3", "green shoes of leather")];
  const seen: unknown[] = [];
  const method = answering(async ({ id }, kit) => {
    const found = await kit.retrieve("leather shoes", 2);
    seen.push(
      found.map((one) => one.id),
      (await kit.embed(["one", "two"])).length,
    );
    return (await kit.ask("my own phase", says(id))).text;
  });
  const { rows } = await runEngine([armOf(method, [ratingUnit("u", ["a"], { history })])]);
  expect(seen).toEqual([["h3", "h2"], 2]);
  expect(rows[0]!.spend["my own phase"]?.calls).toBe(1);
});
