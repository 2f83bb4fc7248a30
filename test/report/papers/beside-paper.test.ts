import { join } from "node:path";
import { expect, it } from "vitest";
import { reproduce } from "../../../src/commands/reproduce.js";
import { besidePaper, type Reproduced } from "../../../src/report/papers/beside.js";
import { thetaOfArm } from "../../../src/report/papers/own-arm.js";
import { renderReproduced } from "../../../src/report/papers/text.js";
import { inferenceOf } from "../../../src/results/inference.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { testIo } from "../../helpers/test-io.js";
import { type WrittenArm, type WrittenRun, writeRun } from "../../helpers/written-run.js";

const FAILED = { kind: "failed", error: "no reply" } as const;
const TAGS = ["comedy", "action", "romance", "sci-fi"];

/** An arm on LaMP-2M of which so many of 100 answers are right: more hits hold all fewer hits. */
function movies(method: string, hits: number, more: Partial<WrittenArm> = {}): WrittenArm {
  const golds = Array.from({ length: 100 }, (_, i) => TAGS[i % TAGS.length]!);
  return { task: "lamp2m", method, golds, replies: golds.map((gold, i) => (i < hits ? gold : "violence")), ...more };
}

/** An arm on LaMP-1 with so many hits of 123. */
function citations(method: string, hits: number, more: Partial<WrittenArm> = {}): WrittenArm {
  const golds = Array.from({ length: 123 }, (_, i) => (i % 2 === 0 ? "[1]" : "[2]"));
  const replies = golds.map((gold, i) => (i < hits ? gold : gold === "[1]" ? "[2]" : "[1]"));
  return { task: "lamp1", method, golds, replies, ...more };
}

function reproduced(table: string, ...runs: readonly WrittenRun[]): Reproduced {
  const cwd = tempDir();
  for (const [r, run] of runs.entries()) writeRun(join(cwd, `run${r}`), run);
  return reproduce({ table, runs: runs.map((_, r) => `run${r}`) }, testIo({ cwd }));
}

/** What was found, a fact a line: values of arms that were run, remarks. */
function factsOf({ lines, remarks }: Reproduced): string[] {
  const digits = (value: number | undefined) => value?.toFixed(3) ?? "-";
  return [
    ...lines.flatMap(({ group = "", suspect, ...line }) => {
      const { method, arm, task, metric, printed, ours, difference, differs, count, paperCount } = line;
      if (arm === undefined) return [];
      const values = `printed ${printed}, ours ${digits(ours)}, difference ${digits(difference)}, differs ${differs}`;
      const n = `n ${count ?? "-"} / ${paperCount ?? "-"}${suspect === undefined ? "" : "!"}`;
      return [`${task} ${group} ${method} by ${arm}: ${metric}: ${values}, ${n}`];
    }),
    ...remarks.map((remark) => `remark: ${remark}`),
  ];
}

const PAPER = { "align.batchSize": 3, "align.iterations": 1, "memory.k": 4 };
const scaled = (knob: string, hits: Readonly<Record<number, number>>): WrittenRun => ({
  arms: Object.entries(hits).map(([value, right]) =>
    movies("persona-agent", right, { options: { ...PAPER, [knob]: Number(value) } }),
  ),
});
const withModel = (method: string, hits: number, model: string) => movies(method, hits, { model });
const MISTRAL = "bedrock/mistral.mistral-small-2402-v1:0";
const CLAUDE_37 = "bedrock/us.anthropic.claude-3-7-sonnet-20250219-v1:0";
const news = (model: string, hits: number): WrittenArm => {
  const golds = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? "sports" : "politics"));
  const replies = golds.map((gold, i) => (i < hits ? gold : gold === "sports" ? "politics" : "sports"));
  return { task: "lamp2n", method: "graph-rag", model, golds, replies };
};
const TEMPLATE = "You are a helpful agent";
const personas = (...texts: string[]) =>
  movies("persona-agent", 50, { personas: texts.map((text) => [TEMPLATE, text] as const) });
const spoilt = (control: string) => movies("rag", 99, { options: { "history.control": control } });

