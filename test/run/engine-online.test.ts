import { describe, expect, test } from "vitest";
import { ModelError } from "../../src/errors.js";
import { Interrupted } from "../../src/outside/stops.js";
import type { Answerer, Method } from "../../src/types/index.js";
import { armOf, personalizing, ratingUnit, runEngine, says, settled } from "../helpers/engine-run.js";

describe("a user's stream", () => {
  const remembering = (log: string[]): Method =>
    personalizing(async () => {
      const answer: Answerer = async ({ id }) => {
        log.push(`answer ${id}`);
        await settled();
        return "5";
      };
      answer.learn = async ({ id, label }) => {
        await settled();
        log.push(`learn ${id} ${label}`);
      };
      return answer;
    });

  test("has each gold learned after its own answer and before the next question", async () => {
    const log: string[] = [];
    const { rows } = await runEngine([armOf(remembering(log), [ratingUnit("u", ["b", "a", "c"])])], {
      online: true,
      concurrency: 4,
    });
    expect(log).toEqual(["answer b", "learn b 5", "answer a", "learn a 5", "answer c", "learn c 5"]);
    expect(rows.map(({ question, position }) => [question, position])).toEqual([
      ["b", 1],
      ["a", 2],
      ["c", 3],
    ]);
  });

  test("teaches nothing where the run is not online, and rows have no place in it", async () => {
    const log: string[] = [];
    const { rows } = await runEngine([armOf(remembering(log), [ratingUnit("u", ["a", "b"])])]);
    expect(log).toEqual(["answer a", "answer b"]);
    expect(rows[0]).not.toHaveProperty("position");
  });

  test("learns from a question whose answer failed", async () => {
    const learned: string[] = [];
    const method = personalizing(async () => {
      const answer: Answerer = () => Promise.reject(new ModelError("no", { retryable: false }));
      answer.learn = async ({ id }) => void learned.push(id);
      return answer;
    });
    const { rows } = await runEngine([armOf(method, [ratingUnit("u", ["a", "b"])])], { online: true });
    expect(learned).toEqual(["a", "b"]);
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(2).fill({ kind: "failed", error: "no" }));
  });

  test("ends without a row where a stop came before its gold was learned, so that the next run does it again", async () => {
    const stop = new AbortController();
    const method = personalizing(async () => {
      const answer: Answerer = async () => "5";
      answer.learn = async (_, kit) => {
        stop.abort(new Interrupted());
        await kit.ask("summary", says("learn"));
      };
      return answer;
    });
    const { rows, reason } = await runEngine([armOf(method, [ratingUnit("u", ["a", "b"])])], { online: true, stop });
    expect(rows).toEqual([]);
    expect(reason).toBeInstanceOf(Interrupted);
  });
});
