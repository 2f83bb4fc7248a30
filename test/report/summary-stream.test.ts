import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import type { Row } from "../../src/types/index.js";
import { answered, cell, failed, only, row } from "../helpers/summarized.js";

describe("a stream", () => {
  /** Answers that are off by `error`, at these places of a user's stream. */
  const at = (user: string, errors: readonly number[], over: Partial<Row> = {}) =>
    errors.map((error, i) =>
      row(user, "1", answered(String(1 + error)), { position: i + 1, question: `${user}${i}`, ...over }),
    );

  test("is cut into quarters of each user's own questions, in the order of their places", () => {
    const rows = [...at("a", [4, 4, 3, 3, 2, 2, 1, 1]), ...at("b", [2, 2, 1, 1])].reverse();
    expect(only({ rows }).stream).toEqual([(4 + 4 + 2) / 3, (3 + 3 + 2) / 3, (2 + 2 + 1) / 3, (1 + 1 + 1) / 3]);
  });

  test("of fewer than four questions leaves quarters empty, never zero", () => {
    expect(only({ rows: at("a", [3, 1]) }).stream).toEqual([3, undefined, 1, undefined]);
    expect(only({ rows: at("a", [3]) }).stream).toEqual([3, undefined, undefined, undefined]);
  });

  test("of a repeat counts by itself, and the mean over repeats is shown", () => {
    const cells = [cell(), cell({ id: "c1", repeat: 1 })];
    const rows = [...at("a", [4, 4, 0, 0]), ...at("a", [2, 0, 0, 0, 0, 0, 0, 0], { cell: "c1" })];
    expect(only({ cells, rows }).stream).toEqual([(4 + 1) / 2, 2, 0, 0]);
  });

  test("has questions without a place at its start", () => {
    const rows = [...at("a", [4, 0, 0, 0]), row("a", "1", answered("3"))];
    expect(only({ rows }).stream).toEqual([3, 0, 0, 0]);
  });

  test("leaves out questions that failed and those without gold", () => {
    const lost = [
      row("a", "1", failed, { position: 2, question: "lost" }),
      row("a", undefined, answered("5"), { position: 3, question: "open" }),
    ];
    expect(only({ rows: [...at("a", [4, 0, 0, 0]), ...lost] }).stream).toEqual([4, 0, 0, 0]);
  });

  test("is none where questions have no place", () => {
    expect(only({ rows: [row("a", "5", answered("5"))] })).not.toHaveProperty("stream");
    const task = { ...tasks.get("lamp3"), metrics: [] };
    expect(only({ rows: at("a", [1]), task: () => task })).not.toHaveProperty("stream");
  });
});
