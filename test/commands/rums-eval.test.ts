import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { armName } from "../../src/commands/rums-run.js";
import { labelOf, readLabels } from "../../src/data/profile-questions/labels.js";
import { runFiles } from "../../src/record/rows.js";
import { type Choice, selectionMeans, setScores, splitsOf } from "../../src/results/selections.js";
import type { ArmSpec, Row } from "../../src/types/index.js";
import { plantRun, sealRun } from "../helpers/planted-log.js";
import { manifestIn } from "../helpers/stored-run.js";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { type WrittenArm, writeRun } from "../helpers/written-run.js";

let cwd = "";
beforeEach(() => {
  cwd = tempDir();
});

const rums = (rest: string) => runCommandLine(`rums ${rest}`, { cwd });
const inJson = async (rest: string) => JSON.parse((await rums(`${rest} --json`)).stdout);
const thresholds = (more = "") => inJson(`train run --threshold ${more}`);
const reports = async () => (await inJson("eval run --labels labels.json")).reports;

/** Best utility of each question, and the events that were chosen for it. */
interface Question {
  readonly best: number | null;
  readonly chosen?: readonly string[];
  readonly entropy?: string;
  readonly threshold?: number;
  readonly scored?: readonly object[];
}

/** Adds a line to a run's file, as if the run had written it. */
function append(file: string, record: object): void {
  appendFileSync(join(cwd, file), `${JSON.stringify(record)}\n`);
  sealRun(join(cwd, "run"));
}
const save = (file: string, value: unknown) => writeFileSync(join(cwd, file), JSON.stringify(value));

