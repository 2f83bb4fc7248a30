import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { evaluateSelections, judgedWins, renderSelections, renderWins } from "../../../src/commands/rums/eval.js";
import { labelOf, readLabels } from "../../../src/commands/rums/labels.js";
import { byArm, isRight, measuredRun } from "../../../src/commands/rums/material.js";
import { renderThresholds, trainThresholds } from "../../../src/commands/rums/threshold.js";
import { readManifest } from "../../../src/run/manifest.js";
import { runFiles } from "../../../src/run/rows.js";
import type { Row } from "../../../src/types/index.js";
import { plantRun } from "../../helpers/planted-log.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { type WrittenArm, writeRun } from "../../helpers/written-run.js";

let cwd = "";
let io = { cwd };
beforeEach(() => {
  cwd = tempDir();
  io = { cwd };
});

/** Best utility of each question, and the events that were chosen for it. */
interface Question {
  readonly best: number | null;
  readonly chosen?: readonly string[];
  readonly entropy?: string;
  readonly threshold?: number;
  readonly scored?: readonly object[];
}

const append = (file: string, record: object) => appendFileSync(join(cwd, file), `${JSON.stringify(record)}\n`);
const save = (file: string, value: unknown) => writeFileSync(join(cwd, file), JSON.stringify(value));

function trace(
  cell: string,
  question: string,
  { best, chosen = [], entropy = "label", threshold = 0, ...more }: Question,
): void {
  const utilities = { entropy, plain: 1, rest: 0, threshold, candidates: [], best };
  const scored = more.scored ?? (best === null ? [] : [{ events: chosen, utility: best }]);
  append(`run/${runFiles.traces}`, {
    cell,
    unit: "u",
    question,
    requests: [],
    notes: [
      { kind: "utilities", data: { ...utilities, scored } },
      { kind: "retrieved", data: chosen },
    ],
  });
}

const arm = (method: string, replies: readonly string[], over: Partial<WrittenArm> = {}): WrittenArm => ({
  task: "lamp2m",
  method,
  golds: replies.map(() => "right"),
  replies: replies.map((reply) => (reply === "+" ? "right" : "wrong")),
  questionsPerUser: 4,
  ...over,
});

/** Labels of q0, q1, ... in a file, whose name it gives. */
function labelled(personal: readonly boolean[]): string {
  save("labels.json", Object.fromEntries(personal.map((one, at) => [`q${at}`, { personal: one }])));
  return "labels.json";
}

/** `rums`, `prompt` and `rag` on eight questions of two users; `+` is a right answer. */
function writeMeasured(bests: readonly (number | null)[], own: string, prompt: string, rag: string): void {
  writeRun(join(cwd, "run"), {
    arms: [
      arm("rums", [...own], { options: { "model.reference": "openai/base" } }),
      arm("prompt", [...prompt]),
      arm("rag", [...rag]),
    ],
  });
  for (const [at, best] of bests.entries()) trace("cell-0", `q${at}`, { best });
}

