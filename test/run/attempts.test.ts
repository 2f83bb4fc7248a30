import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Attempts, attemptTotals } from "../../src/run/attempts.js";
import { readJournal } from "../../src/run/journal.js";
import { tempDir } from "../helpers/temp-dir.js";

const never = () => false;

describe("the file of tries", () => {
  it("is not there until something is sent", () => {
    const path = join(tempDir(), "attempts.jsonl");
    new Attempts(path, never).close();
    expect(existsSync(path)).toBe(false);
    expect(attemptTotals(path)).toEqual({ billable: 0, refused: 0, unknown: 0, unansweredUsd: 0 });
  });

  it("counts what is or may be billed, and at the most it may have cost", () => {
    const path = join(tempDir(), "attempts.jsonl");
    const attempts = new Attempts(path, never);
    attempts.started("a", 1, 0.5);
    attempts.answered("a");
    attempts.started("b", 1, 0.25);
    attempts.ended("b", 1, "refused");
    attempts.started("b", 2, 0.25);
    attempts.ended("b", 2, "failed");
    attempts.started("b", 3, 0.25);
    attempts.ended("b", 3, "unknown");
    attempts.close();
    expect(attemptTotals(path)).toEqual({ billable: 3, refused: 1, unknown: 1, unansweredUsd: 0.5 });
  });

  it("a start that a killed process left counts as billed, its answer as unknown, also once it is sent again", () => {
    const path = join(tempDir(), "attempts.jsonl");
    const killed = new Attempts(path, never);
    killed.started("a", 1, 0.5);
    killed.started("b", 1, 0.5);
    const next = new Attempts(path, never);
    expect(next.before).toEqual({ billable: 2, refused: 0, unknown: 2, unansweredUsd: 1 });
    next.started("a", 1, 0.5);
    next.answered("a");
    next.close();
    killed.close();
    expect(attemptTotals(path)).toEqual({ billable: 3, refused: 0, unknown: 2, unansweredUsd: 1 });
  });

  it("an answer that is gone from the store counts at the most it may have cost, also once it is asked for again", () => {
    const path = join(tempDir(), "attempts.jsonl");
    const first = new Attempts(path, never);
    for (const key of ["a", "b"]) {
      first.started(key, 1, 0.5);
      first.answered(key);
    }
    first.close();
    const next = new Attempts(path, (key) => key === "a");
    expect(next.before).toMatchObject({ billable: 2, unansweredUsd: 0.5 });
    next.started("b", 1, 0.5);
    next.answered("b");
    next.close();
    expect(new Attempts(path, () => true).before).toMatchObject({ billable: 3, unansweredUsd: 0.5 });
  });

  it("a start whose reply is stored was answered: the process ended between the two lines", () => {
    const path = join(tempDir(), "attempts.jsonl");
    const killed = new Attempts(path, never);
    killed.started("a", 1, undefined);
    killed.close();
    const next = new Attempts(path, (key) => key === "a");
    next.close();
    expect(next.before).toEqual({ billable: 1, refused: 0, unknown: 0, unansweredUsd: 0 });
    expect([...readJournal(path)]).toEqual([
      { key: "a", try: 1 },
      { key: "a", try: 1, end: "answered" },
    ]);
  });

  it("says nothing of replies that no try was sent for", () => {
    const path = join(tempDir(), "attempts.jsonl");
    const attempts = new Attempts(path, never);
    attempts.answered("from elsewhere");
    attempts.close();
    expect(existsSync(path)).toBe(false);
  });
});