function trace(
  arm: string,
  question: string,
  { best, chosen = [], entropy = "label", threshold = 0, ...more }: Question,
): void {
  const utilities = { entropy, plain: 1, rest: 0, threshold, candidates: [], best };
  const scored = more.scored ?? (best === null ? [] : [{ events: chosen, utility: best }]);
  append(`run/${runFiles.traces}`, {
    arm,
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
  for (const [at, best] of bests.entries()) trace("arm-0", `q${at}`, { best });
}

describe("rums train --threshold", () => {
  test("takes a question to gain where rag turns it right, and finds the cut between these and the others", async () => {
    writeMeasured([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8], "++++++++", "++++----", "+-+-++++");
    const [found] = await thresholds();
    expect(found).toMatchObject({ name: "lamp2m, rums", model: "openai/base", entropy: "label", gains: 4, others: 4 });
    expect(found).toMatchObject({ youden: { threshold: 0.45, j: 1, recall: 1, specificity: 1 }, area: 1 });
    expect(found).not.toHaveProperty("byUser"); // each user has questions of one kind
    expect((await rums("train run --threshold")).stdout).toMatch(
      /^- name: lamp2m, rums\n {2}model: openai\/base\n[\s\S]*threshold: 0\.45\n/,
    );
  });

  test("goes by labels where they are given, leaves out what was not measured, and tells users apart", async () => {
    writeMeasured([0.9, 0.1, 0.8, 0.2, null, 0.3, 0.7, 0.1], "++++++++", "--------", "++++++++");
    save("labels.json", { q0: { personal: true }, q1: { personal: false }, q4: { personal: true } });
    expect((await thresholds("--labels labels.json"))[0]).toMatchObject({ gains: 1, others: 1, area: 1 });
    const people = [true, false, true, false, false, false, true, false];
    const [found] = await thresholds(`--labels ${labelled(people)}`);
    const { u0, u1 } = found.byUser.users;
    expect(found.byUser.mean).toBeCloseTo((u0 + u1) / 2, 9);
    expect(found.byUser.deviation).toBeCloseTo(Math.abs(u0 - u1) / Math.SQRT2, 9);
  });

  test("goes by no question whose answer is lost, and by rows of its own task, model and repeat alone", async () => {
    const lost = { kind: "failed", error: "no answer" } as const;
    writeRun(join(cwd, "run"), {
      arms: [
        arm("rums", ["+", "+", "+"]),
        { ...arm("prompt", ["-", "-", "-"]), replies: ["wrong", lost, "right"] },
        { ...arm("rag", ["-", "-", "-"]), replies: ["right", "right", lost] },
        arm("rag", ["-", "-", "-"], { model: "openai/other" }),
        arm("rag", ["-", "-", "-"], { repeat: 1 }),
      ],
    });
    for (const at of [0, 1, 2]) trace("arm-0", `q${at}`, { best: at });
    expect((await thresholds())[0]).toMatchObject({ gains: 1, others: 0 });
  });

  test("refuses a run where nothing says which questions gain, or where nothing was measured", async () => {
    writeRun(join(cwd, "run"), { arms: [arm("rums", ["+", "+"]), arm("rums", ["+"], { repeat: 1 })] });
    for (const repeat of ["arm-1", "gone"]) trace(repeat, "q0", { best: 1 });
    trace("arm-0", "unknown", { best: 1 });
    expect((await rums("train run --threshold")).stderr).toContain("RUMS measured nothing here");
    for (const at of [0, 1]) trace("arm-0", `q${at}`, { best: at });
    expect(await rums("train run --threshold")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("nothing says which questions of lamp2m, rums gain"),
    });
    expect((await thresholds(`--labels ${labelled([true, true])}`))[0]).not.toHaveProperty("youden");
  });
});

describe("labels of people", () => {
  test("are read behind a byte order mark, and refused by place where they are not in form or not there", () => {
    writeFileSync(join(cwd, "people.json"), `\uFEFF${JSON.stringify({ q: { personal: true } })}`);
    expect(readLabels("people.json", cwd)).toEqual({ q: { personal: true } });
    save("form.json", { q: { personal: "yes" } });
    expect(() => readLabels("form.json", cwd)).toThrow(/--labels form\.json: q\.personal/);
    expect(() => readLabels("gone.json", cwd)).toThrow(/gone\.json.*no such file/);
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
    expect(labelOf("constructor", known)).toBeUndefined();
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

  test("tells H1, H1' and H2 of each arm that chose something for questions with labels", async () => {
    const five = ["+", "+", "+", "+", "+"];
    writeRun(join(cwd, "run"), { arms: [arm("rums", five), arm("prompt", ["+"]), arm("rums", five, { repeat: 1 })] });
    trace("arm-0", "q0", { best: 0.9, chosen: chosen("b", "c") });
    for (const elsewhere of ["arm-2", "gone"]) trace(elsewhere, "q0", { best: 0.2, chosen: chosen("z") });
    const bare = { arm: "arm-0", unit: "u", requests: [] };
    append(`run/${runFiles.traces}`, { ...bare, notes: [{ kind: "retrieved", data: ["z"] }] }); // of no question
    append(`run/${runFiles.traces}`, { ...bare, question: "q5", notes: [] }); // nothing was chosen, nor looked for
    trace("arm-0", "q1", { best: 0.7 });
    trace("arm-0", "q2", { best: 0.1 });
    trace("arm-0", "q3", { best: null, chosen: chosen("c") });
    trace("arm-0", "q4", { best: 0.5, chosen: chosen("x") });
    save("labels.json", { ...people, q5: { personal: true } });
    const found = await reports();
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
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
    });
    expect(found[0]).not.toHaveProperty("gaps");
    expect(found[0].utilities).not.toHaveProperty("decided"); // each question was asked for one user alone
    const { stdout: text } = await rums("eval run --labels labels.json");
    expect(text).toMatch(/name: all\n +questions: 4\n +chosen: 0\.75\n[\s\S]*precision: 0\.833\n/);
  });

  test("tells what was chosen without utilities, kinds counted by themselves, and gaps of personal questions alone", async () => {
    writeRun(join(cwd, "run"), { arms: [arm("rag", ["+"])] });
    const retrieved = (question: string, data: readonly string[]) =>
      append(`run/${runFiles.traces}`, {
        arm: "arm-0",
        unit: "u",
        question,
        requests: [],
        notes: [{ kind: "retrieved", data }],
      });
    retrieved("q0", ["a"]);
    for (const other of ["q2", "q3", "q4"]) retrieved(other, []);
    save("labels.json", { ...people, q4: { personal: false } });
    const [plain] = await reports();
    expect(plain).toMatchObject({
      splits: [
        { name: "all", chosen: 0.25 },
        { name: "personal", questions: 1 },
        { name: "other", questions: 3 },
      ],
      recall: 1,
      specificity: 1,
    });
    expect(plain).not.toHaveProperty("utilities");
    const parts = { a: 0.2, b: 0.1, "a+b": 0.5 };
    const scored = Object.entries(parts).map(([key, utility]) => ({ events: key.split("+"), utility }));
    trace("arm-0", "q1", { best: 0.5, chosen: ["a", "b"], scored });
    trace("arm-0", "q2", { best: 0.5, chosen: ["a", "b"], scored });
    const [measured] = await reports();
    expect(measured).toMatchObject({ gaps: { sets: 1 }, utilities: { personal: { questions: 1 }, unmeasured: 0 } });
  });

  test("averages the utilities of a question over the users that it was asked for", async () => {
    writeRun(join(cwd, "run"), { arms: [arm("rums", ["+"])] });
    for (const [id, best] of [
      ["q0@p1", 0.2],
      ["q0@p2", 0.6],
      ["q1@p1", 0.5],
      ["q2@p1", 0.4],
      ["q3@p1", null],
    ] as const)
      trace("arm-0", id, { best, threshold: 0.45 });
    save("labels.json", people);
    const [found] = await reports();
    expect(found.utilities).toMatchObject({
      personal: { questions: 2, mean: expect.closeTo(0.45, 9) },
      others: { questions: 1, mean: 0.4 },
      divergence: { bins: { from: expect.closeTo(0.4, 9), to: 0.5 } },
      decided: { threshold: 0.45, recall: 0.5, specificity: 1 }, // the means of q0 and q1 are .4 and .5
    });
  });

  test("refuses a run without a choice for any labelled question, and leaves out H2 where nobody named items", async () => {
    writeRun(join(cwd, "run"), { arms: [arm("rums", ["+"])] });
    save("labels.json", { q0: { personal: true } });
    expect((await rums("eval run --labels labels.json")).stderr).toContain(
      "nothing was chosen for a question with labels",
    );
    trace("arm-0", "q0", { best: null, chosen: chosen("c") });
    const [unnamed] = await reports();
    expect(unnamed.splits[0]).not.toHaveProperty("items");
    expect(unnamed).not.toHaveProperty("utilities");
    expect(unnamed).toMatchObject({ recall: 1, specificity: null });
  });

  test("reads what judges with confidence said in the run, in all, of personal questions and of the others", async () => {
    writeRun(join(cwd, "run"), {
      arms: [arm("rag", ["+", "+", "+"], { options: { select: "rums" } }), arm("rag", ["+"])],
    });
    const judge = (
      name: string,
      { simulated = false, ...facts }: { simulated?: boolean; against?: string },
      confidence?: number,
    ) => {
      const { identity, ...rest } = manifestIn(join(cwd, "run"))!; // written above
      const judged = {
        run: "../..",
        judge: "profile-pair",
        range: [-1, 1] as [number, number],
        options: {},
        specs: identity.arms,
      };
      const own = { ...identity.arms[0]!, id: "judged", task: "judge", method: "profile-pair", model: "m/judge" };
      const manifest = { ...rest, simulated, identity: { ...identity, arms: [own] }, judged: { ...judged, ...facts } };
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
            ...{ arm: own.id, unit: "u", user: "u", question: `${question} ${sign}`, spend: {}, incidents: {} },
            outcome: { kind: "answered", reply },
            tags: { arm: "arm-0", question, against: "arm-1", ...order },
          };
        }),
      );
      plantRun(join(cwd, "run/judges", name), { manifest, rows });
    };
    judge("a", { against: "rag", simulated: true }, 80);
    judge("b", { against: "rag" }); // without confidence
    judge("c", {}, 80); // against nobody
    save("labels.json", people);
    append(`run/${runFiles.traces}`, {
      ...{ arm: "arm-0", unit: "u", question: "q0", requests: [] },
      notes: [{ kind: "retrieved", data: [] }],
    });
    const { wins } = await inJson("eval run --labels labels.json");
    expect(wins).toMatchObject([
      { name: "rag select=rums", against: "rag", judge: "m/judge (SIMULATED)", all: { both: 0, pairs: 2 } },
    ]);
    expect([wins[0].personal, wins[0].others]).toMatchObject([
      { both: 1, pairs: 1 },
      { both: -1, pairs: 1 },
    ]);
  });
});

