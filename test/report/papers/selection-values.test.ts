import { describe, expect, test } from "vitest";
import { tableNamed } from "../../../src/commands/reproduce.js";
import { besidePaper } from "../../../src/report/papers/beside.js";
import type { OwnArm } from "../../../src/report/papers/own-arm.js";
import { renderReproduced } from "../../../src/report/papers/text.js";
import type { Choice } from "../../../src/results/selections.js";

const specOf = (select: string, embedder = "embedded/x") => ({
  ...{ id: select + embedder, task: "profile-questions", dataset: "mine", method: "rag", model: "openai/gpt-4o" },
  ...{ options: { select, "select.above": 0, embedder }, seed: 0, repeat: 0 },
});

interface Chosen extends Partial<Choice> {
  readonly personal: boolean;
  readonly dataset?: string;
  readonly inTokens?: number;
}

/** An arm that chose so for questions q0, q1, ... of one user. */
function armOf(select: string, chosen: readonly Chosen[], more: Partial<OwnArm> = {}): OwnArm {
  const choices = chosen.map(
    ({ personal, dataset, inTokens = 0, ...one }, at): Choice => ({
      ...{ question: `q${at}@p1`, label: { personal, dataset }, events: [], utilities: undefined, plainTokens: 10 },
      ...{ spend: { answer: { calls: 1, in: inTokens, out: 1 } }, ...one },
    }),
  );
  const summary = { counts: { questions: 2, unscored: 0, failed: 0, unparsed: 0, scored: 2 }, repeats: 1, metrics: [] };
  const arm = specOf(select, select === "dense" ? "onnx/recontriever" : undefined);
  return {
    spec: arm,
    run: "r",
    finished: true,
    data: { name: "mine", files: [] },
    summary,
    rows: [],
    personas: [],
    choices,
    ...more,
  } as never;
}

/** The own values of a table by `row, column`. */
function values(table: string, ...arms: OwnArm[]): Record<string, number> {
  const found = besidePaper(tableNamed(table, "."), arms);
  return Object.fromEntries(
    found.lines.flatMap(({ at: [r, c], ours }) => {
      const { rows, columns } = found.table;
      const { group = "", title } = columns[c]!;
      return ours === undefined ? [] : [[`${rows[r]!.label}, ${group} ${title}`.replace(/ +/g, " "), ours]];
    }),
  );
}

