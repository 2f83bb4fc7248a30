import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { Waits } from "../../src/outside/waits.js";
import type { Arm } from "../../src/plan/types.js";
import { tasks } from "../../src/tasks/index.js";
import type { Answerer, Event, Example, Method, Turn, Unit } from "../../src/types/index.js";
import {
  answering,
  armOf,
  asking,
  gates,
  personalizing,
  ratingUnit,
  runEngine,
  settled,
} from "../helpers/engine-run.js";
import { replyOf, scripted } from "../helpers/model-request.js";

describe("a dialogue", () => {
  const task = tasks.get("personachat");
  const line = (id: string, before?: readonly Turn[]): Example => ({
    question: { id, text: `${id}?`, content: id, query: id },
    gold: "gold",
    ...(before === undefined ? {} : { before }),
  });
  const earlier: Turn = { id: "t0", said: "hi", reply: "hello" };
  const unit: Unit = { id: "d", user: { id: "d", history: [] }, examples: [line("t1", [earlier]), line("t2")] };
  /** An arm on the dialogue, whose task is told by `task`. */
  const dialogueArm = (method: Method, of = task): Arm => {
    const arm = armOf(method, [unit]);
    return { ...arm, loaded: { ...arm.loaded, task: of } };
  };
  /** Answers with what was heard so far, and hears by `observe`. */
  const listener = (heard: string[]): Method =>
    personalizing(async () => {
      const answerer: Answerer = async ({ id }) => `${id} after ${heard.length}`;
      answerer.observe = async (turn, asked) => {
        heard.push(`${turn.said}${turn.reply === undefined ? "" : ` -> ${turn.reply}`}${asked ? "" : " (before)"}`);
      };
      return answerer;
    });

  test("is answered turn by turn, and each turn enters memory with its reply before the next, those before it first", async () => {
    const heard: string[] = [];
    const { rows } = await runEngine([dialogueArm(listener(heard))], { concurrency: 4 });
    expect(heard).toEqual(["hi -> hello (before)", "t1? -> t1 after 1", "t2? -> t2 after 2"]);
    expect(rows.map(({ question, position }) => [question, position])).toEqual([
      ["t1", 1],
      ["t2", 2],
    ]);
  });

  test("tells a method that learns events each turn as one, never its gold", async () => {
    const known: Event[] = [];
    const method = personalizing(async () => {
      const answerer: Answerer = async () => "mine";
      answerer.learn = async (event) => void known.push(event);
      return answerer;
    });
    await runEngine([dialogueArm(method)]);
    expect(known.map(({ content, label }) => [content, label])).toEqual([
      ["hi", "hello"],
      ["t1?", "mine"],
      ["t2?", "mine"],
    ]);
  });

  test("lets a turn enter memory without a reply where the answer failed", async () => {
    const heard: string[] = [];
    const { personalize, ...rest } = listener(heard);
    const failing: Method = {
      ...rest,
      personalize: async (...given) => {
        const answerer = await personalize(...given);
        const failed: Answerer = () => Promise.reject(new ModelError("no answer", { retryable: false }));
        return Object.assign(failed, { observe: answerer.observe });
      },
    };
    await runEngine([dialogueArm(failing)]);
    expect(heard).toEqual(["hi -> hello (before)", "t1?", "t2?"]);
  });

  test("is no matter of other tasks: what was said before a question of theirs is not told, nor a question remembered", async () => {
    const heard: string[] = [];
    const { rows } = await runEngine([dialogueArm(listener(heard), tasks.get("lamp3"))]);
    expect(heard).toEqual([]);
    expect(rows.map(({ position }) => position)).toEqual([undefined, undefined]);
  });
});

