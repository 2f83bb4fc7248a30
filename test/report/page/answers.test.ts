import { describe, expect, test } from "vitest";
import { packAnswers } from "../../../src/report/page/answers.js";
import type { Trace } from "../../../src/types/index.js";
import { ask, replyOf } from "../../helpers/model-request.js";
import { plantedPage } from "../../helpers/planted-page.js";

const planted = plantedPage({ questions: 60, methods: ["prompt", "rag", "pag"], promptWords: 20 });
const material = { ...planted, summaries: planted.results.summaries };
const listed = (most: number, seed = 0) =>
  packAnswers({ ...material, cells: material.cells.map((cell) => ({ ...cell, seed })) }, most);
const keysOf = ({ packed }: ReturnType<typeof listed>) => packed.questions.map(({ task, id }) => `${task}/${id}`);

describe("the list of answers", () => {
  test("has every question of a run up to a size, and says nothing then", () => {
    expect(listed(360).packed.questions).toHaveLength(120);
    expect(listed(360).leftOut).toBeUndefined();
  });

  test("has, of a larger run, whole questions: those that failed, that differ, then a sample, in the run's order, and says so", () => {
    const whole = keysOf(listed(360));
    const failed = new Set(
      material.rows.flatMap(({ cell, question, outcome }) =>
        outcome.kind === "failed" ? [`${cell.startsWith("lamp2m") ? 0 : 1}/${question}`] : [],
      ),
    );
    const found = listed(270);
    expect(keysOf(found)).toEqual(whole.filter((key) => keysOf(found).includes(key)));
    for (const key of failed) expect(keysOf(found)).toContain(key);
    expect(found.packed.question).toHaveLength(270); // three answers each
    expect(found.leftOut?.text).toContain("90 of 120 questions");
    expect(found.leftOut?.text).toContain(`${failed.size} of ${failed.size} with a failed answer`);
    expect(found.leftOut?.text).toMatch(/\d+ of \d+ on which methods differ, 0 of \d+ others, drawn with seed 0/);
  });

  test("is the same for the same seed, and another sample for another", () => {
    expect(keysOf(listed(100))).toEqual(keysOf(listed(100)));
    expect(keysOf(listed(100))).not.toEqual(keysOf(listed(100, 1)));
  });
});

describe("what a question asks", () => {
  /** What the list says of questions that were sent as these texts. */
  function asked(...sent: readonly string[]): string[] {
    const one = plantedPage({ questions: sent.length, methods: ["prompt"] });
    const traces = {
      ofQuestion: (_: string, question: string): Trace => ({ cell: "", unit: "", question, requests: [], notes: [] }),
      ofUnit: () => undefined,
      callsOf: ({ question }: Trace) => [{ request: ask(sent[Number(question?.slice(1))] ?? ""), reply: replyOf("") }],
    };
    const { packed } = packAnswers({ ...one, traces, summaries: one.results.summaries });
    return packed.questions.filter(({ task }) => task === 0).map((question) => question.asked);
  }
  const long = "and words that every question has ".repeat(10);

  test("is what follows a shared instruction, in whole words", () => {
    const [first] = asked(
      ...["Planar graphs", "Sparse codes"].map((t) => `For an author who wrote the paper called "${t}", ${long}`),
    );
    expect(first).toMatch(/^"Planar graphs", and words .* …$/);
    expect(first).not.toMatch(/\bquestio …$/);
  });

  test("is its end where it is long and has no instruction: the question stands behind events", () => {
    const [, last] = asked(`"a" is ${long} review: dull`, `"b" is ${long} review: fine`);
    expect(last).toMatch(/^… \w+ .* review: fine$/);
    expect(long).toContain(` ${last?.split(" ")[1]} `);
  });
});
