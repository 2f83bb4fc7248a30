import { describe, expect, test } from "vitest";
import { BudgetError, ModelError, UsageError } from "../../src/errors.js";
import { Interrupted } from "../../src/outside/stops.js";
import type { Sequence, Unit } from "../../src/types/index.js";
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
} from "../helpers/engine-run.js";
import { replyOf, scripted } from "../helpers/model-request.js";

describe("a run that stops", () => {
  const units = [ratingUnit("u", ["a", "b"]), ratingUnit("v", ["c"])];

  test.each([
    ["a cap is reached", new BudgetError("enough")],
    ["a key is refused", new ModelError("no key", { retryable: false, scope: "stop" })],
  ])("because %s says why, keeps what was answered, and starts no further call", async (_, refusal) => {
    const asked: string[] = [];
    const model = scripted(({ messages }) => {
      const text = JSON.stringify(messages);
      asked.push(text);
      if (text.includes('"b"')) throw refusal;
      return replyOf("5");
    });
    const { reason, rows } = await runEngine([armOf(answering(asking), units)], { model });
    expect(reason).toBe(refusal);
    expect(rows.map(({ question }) => question)).toEqual(["a"]);
    expect(asked).toHaveLength(2);
  });

  test("has the first reason, not that of a question which fails because of it", async () => {
    const first = new BudgetError("first");
    const model = scripted(async ({ messages }) => {
      if (JSON.stringify(messages).includes('"a"')) throw first;
      await settled();
      throw new BudgetError("second");
    });
    const { reason } = await runEngine([armOf(answering(asking), units)], { model, concurrency: 4 });
    expect(reason).toBe(first);
  });

  test("for a mistake throws it", async () => {
    const mistake = new UsageError("a mistake");
    const fails = () => Promise.reject(mistake);
    for (const method of [answering(fails), personalizing(fails)])
      await expect(runEngine([armOf(method, units)])).rejects.toBe(mistake);
    await expect(runEngine([armOf(answering(fails), units)], { online: true })).rejects.toBe(mistake);
  });

  test("for an error of ours beside a call throws it", async () => {
    const bug = new TypeError("a bug");
    const model = scripted(() => Promise.reject(bug));
    await expect(runEngine([armOf(answering(asking), units)], { model })).rejects.toBe(bug);
  });

  test("prepares nobody further", async () => {
    const stop = new AbortController();
    const prepared: string[] = [];
    const method = personalizing(async (_, { id }) => {
      prepared.push(id);
      stop.abort(new Interrupted());
      return async () => "5";
    });
    const { rows, reason } = await runEngine([armOf(method, units)], { stop });
    expect([prepared, rows]).toEqual([["u"], []]);
    expect(reason).toBeInstanceOf(Interrupted);
  });

  test("reads no further user: thousands that wait in a file cost no time any more", async () => {
    const stop = new AbortController();
    const all = ["u", "v", "w", "x"].map((id) => ratingUnit(id, [`question of ${id}`]));
    const read: string[] = [];
    const waiting: Sequence<Unit> = {
      length: all.length,
      at: (index) => all[index],
      *[Symbol.iterator]() {
        for (const unit of all) {
          read.push(unit.id);
          yield unit;
        }
      },
    };
    const method = answering(async () => {
      stop.abort(new Interrupted());
      return "5";
    });
    const { rows } = await runEngine([armOf(method, waiting)], { stop });
    expect(rows.map(({ unit }) => unit)).toEqual(["u"]);
    expect(read).toEqual(["u"]);
  });

  test("finishes and keeps the calls in flight, and rows of questions that then need one more are not written", async () => {
    const stop = new AbortController();
    const { waits, open } = gates();
    const model = scripted(async ({ messages }) => {
      await waits(JSON.stringify(messages));
      return replyOf("5");
    });
    const method = answering(async (question, kit) => {
      const reply = await asking(question, kit);
      return question.id === "b" ? (await kit.ask("answer", says("more"))).text : reply;
    });
    const done = runEngine([armOf(method, [units[0]!])], { model, stop, concurrency: 4 });
    await settled();
    stop.abort(new Interrupted());
    for (const { messages } of ["a", "b"].map(says)) open(JSON.stringify(messages));
    const { rows, reason } = await done;
    expect(rows).toMatchObject([{ question: "a", outcome: { kind: "answered" }, spend: { answer: { calls: 1 } } }]);
    expect(reason).toBeInstanceOf(Interrupted);
  });

  test("writes no failure of a call that was dropped by the stop: the next run makes it again", async () => {
    const preparing = personalizing(async (kit) => {
      await kit.ask("summary", says("who?"));
      return async () => "5";
    });
    for (const method of [answering(asking), preparing]) {
      const stop = new AbortController();
      const model = scripted(() => {
        stop.abort(new Interrupted());
        throw new ModelError("aborted", { retryable: true });
      });
      const {
        rows,
        units: prepared,
        reason,
      } = await runEngine([armOf(method, [ratingUnit("u", ["a"])])], { model, stop });
      expect(reason).toBeInstanceOf(Interrupted);
      expect(rows).toEqual([]);
      expect(prepared).toHaveLength(method === preparing ? 0 : 1);
    }
  });

  test("waits for a call whose method gave up on it: it is paid for, so its reply is stored", async () => {
    const { waits, open } = gates();
    const stored: string[] = [];
    const model = scripted(async () => {
      await waits("slow");
      stored.push("slow");
      return replyOf("5");
    });
    const method = answering(async (question, kit) => {
      void asking(question, kit);
      return "5";
    });
    let ended = false;
    const done = runEngine([armOf(method, [ratingUnit("u", ["a"])])], { model }).then((run) => {
      ended = true;
      return run;
    });
    await settled();
    expect(ended).toBe(false);
    open("slow");
    expect((await done).rows).toHaveLength(1);
    expect(stored).toEqual(["slow"]);
  });
});