describe("numbers of chosen items in the tables of RUMS", () => {
  test("extra tokens cost a million questions a day for 30 days, in thousand dollars", () => {
    const [all, none] = [
      armOf("all", [{ personal: true, inTokens: 110 }]),
      armOf("none", [{ personal: true, inTokens: 10 }]),
    ];
    expect(values("rums/Fig3b", all, none)).toMatchObject({ "All, $1,000 a month": 30, "None, $1,000 a month": 0 });
  });

  test("a selector that is faster than none took no time", () => {
    const timed = (select: string, seconds: number, events: string[] = []) =>
      armOf(select, [{ personal: true, seconds, events }]);
    const found = values("rums/T10", timed("none", 2), timed("all", 1.9, ["a"]), timed("llm-few", 5, ["a"]));
    expect(found).toEqual({ "None, Average Time (s)": 0, "All, Average Time (s)": 0, "GPT4-Few, Average Time (s)": 3 });
  });

  test("questions stand under real ones by their data set, and under personal ones by their label", () => {
    const arm = armOf("all", [
      { personal: true, dataset: "WildChat (own text)", events: ["a", "b"] },
      { personal: false, dataset: "WildChat", events: ["a"] },
      { personal: true, dataset: "PersonaFeedback", events: ["a", "b", "c"] },
      { personal: false, events: [] },
    ]);
    expect(values("rums/T8", arm)).toEqual({
      ...{ "All, FreebaseQA": 0, "All, PersonaFeedback": 3 },
      ...{ "All, WildChat-Personal": 2, "All, WildChat-NonPersonal": 1 },
    });
  });

  test("a utility at the threshold counts as personal", () => {
    const measured = (best: number) => ({ best, threshold: 0.29, scored: [], candidates: [] }) as never;
    const arm = armOf("rums", [
      { personal: true, utilities: measured(0.3) },
      { personal: false, utilities: measured(0.2) },
    ]);
    const found = values("rums/Fig16-23", arm);
    expect(found).toMatchObject({
      "0.2, Synthetic Agreement": 0.5,
      "0.3, Synthetic Agreement": 1,
      "0.4, Synthetic F1": 0,
    });
  });

  test("a win rate is that of the surest verdicts of a kind, says of how many, and is the mean of both kinds where none is named", () => {
    const said = (question: number, value: number, confidence: number) => {
      const judged = { kind: "judged", value, why: "", confidence };
      const against = { arm: "", shownFirst: false };
      return { question: `q${question}@p1`, user: "p1", judged, against, arm: "" };
    };
    const kinds = [true, true, true, true, false].map((personal) => ({ personal }));
    // of four confidences the 70th percentile is the third: two of the personal ones stay
    const given = [said(0, -1, 10), said(1, -1, 20), said(2, 1, 80), said(3, 0, 90), said(4, -1, 1)];
    const verdicts = [{ against: specOf("none"), verdicts: given }] as never;
    const arm = armOf("rums-binary:a.json", kinds, { verdicts });
    const [both, apart] = ["rums/T2", "rums/T20"].map((name) => besidePaper(tableNamed(name, "."), [arm]));
    const of = (found: typeof both) =>
      found!.lines.flatMap(({ ours, verdicts: n }) => (ours === undefined ? [] : [[ours, n]]));
    expect([of(both), of(apart)]).toEqual([
      [[-0.25, 3]],
      [
        [-1, 1],
        [0.5, 2],
      ],
    ]);
    expect(renderReproduced(both!, "text")).toContain("-0.25 n=3 (.26)");
  });

  test("personas are compared in all words, and without those that all first ones share", () => {
    const [initial, texts] = ["You help", ["you help runners run", "you help cooks cook", "you help cooks"]];
    const personas = texts.map((text) => ({ text, initial }));
    const agent = armOf("own", [], { personas, spec: { ...specOf("own"), task: "lamp2m", method: "persona-agent" } });
    const named = (group: string, [unlike, average, middle, largest]: readonly number[]) =>
      Object.fromEntries(
        [
          ["pairs at .4 or below", unlike],
          ["mean", average],
          ["median", middle],
          ["largest", largest],
        ].map(([title, value]) => [`PersonaAgent, ${group} ${title}`, expect.closeTo(Number(value), 9)]),
      );
    expect(values("personaagent/Fig5", agent)).toEqual({
      ...named("all words", [2 / 3, (1 / 3 + 2 / 5 + 3 / 4) / 3, 2 / 5, 3 / 4]), // 2 of 6, 2 of 5 and 3 of 4 words
      ...named("template-free", [2 / 3, 0.5 / 3, 0, 0.5]),
    });
  });

  test("the other arm of a win rate is found by its options, whatever it is called", () => {
    const verdict = (against: string, value: number, embedder?: string) => {
      const judged = { kind: "judged", value, why: "", confidence: 90 };
      const one = { question: "q0@p1", user: "p1", judged, against: { arm: "", shownFirst: false }, arm: "" };
      return { against: specOf(against, embedder), verdicts: [one] };
    };
    const verdicts = [
      ...[verdict("none", 1), verdict("dense", -1), verdict("dense", 1, "onnx/recontriever")],
      ...[verdict("rums-binary:a/b.json", -1), verdict("rums-multi:c.json", 1)],
    ];
    const human = armOf("file:people.json", [{ personal: true }], { verdicts: verdicts as never });
    const found = values("rums/T3", human);
    expect(found).toMatchObject({
      ...{ "None, All · GPT-4 Human Win Rate": 1, "Semantic Similarity, All · GPT-4 Human Win Rate": -1 },
      ...{ "ReContriever, All · GPT-4 Human Win Rate": 1, "RUMS-Binary, All · GPT-4 Human Win Rate": -1 },
      "RUMS-Multi, All · GPT-4 Human Win Rate": 1,
    });
  });
});