describe("rums train --threshold", () => {
  test("takes a question to gain where rag turns it right, and finds the cut between these and the others", () => {
    writeMeasured([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "++++++++", "++++----", "+-+-++++");
    const [found] = trainThresholds({ run: "run" }, io);
    expect(found).toMatchObject({
      name: "lamp2m, rums",
      model: "openai/base",
      entropy: "label",
      gains: 4,
      others: 4,
      youden: { j: 1, recall: 1, specificity: 1 },
      area: 1,
    });
    expect(found!.youden!.threshold > 0.4 && found!.youden!.threshold <= 0.5).toBe(true);
    expect(found!.byUser).toBeUndefined(); // each user has questions of one kind
    expect(renderThresholds([found!])).toMatch(
      /\nlamp2m, rums +label of openai\/base +4 +4 +0\.450 +1\.000 +1\.000 +0\.000 +0\.000 +- +- /,
    );
  });

  test("tells the run's own threshold beside it; at 0 a utility of 0 chooses nothing", () => {
    writeMeasured([0, 0, 0.2, 0.4], "++++", "--++", "++--");
    const [found] = trainThresholds({ run: "run" }, io);
    expect(found?.used).toEqual({ threshold: 0, j: -1, recall: 0, specificity: 0 });
  });

  test("goes by what people say where that is given, and leaves out what they do not name and what was not measured", () => {
    writeMeasured([0.9, 0.1, 0.8, 0.2, null, 0.3, 0.7, 0.1], "++++++++", "--------", "++++++++");
    save("labels.json", { q0: { personal: true }, q1: { personal: false }, q4: { personal: true } });
    expect(trainThresholds({ run: "run", labels: "labels.json" }, io)[0]).toMatchObject({
      gains: 1,
      others: 1,
      area: 1,
    });
  });

  test("goes by neither a question whose answer is lost, nor rows of another task, repeat or selector", () => {
    const lost = { kind: "failed", error: "no answer" } as const;
    const right = (more: Partial<WrittenArm>) => arm("prompt", ["+", "+", "+"], more);
    writeRun(join(cwd, "run"), {
      arms: [
        { ...arm("rag", [..."----"], { options: { select: "rums" } }), replies: ["wrong", "wrong", "wrong", lost] },
        arm("rag", [..."++++"], { options: { select: "all" } }),
        { ...arm("prompt", [..."----"]), replies: ["wrong", lost, "right", "right"] },
        right({ task: "lamp2n" }),
        right({ repeat: 1 }),
      ],
    });
    for (const at of [0, 1, 2, 3]) trace("cell-0", `q${at}`, { best: at });
    const [found] = trainThresholds({ run: "run", labels: labelled([true, false, false]) }, io);
    expect(found!.accuracy).toEqual({ threshold: 3, share: 0.5, questions: 2 }); // right on q2 alone, where prompt answers
    writeRun(join(cwd, "run"), {
      arms: [
        arm("rums", ["+", "+", "+"]),
        { ...arm("prompt", ["-", "-", "-"]), replies: ["wrong", lost, "right"] },
        { ...arm("rag", ["-", "-", "-"]), replies: ["right", "right", lost] },
      ],
    });
    for (const at of [0, 1, 2]) trace("cell-0", `q${at}`, { best: at });
    expect(trainThresholds({ run: "run" }, io)[0]).toMatchObject({ gains: 1, others: 0 });
  });

  test("says how far the thresholds of users lie apart, over those with questions of both kinds", () => {
    writeMeasured([0.1, 0.2, 0.6, 0.9, 0.1, 0.4, 0.8, 0.9], "++++++++", "--------", "++++++++");
    const personal = [false, false, true, true, false, false, true, true];
    save("labels.json", Object.fromEntries(personal.map((one, at) => [`q${at}`, { personal: one }])));
    const [found] = trainThresholds({ run: "run", labels: "labels.json" }, io);
    const users = found!.byUser!.users;
    expect(Object.keys(users)).toEqual(["u0", "u1"]);
    expect(found!.byUser!.mean).toBeCloseTo((users.u0! + users.u1!) / 2, 9);
    expect(found!.byUser!.deviation).toBeCloseTo(Math.abs(users.u0! - users.u1!) / Math.SQRT2, 9);
    expect(users.u0! < users.u1!).toBe(true);
  });

  test("finds the threshold with the most right answers, prompt answering below it, the lowest of equals", () => {
    writeMeasured([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, null, 0.8], "---+++++", "+++-----", "++++++++");
    const [found] = trainThresholds({ run: "run" }, io);
    expect(found!.accuracy).toMatchObject({ share: 1, questions: 7 });
    expect(found!.accuracy!.threshold > 0.3 && found!.accuracy!.threshold <= 0.4).toBe(true);
    writeMeasured([0.1, 0.2], "++", "++", "++");
    const [alike] = trainThresholds({ run: "run" }, io);
    expect(alike!.accuracy!.threshold).toBeLessThanOrEqual(0.1);
  });

  test("has no right answers to go by without prompt, and no cut without questions of both kinds", () => {
    writeRun(join(cwd, "run"), { arms: [arm("rums", ["+", "+"])] });
    for (const at of [0, 1]) trace("cell-0", `q${at}`, { best: at });
    expect(() => trainThresholds({ run: "run" }, io)).toThrow(/nothing says which questions of lamp2m, rums gain/);
    save("labels.json", { q0: { personal: true }, q1: { personal: true } });
    const [found] = trainThresholds({ run: "run", labels: "labels.json" }, io);
    expect(found).toMatchObject({
      model: "openai/gpt-test",
      gains: 2,
      others: 0,
      youden: undefined,
      accuracy: undefined,
    });
  });

  test("compares rows of its own task, model and repeat alone; two selectors in one method are two arms", () => {
    const rag = (select: string) => arm("rag", ["-", "-"], { options: { select } });
    writeRun(join(cwd, "run"), {
      arms: [rag("rums"), rag("mine"), arm("prompt", ["+", "+"]), arm("prompt", ["-", "-"], { model: "openai/other" })],
    });
    for (const at of [0, 1]) trace("cell-0", `q${at}`, { best: 0.1 + at, entropy: "token" });
    save("labels.json", { q0: { personal: false }, q1: { personal: true } });
    const found = trainThresholds({ run: "run", labels: "labels.json" }, io);
    expect(found.map(({ name, entropy }) => [name, entropy])).toEqual([["lamp2m, rag select=rums", "token"]]);
    expect(found[0]!.accuracy!.share).toBe(1); // prompt of the same model is right on both
    expect(found[0]!.accuracy!.threshold).toBeGreaterThan(1);
  });
});

describe("what was measured in a run", () => {
  test("is in the order of plan and file, of known questions in the first repeat alone", () => {
    const rums = (repeat: number) => arm("rums", ["+", "-"], { repeat });
    writeRun(join(cwd, "run"), { arms: [rums(0), arm("prompt", ["+", "-"]), arm("rag", ["+", "-"]), rums(1)] });
    for (const [at, best] of [0.1, null].entries()) trace("cell-0", `q${at}`, { best });
    trace("cell-0", "unknown", { best: 1 });
    trace("gone", "q0", { best: 1 });
    trace("cell-3", "q0", { best: 1 });
    append(`run/${runFiles.traces}`, { cell: "cell-1", unit: "u", question: "q0", requests: [], notes: [] });
    const material = measuredRun("run", io);
    expect(material.measured.map(({ question, user, utilities }) => [question, user, utilities.best])).toEqual([
      ["q0", "u0", 0.1],
      ["q1", "u0", null],
    ]);
    expect([...byArm(material).keys()]).toEqual(["lamp2m, rums"]);
  });

  test("may be nothing, which is refused by name", () => {
    writeRun(join(cwd, "run"), { arms: [arm("rag", ["+"])] });
    expect(() => measuredRun("run", io)).toThrow(/run: RUMS measured nothing here/);
  });

  test("is right where the reading is the gold, or where no reading was kept the reply without blanks", () => {
    const row = (outcome: Row["outcome"], gold?: string) => isRight({ outcome, gold } as Row);
    expect(row({ kind: "answered", reply: "<4>", lenient: "4" }, "4")).toBe(true);
    expect(row({ kind: "answered", reply: " 4 " }, "4")).toBe(true);
    expect(row({ kind: "answered", reply: "5" }, "4")).toBe(false);
    expect(row({ kind: "unparsed", reply: "4", lenient: "4" }, "4")).toBe(false);
    expect(row({ kind: "failed", error: "x" }, "4")).toBeUndefined();
    expect(row({ kind: "answered", reply: "4" })).toBeUndefined();
  });
});

describe("what people said", () => {
  const lines = (name: string, records: readonly unknown[]) =>
    writeFileSync(
      join(cwd, name),
      records.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n"),
    );
  const said = (question: string, annotator: string, more: object) => ({ question, annotator, ...more });

  test("by several of them counts where all agree; an item counts that more than half chose", () => {
    lines("people.jsonl", [
      said("all", "a", { rating: 1, items: ["x", "y"] }),
      said("all", "b", { rating: 2, items: ["x"] }),
      "",
      said("all", "c", { rating: 2, items: ["y", "z"] }),
      said("apart", "a", { rating: 0 }),
      said("apart", "b", { rating: 1 }),
      said("none", "a", { rating: 0 }),
      said("half", "a", { items: ["x"] }),
      said("half", "b", { items: ["y"] }),
      said("items", "a", { items: ["x"] }),
      "  ",
      said("rated", "a", { rating: 0, items: ["x"] }),
    ]);
    expect(readLabels("people.jsonl", cwd)).toEqual({
      all: { personal: true, items: ["x", "y"] },
      none: { personal: false },
      half: { personal: false, items: [] },
      items: { personal: true, items: ["x"] },
      rated: { personal: false, items: ["x"] },
    });
  });

  test("is refused by place where it is not in form, not JSON, said twice by one person, or not there", () => {
    lines("bad.jsonl", [said("q", "a", { rating: 1 }), said("q", "a", { rating: 3 })]);
    expect(() => readLabels("bad.jsonl", cwd)).toThrow(/--labels bad\.jsonl: line 2: rating/);
    lines("twice.jsonl", [said("q", "a", { rating: 1 }), said("q", "a", { rating: 1 })]);
    expect(() => readLabels("twice.jsonl", cwd)).toThrow(/line 2: annotator a rates q twice/);
    lines("broken.jsonl", ["{"]);
    expect(() => readLabels("broken.jsonl", cwd)).toThrow(/line 1: not JSON: .*; expected/);
    save("form.json", { q: { personal: "yes" } });
    expect(() => readLabels("form.json", cwd)).toThrow(/--labels form\.json: q\.personal/);
    expect(() => readLabels("gone.json", cwd)).toThrow(/--labels gone\.json: no such file/);
  });

  test("are read behind a byte order mark, and a question without any has none, whatever it is called", () => {
    writeFileSync(join(cwd, "people.json"), `\uFEFF${JSON.stringify({ q: { personal: true } })}`);
    expect(readLabels("people.json", cwd)).toEqual({ q: { personal: true } });
    lines("people.jsonl", [said("q", "a", { rating: 1 })]);
    writeFileSync(join(cwd, "marked.jsonl"), `\uFEFF${readFileSync(join(cwd, "people.jsonl"), "utf8")}`);
    expect(readLabels("marked.jsonl", cwd)).toEqual({ q: { personal: true } });
    expect(labelOf("constructor", {})).toBeUndefined();
  });

  test("of a question holds for it asked for any profile, items named as attributes of that profile", () => {
    const known = {
      q: { personal: true, items: ["Home town", "p3-pet"] },
      "q@p9": { personal: false },
      plain: { personal: false },
    };
    expect(labelOf("q@p3", known)).toEqual({ personal: true, items: ["p3-home-town", "p3-pet"] });
    expect(labelOf("q", known)).toBe(known.q);
    expect(labelOf("q@p9", known)).toEqual({ personal: false });
    expect(labelOf("plain@p1", known)).toEqual({ personal: false });
    expect(labelOf("unknown", known)).toBeUndefined();
  });
});

describe("rums eval", () => {
  const people = {
    q0: { personal: true, items: ["a", "b"] },
    q1: { personal: true, items: [] },
    q2: { personal: false, items: [] },
    q3: { personal: false },
  };
  const chosen = (...events: string[]) => events;

  test("tells H1, H1' and H2 of each arm that chose something for questions with labels", () => {
    const five = ["+", "+", "+", "+", "+"];
    writeRun(join(cwd, "run"), { arms: [arm("rums", five), arm("prompt", ["+"]), arm("rums", five, { repeat: 1 })] });
    trace("cell-0", "q0", { best: 0.9, chosen: chosen("b", "c") });
    for (const elsewhere of ["cell-2", "gone"]) trace(elsewhere, "q0", { best: 0.2, chosen: chosen("z") });
    const bare = { cell: "cell-0", unit: "u", requests: [] };
    append(`run/${runFiles.traces}`, { ...bare, notes: [{ kind: "retrieved", data: ["z"] }] }); // of no question
    append(`run/${runFiles.traces}`, { ...bare, question: "q5", notes: [] }); // nothing was chosen, nor looked for
    trace("cell-0", "q1", { best: 0.7 });
    trace("cell-0", "q2", { best: 0.1 });
    trace("cell-0", "q3", { best: null, chosen: chosen("c") });
    trace("cell-0", "q4", { best: 0.5, chosen: chosen("x") });
    save("labels.json", { ...people, q5: { personal: true } });
    const reports = evaluateSelections({ run: "run", labels: "labels.json" }, io);
    expect(reports).toHaveLength(1);
    expect(reports[0]).toMatchObject({
      name: "rums",
      splits: [
        {
          name: "all",
          questions: 4,
          chosen: 0.75,
          items: { precision: 2.5 / 3, recall: 2.5 / 3, f1: 2.5 / 3, questions: 3 },
        },
        { name: "personal", questions: 2, chosen: 1 },
        { name: "other", questions: 2, chosen: 0.5 },
      ],
      recall: 0.5,
      specificity: 0.5,
      utilities: {
        personal: { questions: 2, mean: expect.closeTo(0.8, 9), deviation: expect.closeTo(Math.SQRT1_2 / 5, 9) },
        others: { questions: 1, mean: 0.1 },
        divergence: { nats: expect.closeTo(Math.log(2), 9) },
        test: { statistic: 1 },
        unmeasured: 1,
      },
      gaps: undefined,
    });
    expect(reports[0]!.utilities).not.toHaveProperty("decided"); // each question was asked for one user alone
    const text = renderSelections(reports);
    expect(text).toMatch(/^arm +questions +n +items +select calls .*precision +recall +F1/);
    expect(text).toMatch(/\nrums +all +4 +0\.75 .* 0\.833 +0\.833 +0\.833/);
    expect(text).toMatch(/\nrums +personal +2 +1\.00 /);
    expect(text).toMatch(/\nrums +0\.800 +0\.141 +0\.100 +1 +0\.693 +1\.000 +0\.500 +0\.500\n/);
  });

  test("tells what was chosen without utilities, kinds counted by themselves, and gaps of personal questions alone", () => {
    writeRun(join(cwd, "run"), { arms: [arm("rag", ["+"])] });
    const retrieved = (question: string, data: readonly string[]) =>
      append(`run/${runFiles.traces}`, {
        cell: "cell-0",
        unit: "u",
        question,
        requests: [],
        notes: [{ kind: "retrieved", data }],
      });
    retrieved("q0", ["a"]);
    for (const other of ["q2", "q3", "q4"]) retrieved(other, []);
    save("labels.json", { ...people, q4: { personal: false } });
    const [plain] = evaluateSelections({ run: "run", labels: "labels.json" }, io);
    expect(plain).toMatchObject({
      splits: [
        { name: "all", chosen: 0.25 },
        { name: "personal", questions: 1 },
        { name: "other", questions: 3 },
      ],
      recall: 1,
      specificity: 1,
      utilities: undefined,
    });
    const parts = { a: 0.2, b: 0.1, "a+b": 0.5 };
    const scored = Object.entries(parts).map(([key, utility]) => ({ events: key.split("+"), utility }));
    trace("cell-0", "q1", { best: 0.5, chosen: ["a", "b"], scored });
    trace("cell-0", "q2", { best: 0.5, chosen: ["a", "b"], scored });
    const [measured] = evaluateSelections({ run: "run", labels: "labels.json" }, io);
    expect(measured).toMatchObject({ gaps: { sets: 1 }, utilities: { personal: { questions: 1 }, unmeasured: 0 } });
  });

  test("averages the utilities of a question over the users that it was asked for", () => {
    writeRun(join(cwd, "run"), { arms: [arm("rums", ["+"])] });
    for (const [id, best] of [
      ["q0@p1", 0.2],
      ["q0@p2", 0.6],
      ["q1@p1", 0.5],
      ["q2@p1", 0.4],
      ["q3@p1", null],
    ] as const)
      trace("cell-0", id, { best, threshold: 0.45 });
    save("labels.json", people);
    const reports = evaluateSelections({ run: "run", labels: "labels.json" }, io);
    expect(reports[0]!.utilities).toMatchObject({
      personal: { questions: 2, mean: expect.closeTo(0.45, 9) },
      others: { questions: 1, mean: 0.4 },
      divergence: { bins: { from: expect.closeTo(0.4, 9), to: 0.5 } },
      decided: { threshold: 0.45, recall: 0.5, specificity: 1 }, // the means of q0 and q1 are .4 and .5
    });
  });

  test("refuses a run without a choice for any labelled question, and leaves out H2 where nobody named items", () => {
    writeRun(join(cwd, "run"), { arms: [arm("rums", ["+"])] });
    save("labels.json", { q0: { personal: true } });
    expect(() => evaluateSelections({ run: "run", labels: "labels.json" }, io)).toThrow(/labels\.json/);
    trace("cell-0", "q0", { best: null, chosen: chosen("c") });
    const [unnamed] = evaluateSelections({ run: "run", labels: "labels.json" }, io);
    expect(unnamed).toMatchObject({ splits: [{ name: "all", items: undefined }, {}], utilities: undefined });
    writeRun(join(cwd, "run"), { arms: [arm("rums", ["+"])] });
    trace("cell-0", "q0", { best: 0.5 });
    const personal = evaluateSelections({ run: "run", labels: "labels.json" }, io);
    expect(Object.keys(personal[0]!.utilities!)).toEqual(["personal", "others", "unmeasured"]);
    expect(Object.keys(personal[0]!.utilities!.personal)).toEqual(["questions", "mean"]);
  });

  test("reads what judges with confidence said in the run, in all, of personal questions and of the others", () => {
    writeRun(join(cwd, "run"), {
      arms: [arm("rag", ["+", "+", "+"], { options: { select: "rums" } }), arm("rag", ["+"])],
    });
    const judge = (
      name: string,
      { simulated = false, ...facts }: { simulated?: boolean; against?: string },
      confidence?: number,
    ) => {
      const { plan, ...rest } = readManifest(join(cwd, "run"))!; // written above
      const judged = {
        run: "../..",
        judge: "profile-pair",
        range: [-1, 1] as [number, number],
        options: {},
        cells: plan.cells,
      };
      const own = { ...plan.cells[0]!, id: "judged", task: "judge", method: "profile-pair", model: "m/judge" };
      const manifest = { ...rest, simulated, plan: { ...plan, cells: [own] }, judged: { ...judged, ...facts } };
      const said = [
        ["q0", 1],
        ["q2", -1],
      ] as const;
      const rows = said.flatMap(([question, value]) =>
        [{}, { first: "other" }].map((order): Row => {
          const sign = "first" in order ? -1 : 1;
          const reply = JSON.stringify({
            value: sign * value,
            why: "",
            ...(confidence === undefined ? {} : { confidence }),
          });
          return {
            ...{ cell: own.id, unit: "u", user: "u", question: `${question} ${sign}`, spend: {}, incidents: {} },
            outcome: { kind: "answered", reply },
            tags: { cell: "cell-0", question, against: "cell-1", ...order },
          };
        }),
      );
      plantRun(join(cwd, "run/judges", name), { manifest, rows });
    };
    judge("a", { against: "rag", simulated: true }, 80);
    judge("b", { against: "rag" }); // without confidence
    judge("c", {}, 80); // against nobody
    save("labels.json", people);
    const wins = judgedWins("run", "labels.json", io);
    expect(wins).toMatchObject([
      { name: "rag select=rums", against: "rag", judge: "m/judge (SIMULATED)", all: { both: 0, pairs: 2 } },
    ]);
    expect([wins[0]!.personal, wins[0]!.others]).toMatchObject([
      { both: 1, pairs: 1 },
      { both: -1, pairs: 1 },
    ]);
    expect(renderWins(wins)).toMatch(
      /\nrag select=rums +rag +m\/judge \(SIMULATED\) +all +0\.000 +2 [\s\S]* personal +1\.000 +1 [\s\S]* others +-1\.000 +1 /,
    );
  });
});