describe("arms of a run", () => {
  const armSpec = (id: string, options: ArmSpec["options"]): ArmSpec => ({
    id,
    task: "profile-questions",
    dataset: "made",
    method: "rag",
    model: "made/up",
    options,
    seed: 0,
    repeat: 0,
  });

  test("of one selector are told apart by the settings in which they differ; a selector alone by its name", () => {
    const plain = armSpec("a", { select: "bm25", "rag.k": 5 });
    const [short, long] = [20, 100].map((tokens) =>
      armSpec(`rums-${tokens}`, { select: "rums", "rag.k": 5, "rums.tokens": tokens }),
    );
    const names = [plain, short!, long!].map((one) => armName(one, [plain, short!, long!]));
    expect(names).toEqual(["rag select=bm25", "rag select=rums (rums.tokens=20)", "rag select=rums (rums.tokens=100)"]);
  });

  test("of other tasks, methods and selectors are no peers: what they set otherwise is in no name", () => {
    const own = armSpec("a", { select: "rums", "rums.tokens": 20 });
    const others = [
      { ...armSpec("b", { select: "rums", "rums.tokens": 100 }), task: "lamp3" },
      { ...armSpec("c", { select: "rums", "rums.tokens": 50 }), method: "pag" },
    ];
    expect(armName(own, [own, ...others])).toBe("rag select=rums");
    const larger = { ...own, id: "d", model: "made/large" };
    expect(armName(own, [own, larger])).toBe("rag select=rums (model=made/up)");
  });
});

