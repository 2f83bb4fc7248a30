import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import type { Method, Sequence, Unit } from "../../src/types/index.js";
import {
  answering,
  armOf,
  asking,
  gates,
  personalizing,
  ratingUnit,
  runEngine,
  says,
  settled,
  silent,
} from "../helpers/engine-run.js";
import { fakeClock } from "../helpers/fake-clock.js";
import { scripted } from "../helpers/model-request.js";

describe("questions and users", () => {
  /** Answers when told to, and says which questions wait. */
  function held(more: Partial<Method> = {}) {
    const { waits, open, waiting } = gates();
    const method = answering(async ({ id }) => {
      await waits(id);
      return "5";
    }, more);
    return { method, open, waiting };
  }

  const both = [ratingUnit("u", ["a"]), ratingUnit("v", ["b"])];

  test("are in work side by side, as many as the run allows, and each has its row when it is done", async () => {
    const { method, open, waiting } = held();
    const units = [ratingUnit("u", ["a", "b", "c"]), ratingUnit("v", ["d"]), ratingUnit("w", ["e"])];
    const done = runEngine([armOf(method, units)], { concurrency: 2 });
    await settled();
    expect(waiting()).toEqual(["a", "b"]);
    open("b");
    await settled();
    expect(waiting()).toHaveLength(3);
    for (const id of ["a", "c", "d", "e", "c", "d", "e"]) {
      open(id);
      await settled();
    }
    const { rows } = await done;
    expect(rows.map(({ question }) => question)[0]).toBe("b");
    expect(rows.map(({ question }) => question).sort()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("are read when their turn comes, so that memory does not hold those that wait", async () => {
    const { method, open } = held();
    const all = ["a", "b", "c"].map((id) => ratingUnit(`user ${id}`, [id]));
    let read = 0;
    const units: Sequence<Unit> = {
      length: all.length,
      at: (index) => all[index],
      *[Symbol.iterator]() {
        for (const unit of all) {
          read += 1;
          yield unit;
        }
      },
    };
    const done = runEngine([armOf(method, units)], { concurrency: 2 });
    await settled();
    expect(read).toBe(2);
    for (const id of ["b", "a", "c"]) {
      open(id);
      await settled();
      expect(read).toBe(3);
    }
    expect((await done).rows).toHaveLength(3);
  });

  test("are asked in all arms before the next user's, whatever the arms share and whoever answers", async () => {
    const log: string[] = [];
    const arms = [0, 1, 2].map((arm) => {
      const method = answering(async ({ id }) => {
        log.push(`${arm}${id}`);
        return "5";
      });
      const units = arm === 2 ? [ratingUnit("w", ["c"]), ratingUnit("x", ["d"]), ratingUnit("y", ["e"])] : both;
      const made = armOf(method, units, arm);
      return { ...made, spec: { ...made.spec, model: arm === 0 ? "far/a" : "near/b" } };
    });
    await runEngine(arms, { concurrency: ({ spec }) => ({ group: spec.model, width: 1 }) });
    expect(log).toEqual(["0a", "1a", "2c", "0b", "1b", "2d", "2e"]);
  });

  test("in arms of one kind, which may ask the same, go one after the other as long as later users fill the slots", async () => {
    const { waits, open } = gates();
    const begun: string[] = [];
    const users = ["u", "v", "w"].map((id) => ratingUnit(id, [id]));
    const method = personalizing(async () => async () => "5");
    const arms = [0, 1].map((arm) => {
      const held = answering(async ({ id }) => {
        begun.push(`${id}${arm}`);
        await waits(`${id}${arm}`);
        return "5";
      });
      return armOf({ ...held, name: method.name }, users, arm);
    });
    const done = runEngine(arms, { concurrency: 2 });
    for (let step = 0; step < 6; step++) {
      await settled();
      open(begun[step]!);
    }
    await done;
    expect(begun).toEqual(["u0", "v0", "u1", "v1", "w0", "w1"]);
  });

  test("of one user go one after the other where the method says so", async () => {
    const { method, open, waiting } = held({ sequential: () => true });
    const done = runEngine([armOf(method, [ratingUnit("u", ["a", "b"])])], { concurrency: 4 });
    await settled();
    expect(waiting()).toEqual(["a"]);
    open("a");
    await settled();
    open("b");
    expect((await done).rows.map(({ question }) => question)).toEqual(["a", "b"]);
  });
});

describe("what is kept", () => {
  test("a row says who was asked, what came of it and what it cost, and its picture of the way there lies beside it", async () => {
    const clock = fakeClock(1_000_000);
    const signal = new AbortController().signal;
    const method = personalizing(
      async (kit) => {
        await clock.sleep(50, signal);
        await kit.ask("summary", says("who?"));
        kit.count("summary-empty");
        return async (question, own) => {
          await clock.sleep(7, signal);
          own.count("guessed");
          return (await own.ask("answer", says(question.id))).text;
        };
      },
      { name: "m" },
    );
    const history = [{ id: "h", fields: { id: "h" }, content: "", document: "", label: "1" }];
    const heard: unknown[] = [];
    const { rows, units, traces } = await runEngine([armOf(method, [ratingUnit("u", ["a"], { history })])], {
      onRow: ({ arm, outcome }) => void heard.push([arm, outcome.kind]),
    });
    const paid = { calls: 1, in: 10, out: 3 };
    const place = { arm: "c0", unit: "u" };
    expect(rows).toEqual([
      {
        ...place,
        task: "lamp3",
        method: "m",
        user: "u",
        question: "a",
        content: "a",
        gold: "5",
        outcome: { kind: "answered", reply: "5", lenient: "5" },
        spend: { answer: paid },
        incidents: { guessed: 1 },
      },
    ]);
    expect(units).toEqual([
      { ...place, user: "u", historySize: 1, spend: { summary: paid }, incidents: { "summary-empty": 1 } },
    ]);
    expect(traces).toEqual([
      { ...place, requests: [expect.stringMatching(/^[0-9a-f]{16}$/)], notes: [] },
      { ...place, question: "a", requests: [expect.stringMatching(/^[0-9a-f]{16}$/)], notes: [] },
    ]);
    expect(heard).toEqual([["c0", "answered"]]);
  });

  test("spending is unknown of a program that may ask models itself, whatever it asked through the run", async () => {
    const method = answering(async (question, kit) => (question.id === "a" ? "5" : asking(question, kit)), {
      callsElsewhere: true,
    });
    const { rows } = await runEngine([armOf(method, [ratingUnit("u", ["a", "b"])])]);
    expect(rows.map(({ spendUnknown }) => spendUnknown)).toEqual([true, true]);
    const { rows: own } = await runEngine([armOf(silent, [ratingUnit("u", ["a"])])]);
    expect(own[0]).not.toHaveProperty("spendUnknown");
  });

  test("what all users share has a record of its own, once, and none where building it did nothing", async () => {
    const method = personalizing(async (kit) => {
      await kit.shared("asked", async (armKit) => {
        armKit.note({ kind: "summary", data: "kind" });
        await armKit.ask("summary", says("all"));
      });
      await kit.shared("counted", async (armKit) => {
        armKit.note({ kind: "summary", data: "kind" });
        armKit.count("few");
      });
      await kit.shared("noted", async (armKit) => armKit.note({ kind: "summary", data: "kind" }));
      await kit.shared("plain", async () => 1);
      return async () => "5";
    });
    const { units, traces } = await runEngine([armOf(method, [ratingUnit("u", ["a"]), ratingUnit("v", ["b"])])]);
    const none = { arm: "c0", user: "", shared: true, historySize: 0, spend: {}, incidents: {} };
    expect(units.filter(({ shared }) => shared === true)).toEqual([
      { ...none, unit: "shared/asked", spend: { summary: { calls: 1, in: 10, out: 3 } } },
      { ...none, unit: "shared/counted", incidents: { few: 1 } },
      { ...none, unit: "shared/noted" },
    ]);
    expect(traces.map(({ unit }) => unit)).toEqual(
      ["shared/asked", "shared/counted", "shared/noted", "u", "a", "v", "b"].map(
        (name) => ({ a: "u", b: "v" })[name] ?? name,
      ),
    );
  });
});

test("a failed call is worded by who knows more of it, here the place it was for", async () => {
  const model = scripted(() => Promise.reject(new ModelError("no", { retryable: false })));
  const { rows } = await runEngine([armOf(answering(asking), [ratingUnit("u", ["a"])])], {
    model,
    explain: (_, { unit, question }) => new ModelError(`${unit}/${question} is missing`, { retryable: false }),
  });
  expect(rows[0]?.outcome).toEqual({ kind: "failed", error: "u/a is missing" });
});