test("an arm's further model is asked through the run: it stops with it, and its calls are waited for", async () => {
  const { waits, open } = gates();
  const judge = { ...scripted(() => replyOf("7")), id: "x/judge" };
  const slow = {
    ...judge,
    complete: async (...given: Parameters<typeof judge.complete>) => {
      await waits("judge");
      return judge.complete(...given);
    },
  };
  const planned = { perUnit: () => ({}), perQuestion: () => ({ "judge@judge": { low: 1, high: 1 } }) };
  const method = answering(
    async ({ id }, kit) => {
      const call = kit.ask("judge", { messages: [{ role: "user", content: id }], of: "judge" });
      return id === "left" ? "5" : (await call).text;
    },
    { plan: () => planned },
  );
  const modelsOf = () => ({
    model: scripted(() => replyOf("5")),
    further: { judge: slow },
    embedder: { id: "none", dimensions: 0, embed: async () => [] },
    temperature: undefined,
  });
  let ended = false;
  const run = runEngine([armOf(method, [ratingUnit("u", ["left"])])], { modelsOf }).then((done) => {
    ended = true;
    return done;
  });
  await settled();
  expect(ended).toBe(false); // the answer is there, and the call of the further model costs money
  open("judge");
  expect((await run).rows).toHaveLength(1);
  const asked = runEngine([armOf(method, [ratingUnit("u", ["q"])])], { modelsOf });
  await settled();
  open("judge");
  expect((await asked).rows[0]?.outcome).toMatchObject({ reply: "7" });
});

test("a further model that the method's plan has no calls of is not asked: the plan would not hold", async () => {
  const method = answering(async ({ id }, kit) => {
    const { text } = await kit.ask("judge", { messages: [{ role: "user", content: id }], of: "judge" });
    return text;
  });
  const { rows } = await runEngine([armOf(method, [ratingUnit("u", ["q"])])]);
  const error = 'planted asks its judge model, and its plan has no calls of it: name "judge@judge" there';
  expect(rows[0]?.outcome).toEqual({ kind: "failed", error });
});

test("a method reads the files that its options name, by the run's name for them, and no others", async () => {
  const reading = answering(async (_question, kit) => kit.file("picks-1"));
  const files = new Map([["picks-1", "4"]]);
  const { rows } = await runEngine([armOf(reading, [ratingUnit("u", ["q"])])], { files });
  expect(rows[0]?.outcome).toMatchObject({ reply: "4" });
  const without = await runEngine([armOf(reading, [ratingUnit("u", ["q"])])]);
  expect(without.rows[0]?.outcome).toMatchObject({ error: "no option of the arm names the file picks-1" });
});

describe("who waits for replies is counted, so that a batch is sent when nobody can go on by himself", () => {
  test("everybody at work is counted, and nobody any more when the run has ended", async () => {
    const { waits: held, open } = gates();
    const told: boolean[] = [];
    const waits: Waits = new Waits(() => told.push(waits.allWait));
    const model = scripted(() => replyOf("5"));
    const slow = {
      ...model,
      complete: async (...given: Parameters<typeof model.complete>) => {
        await held("reply");
        return model.complete(...given);
      },
    };
    const codec = { content: "index-1", encode: () => new Uint8Array(), decode: () => "built" };
    const method = personalizing(async (kit) => {
      await kit.shared("index", async () => "built");
      await kit.shared("kept", async () => "built", codec);
      return asking;
    });
    const run = runEngine([armOf(method, [ratingUnit("u", ["q"])])], { model: slow, waits });
    await settled();
    expect(waits.allWait).toBe(true); // the only question waits for its reply
    expect(told).toContain(true);
    const busy = waits.begin();
    expect(waits.allWait).toBe(false);
    open("reply");
    await run;
    busy.end();
    expect(waits.allWait).toBe(true); // none is left at work
    const later = waits.begin();
    void later.waitFor(new Promise(() => undefined));
    expect(waits.allWait).toBe(true);
  });

  test("also where the preparation or an answer fails", async () => {
    const waits = new Waits(() => undefined);
    const refuse = () => Promise.reject(new ModelError("no", { retryable: false }));
    const failing = [personalizing(refuse), answering(refuse)];
    for (const method of failing) await runEngine([armOf(method, [ratingUnit("u", ["q"])])], { waits });
    const last = waits.begin();
    void last.waitFor(new Promise(() => undefined));
    expect(waits.allWait).toBe(true);
  });
});

test("of one model's arms with different widths the widest counts", async () => {
  const { waits, open, waiting } = gates();
  const slow = answering(async ({ id }) => {
    await waits(id);
    return "5";
  });
  const arms = [0, 1].map((repeat) => armOf(slow, [ratingUnit(`u${repeat}`, [`${repeat}a`, `${repeat}b`])], repeat));
  const run = runEngine(arms, { concurrency: ({ spec }) => ({ group: "m", width: spec.repeat === 0 ? 1 : 3 }) });
  await settled();
  expect(waiting()).toHaveLength(3);
  for (let round = 0; round < 3; round++) {
    for (const name of waiting()) open(name);
    await settled();
  }
  expect((await run).rows).toHaveLength(4);
});