/** What it shows, the table, the runs. */
const scenarios: readonly (readonly [what: string, table: string, ...runs: WrittenRun[]])[] = [
  [
    "equal hits give the published value; a far value differs; a mean over labels borrows our error",
    "personaagent/T2",
    { arms: [citations("persona-agent", 113), citations("prompt", 20), citations("membank", 106)] },
  ],
  ["below 10 users nothing differs", "personaagent/T2", { arms: [citations("prompt", 95, { questionsPerUser: 20 })] }],
  [
    "another size, an unfinished run",
    "personaagent/T2",
    {
      arms: [movies("persona-agent", 50)],
      finished: false,
    },
  ],
  [
    "arms over another past than the user's own are left out",
    "personaagent/T2",
    { arms: [movies("rag", 40), movies("prompt", 30), spoilt("right"), spoilt("deranged"), spoilt("none")] },
  ],
  [
    "published values that are no target bear a mark",
    "personaagent-graphrag/T1",
    { arms: [movies("graph-rag", 65), movies("prompt", 40)] },
  ],
  [
    "a curve that rises to 3 and declines",
    "personaagent/Fig3",
    scaled("align.iterations", { 1: 40, 2: 50, 3: 60, 4: 58, 5: 57 }),
  ],
  [
    "axes of several runs",
    "personaagent/Fig3",
    scaled("align.iterations", { 1: 41, 2: 42, 3: 43 }),
    scaled("memory.k", { 1: 51, 2: 52, 8: 58 }),
  ],
  [
    "each model beside its own printed value and its own comparison",
    "personaagent/Fig4",
    {
      arms: [
        withModel("persona-agent", 55, CLAUDE_37),
        withModel("persona-agent", 30, MISTRAL),
        withModel("rag", 35, MISTRAL),
      ],
    },
  ],
  [
    "a model that the table does not name has rows of its own",
    "personaagent/Fig4",
    { arms: [withModel("persona-agent", 55, MISTRAL), withModel("persona-agent", 60, "anthropic/claude-haiku-5-5")] },
  ],
  [
    "models are told apart by their ids",
    "personaagent-graphrag/Fig2",
    {
      arms: [
        news(MISTRAL, 20),
        news("bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0", 80),
        news("bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", 60),
        news("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 70),
      ],
    },
  ],
  [
    "personas: most pairs are unlike, also without the template's words", // 5 shared words of 9, then none twice
    "personaagent/Fig5",
    { arms: [personas(`${TEMPLATE} loves comedy`, `${TEMPLATE} hates gore`, "sci-fi and space operas")] },
  ],
  ["personas apart", "personaagent/Fig2", { arms: [personas("likes war films", "likes comedies")] }],
  [
    "both tools asked in one question",
    "personaagent/Fig6",
    {
      arms: [
        movies("persona-agent", 50, {
          incidents: { "runs-with-two-tools": 1, "tool=wikipedia": 1, "tool=episodic_memory": 1 },
        }),
      ],
    },
  ],
];

it("finds what each kind of runs has beside a paper", async () => {
  const found: string[] = [];
  for (const [what, table, ...runs] of scenarios)
    found.push(`${table}: ${what}`, ...factsOf(reproduced(table, ...runs)).map((line) => `  ${line}`), "");
  await expect(found.join("\n")).toMatchFileSnapshot("./beside-paper.txt");
});

it.each([
  ["personaagent/T2", [spoilt("deranged")], /nothing here belongs to personaagent\/T2: .*history.control=deranged/],
  [
    "personaagent/cold-start",
    [citations("persona-agent", 104)],
    "nothing here belongs to personaagent/cold-start: it is of lamp1, lamp3",
  ],
] as const)("refuses runs of which nothing stands in %s", (table, arms, message) => {
  expect(() => reproduced(table, { arms })).toThrow(message);
});

it("writes tables as text, Markdown and LaTeX, in which every mark is explained", async () => {
  const ratings = { task: "lamp3", golds: Array.from({ length: 12 }, () => "4") };
  const found = reproduced("personaagent-graphrag/T1", {
    arms: [
      movies("prompt", 40),
      { ...ratings, method: "graph-rag", replies: ratings.golds },
      { ...ratings, method: "prompt", replies: ratings.golds.map((_, i) => (i === 0 ? FAILED : "5")) },
      { task: "lamp2n", method: "rag", golds: ["crime"], replies: ["crime"] },
    ],
  });
  const scaling = reproduced("personaagent/Fig3", scaled("align.iterations", { 1: 40, 2: 50, 3: 60, 4: 58 }));
  const models = reproduced("personaagent/Fig4", { arms: [movies("persona-agent", 60), movies("prompt", 40)] });
  const texts = [
    ...(["text", "markdown", "latex"] as const).map((form) => renderReproduced(found, form)),
    ...[scaling, models].map((one) => renderReproduced(one, "text")),
  ];
  await expect(texts.join("\n\n========\n\n")).toMatchFileSnapshot("./beside-paper-tables.txt");
});

it.each(["text", "markdown", "latex"] as const)(
  "a simulated run fills the rows as %s, marked, with no published value beside it",
  async (form) => {
    const found = reproduced("personaagent/T2", { arms: [citations("prompt", 95)], simulated: true });
    const text = renderReproduced(found, form);
    expect(text).toContain("SIMULATED");
    expect(text).toContain(".772"); // 95 of 123
    expect(text).not.toMatch(/\.919|\.862|\.780/);
  },
);

it("a value differs where it lies outside of the interval, widened by the paper's own error and half of its last digit", () => {
  const found = Array.from({ length: 10 }, (_, at) => {
    const golds = Array.from({ length: 60 }, () => "[1]");
    const replies = golds.map((gold, i) => (i < 45 + at ? gold : "[2]"));
    const arm = { task: "lamp1", method: "persona-agent", golds, replies };
    const { lines, arms } = reproduced("personaagent/T2", { arms: [arm] });
    const { differs, difference = 0 } = lines.find(
      ({ arm: own, metric }) => own !== undefined && metric === "accuracy",
    )!;
    const theta = thetaOfArm(arms[0]!, "accuracy")!;
    const width = (inferenceOf(theta)!.interval!.high - theta.value) * Math.sqrt(1 + 60 / 123) + 0.0005;
    return { differs, expected: Math.abs(difference) > width };
  });
  expect(found.map(({ differs }) => differs)).toEqual(found.map(({ expected }) => expected));
  expect(new Set(found.map(({ differs }) => differs)).size).toBe(2);
});

it("a simulated run is known by its arms, whoever hands them in", async () => {
  const { arms, table } = reproduced("personaagent/T2", { arms: [citations("prompt", 95)] });
  const simulated = arms.map((arm) => ({ ...arm, summary: { ...arm.summary, simulated: true } }));
  expect(besidePaper(table, simulated).whyAlone).toContain("SIMULATED");
});

it("a method that the table does not name has a row of its own", () => {
  const found = reproduced("personaagent/T2", { arms: [citations("mine", 113), citations("prompt", 80)] });
  const [line] = found.lines.filter(({ method, metric }) => method === "mine" && metric === "accuracy");
  expect(line).toMatchObject({ arm: "mine", printed: "-", ours: 113 / 123 });
});