describe("H2", () => {
  test("sets are scored by sample: none against none is right", () => {
    expect(setScores([], [])).toEqual({ precision: 1, recall: 1, f1: 1 });
    expect(setScores(["a"], [])).toEqual({ precision: 0, recall: 0, f1: 0 });
    expect(setScores([], ["a"])).toEqual({ precision: 0, recall: 0, f1: 0 });
    expect(setScores(["a", "b", "c"], ["a"])).toEqual({ precision: 1 / 3, recall: 1, f1: 0.5 });
    expect(setScores(["a", "b"], ["b", "c"])).toEqual({ precision: 0.5, recall: 0.5, f1: 0.5 });
  });
});

describe("the cost of memory (RUMS, table 9)", () => {
  const spend = (answer: number, select = 0) => ({
    answer: { calls: 1, in: answer, out: 5 },
    ...(select === 0 ? {} : { "select@reference": { calls: 2, in: select, out: 7 } }),
  });
  const choice = (answer: number, plainTokens: number | undefined, select?: number): Choice => ({
    question: "q",
    label: { personal: true, items: ["a"], dataset: "PersonaFeedback" },
    events: ["a"],
    utilities: undefined,
    spend: spend(answer, select),
    plainTokens,
  });

  test("is what the answer's prompt has beyond one without any past; what choosing costs stands by itself", () => {
    expect(selectionMeans([choice(44, 40, 900), choice(50, 40, 100)])).toMatchObject({
      extraTokens: 7,
      selectCalls: 2,
      selectTokens: 507,
    });
    expect(selectionMeans([choice(44, undefined)]).extraTokens).toBeUndefined();
  });

  test("is told by kind of question and by data set, as the labels name it", () => {
    expect([...splitsOf([choice(1, 1)]).keys()]).toEqual(["all", "personal", "other", "PersonaFeedback"]);
  });
});
