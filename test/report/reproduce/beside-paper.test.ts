import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ownRuns } from "../../../src/app/reproduce/arms.js";
import { paperTables } from "../../../src/report/papers/index.js";
import { besidePaper, type Reproduced } from "../../../src/report/reproduce/beside-paper.js";
import { withStandIns } from "../../../src/report/reproduce/stand-ins.js";
import { renderReproduced } from "../../../src/report/reproduce/text.js";
import { tempDir } from "../../helpers/temp-dir.js";
import { type WrittenArm, type WrittenRun, writeRun } from "../../helpers/written-run.js";

const FAILED = { kind: "failed", error: "no reply" } as const;
const TWELVE = Array<string>(12).fill("crime");
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
  const { arms, unreal } = ownRuns(
    runs.map((_, r) => `run${r}`),
    undefined,
    { cwd, tell: () => undefined },
  );
  return besidePaper(paperTables.get(table), arms, unreal);
}

const lineOf = ({ lines }: Reproduced, method: string, metric: string, task = "lamp1") =>
  lines.find((line) => line.method === method && line.metric === metric && line.task === task)!;

const claim = ({ claims }: Reproduced, text: string) => claims.find((found) => found.text.includes(text))!;

describe("a published value beside ours", () => {
  const found = () =>
    reproduced("personaagent/T2", {
      arms: [citations("persona-agent", 113), citations("prompt", 20), citations("membank", 106)],
    });

  it("equal hits give the published value, from which ours is not shown to differ", () => {
    const line = lineOf(found(), "PersonaAgent", "accuracy");
    expect(line).toMatchObject({ printed: "0.919", theirs: 0.919, differs: false, count: 123, paperCount: 123 });
    expect(line.ours).toBeCloseTo(113 / 123, 12);
    expect(Math.abs(line.delta!)).toBeLessThan(0.0005);
  });

  it("a far value is outside, and a missing arm is undefined throughout", () => {
    expect(lineOf(found(), "Prompt", "accuracy").differs).toBe(true);
    expect(lineOf(found(), "ICL", "accuracy")).toMatchObject({
      arm: undefined,
      ours: undefined,
      delta: undefined,
      differs: undefined,
      count: undefined,
    });
  });

  it("a mean over labels borrows the error of ours, at the paper's number of questions", () => {
    const line = lineOf(found(), "PersonaAgent", "f1");
    expect(line.differs).toBe(false);
    expect(line.difference!.low).toBeLessThan(line.interval!.low - line.ours!);
    expect(line.difference!.high).toBeGreaterThan(line.interval!.high - line.ours!);
    expect(lineOf(found(), "Prompt", "f1").differs).toBe(true);
    expect(renderReproduced(found(), "text")).toContain("of macro metrics by the error of ours at its n");
  });

  it("below 10 users there is no interval and no verdict", () => {
    const few = reproduced("personaagent/T2", { arms: [citations("prompt", 95, { questionsPerUser: 20 })] });
    expect(lineOf(few, "Prompt", "accuracy")).toMatchObject({ interval: undefined, differs: undefined });
    expect(renderReproduced(few, "text")).toMatch(
      /Prompt +prompt +accuracy \(up\) +\.772 +\.772 +\.000 +- +- +- +123 \/ 123/,
    );
  });

  it("a rounded value counts as inside where anything that rounds to it is", () => {
    // all right: the interval is [1, 1], and nothing prints as 0.919
    const all = reproduced("personaagent/T2", { arms: [citations("persona-agent", 123)] });
    expect(lineOf(all, "PersonaAgent", "accuracy")).toMatchObject({ ours: 1, differs: true });
    // 2.61 seconds have no interval at all
    const timed = reproduced("personaagent/seconds", { arms: [movies("react", 50, { ms: 2610 })] });
    expect(lineOf(timed, "ReAct", "seconds", "lamp2m")).toMatchObject({ ours: 2.61, delta: 0, differs: undefined });
  });
});

describe("no claim is judged over a run whose method mostly failed", () => {
  const broken = { incidents: { persona_update_failed: 1 } };
  const best = "PersonaAgent is best on all four tasks";

  it("28 of 28 users whose persona was never updated", () => {
    const short = (method: string, hits: number, more = {}) => {
      const { golds, replies, ...arm } = movies(method, hits, more);
      return { ...arm, golds: golds.slice(0, 28), replies: replies.slice(0, 28) };
    };
    const sound = reproduced("personaagent/T2", { arms: [short("persona-agent", 10), short("rag", 20)] });
    expect(claim(sound, best)).toMatchObject({ finding: { holds: false } });
    const found = reproduced("personaagent/T2", { arms: [short("persona-agent", 10, broken), short("rag", 20)] });
    const why = "persona-agent on lamp2m (run0): alignment failed for 28 of 28 questions (persona_update_failed 28)";
    expect(claim(found, best).finding).toBeUndefined();
    expect(found.remarks).toContain(why);
    const text = renderReproduced(found, "text");
    expect(text).toContain("not checked: needs persona-agent and one of prompt");
    expect(text).not.toContain("does not hold");
  });

  it.each([
    ["answers that failed", { replies: Array.from({ length: 100 }, () => FAILED) }],
    ["answers that could not be read", { replies: Array(100).fill({ kind: "unparsed", reply: "?" }) }],
    ["memories that were empty", { incidents: { "fallback=prompt": 1 } }],
  ])("%s", (_what, more) => {
    const half = (count: number) => {
      const whole = movies("persona-agent", 10, more);
      const good = movies("persona-agent", 10).replies;
      return "incidents" in more
        ? whole
        : { ...whole, replies: whole.replies.map((r, i) => (i < count ? r : good[i]!)) };
    };
    const arms = (count: number) => ({ arms: [half(count), movies("rag", 60)] });
    expect(claim(reproduced("personaagent/T2", arms(51)), best).finding).toBeUndefined();
  });

  it("a claim is judged as far as the other arms go", () => {
    const arms = [
      movies("persona-agent", 60),
      movies("rag", 50),
      movies("pag", 5, { incidents: { "summary-empty": 1 } }),
    ];
    const found = reproduced("personaagent/T2", { arms });
    expect(found.remarks).toContain(
      "pag on lamp2m (run0): summary failed for 100 of 100 questions (summary-empty 100)",
    );
    expect(claim(found, best).finding).toMatchObject({ holds: true, without: expect.arrayContaining(["pag"]) });
    const alone = reproduced("personaagent/Fig3", {
      arms: [
        movies("persona-agent", 40, { options: { "memory.k": 1 } }),
        movies("persona-agent", 60, { options: { "memory.k": 4 } }),
        movies("pag", 5, { incidents: { "summary-empty": 1 } }),
      ],
    });
    expect(claim(alone, "more retrieved memories")).toMatchObject({ finding: { holds: true } });
  });
});

describe("what keeps runs and paper apart is said", () => {
  it("failed questions are marked and do not make it another test set", () => {
    const arm = citations("prompt", 95);
    const replies = arm.replies.map((reply, i) => (i < 3 ? ({ kind: "failed", error: "no reply" } as const) : reply));
    const text = renderReproduced(reproduced("personaagent/T2", { arms: [{ ...arm, replies }] }), "text");
    expect(text).toMatch(/Prompt +prompt +accuracy \(up\) +\.772 +\.767\* .* 120 \/ 123\n/);
    expect(text).toContain("* prompt: 3 questions failed and not in the scores");
    expect(text).not.toContain("other test set: n=");
  });

  it("other settings, open histories, another size, an unfinished run and the model", () => {
    const options = {
      "align.batchSize": 5,
      "align.iterations": 1,
      "align.batch": "random",
      "graph.concepts": "named",
      "persona-agent.toolRules": "fitting",
      "data.split": "dev",
      "history.visible": "as-shipped",
      "wiki.mode": "off",
    };
    const { remarks } = reproduced("personaagent/T2", {
      arms: [movies("persona-agent", 50, { options })],
      finished: false,
    });
    expect(remarks).toEqual([
      "the paper's model: Claude-3.5 Sonnet; ours: openai/gpt-test",
      "other settings: persona-agent on lamp2m ran with align.batchSize=5 (paper: 3), align.batch=random (preset personaagent: latest), wiki.mode=off (default: live)",
      "leak suspected in ours: run0 ran with history.visible=as-shipped",
      "PARTIAL: run0 has not ended",
      "lamp2m: other test set: n=100, the paper's n=300 (derived)",
    ]);
  });

  it("every setting that is neither the paper's nor its preset's nor the default, in a line an arm", () => {
    const usual = { "rag.k": 4, "rag.maxTokens": 0, "history.limit": "all", "data.maxQueriesPerUser": 3 };
    const odd = {
      "rag.k": 8,
      "rag.maxTokens": 30,
      "history.limit": "latest:2",
      select: "recency",
      "model.reference": "a/b",
    };
    const { remarks } = reproduced("personaagent/T2", {
      arms: [movies("prompt", 40, { options: usual }), movies("rag", 50, { options: odd })],
    });
    expect(remarks.filter((remark) => remark.startsWith("other"))).toEqual([
      'other settings: rag on lamp2m ran with rag.k=8 (paper: 4), rag.maxTokens=30 (default: 0), history.limit=latest:2 (default: all), select=recency (default: own), model.reference=a/b (default: "")',
    ]);
  });

  it("answers learned from on the way, and options that nobody knows here", () => {
    const arm = movies("rag", 50, { options: { online: true, "mine.depth": 2 } });
    const { remarks } = reproduced("personaagent/T2", { arms: [arm] });
    expect(remarks.filter((remark) => remark.startsWith("other settings"))).toEqual([
      "other settings: rag on lamp2m ran with online=true (default: false), mine.depth=2 (default not known here)",
    ]);
  });

  it("repeats and a seed of its own, which no paper states; the seed of an import made nothing", () => {
    const more = (r: number) => movies("rag", 50 + r, { repeat: r, seed: 7 });
    const others = (...arms: WrittenArm[]) =>
      reproduced("personaagent/T2", { arms }).remarks.filter((remark) => remark.startsWith("other"));
    expect(others(more(0), more(1), more(2))).toEqual([
      "other settings: rag on lamp2m ran with repeats=3 (default: 1), seed=7 (default: 0)",
    ]);
    expect(others(movies("rag", 50))).toEqual([]);
    const options = { "import.files": "c4718f03048b" };
    expect(others(...[0, 1].map((repeat) => movies("rag", 50, { repeat, seed: 7, options })))).toEqual([
      "other settings: rag on lamp2m ran with repeats=2 (default: 1)",
    ]);
  });

  it("imported predictions, of whose making nothing is known", () => {
    const arm = movies("rag", 50, { options: { "import.files": "c4718f03048b", "data.maxQueriesPerUser": 2 } });
    expect(
      reproduced("personaagent/T2", { arms: [arm] }).remarks.filter((remark) => remark.includes("setting")),
    ).toEqual([
      "settings unknown: rag on lamp2m was imported; its model, prompt, pasts and all else that made its answers are not known here",
      "other settings: rag on lamp2m ran with data.maxQueriesPerUser=2 (preset personaagent: 3)",
    ]);
  });

  it("an axis that a figure varies, and what a row demands, are no other settings", () => {
    const scaled = [1, 3].map((n) =>
      movies("persona-agent", 40 + n, { options: { "align.iterations": n, "memory.k": 2, "graph.concepts": "named" } }),
    );
    expect(reproduced("personaagent/Fig3", { arms: scaled }).remarks.join("\n")).not.toContain("other setting");
    const cut = citations("persona-agent", 104, { options: { "history.limit": "latest:10" } });
    expect(reproduced("personaagent/cold-start", { arms: [cut] }).remarks.join("\n")).not.toContain("history.limit");
  });

  it("arms over another past than the user's own are left out, and refused where nothing is left", () => {
    const spoilt = (control: string) => movies("rag", 99, { options: { "history.control": control } });
    const found = reproduced("personaagent/T2", {
      arms: [movies("rag", 40), movies("prompt", 30), spoilt("right"), spoilt("deranged"), spoilt("none")],
    });
    expect(found.lines.filter(({ arm }) => arm?.startsWith("rag")).map(({ ours }) => ours)).not.toContain(undefined);
    expect(found.arms).toHaveLength(3);
    expect(found.remarks.slice(0, 2)).toEqual([
      "left out: run0: rag on lamp2m ran with history.control=deranged, not the users' own past",
      "left out: run0: rag on lamp2m ran with history.control=none, not the users' own past",
    ]);
    expect(() => reproduced("personaagent/T2", { arms: [spoilt("deranged"), spoilt("none")] })).toThrow(
      /rag on lamp2m ran with history.control=deranged, .*: nothing here stands beside personaagent\/T2/,
    );
  });

  it("failed alignments are counted, one by one", () => {
    const golds = Array<string>(100).fill("comedy");
    const some = movies("persona-agent", 50, { golds, incidents: { "align-skipped=no-labels": 1 } });
    expect(reproduced("personaagent/T2", { arms: [some] }).remarks).toContain(
      "persona-agent on lamp2m (run0): alignment failed for 100 of 100 questions (align-skipped=no-labels 100)",
    );
    const twice = movies("persona-agent", 50, {
      options: { "align.iterations": 3 },
      incidents: { persona_update_failed: 2 },
    });
    expect(reproduced("personaagent/T2", { arms: [twice] }).remarks.join("\n")).not.toContain("alignment failed");
  });

  it("published values that are no target bear a mark, with the reason", () => {
    const graph = reproduced("personaagent-graphrag/T1", { arms: [movies("graph-rag", 65), movies("prompt", 40)] });
    expect(lineOf(graph, "PersonaAgent with GraphRAG", "accuracy", "lamp2m").suspect).toContain("leak suspected");
    expect(lineOf(graph, "Non-Personalized", "accuracy", "lamp2m").suspect).toBeUndefined();
    const text = renderReproduced(graph, "text");
    expect(text).toMatch(/PersonaAgent with GraphRAG +graph-rag +accuracy \(up\) +\.653! +\.650/);
    expect(text).toContain("row labels are misaligned");
  });

  it("arms of one method with different settings stand on lines of their own", () => {
    const arms = [1, 3].map((n) => movies("persona-agent", 40 + n, { options: { "align.iterations": n } }));
    const lines = reproduced("personaagent/T2", { arms }).lines.filter(
      ({ method, task, metric }) => method === "PersonaAgent" && task === "lamp2m" && metric === "accuracy",
    );
    expect(lines.map(({ arm, ours }) => [arm, ours])).toEqual([
      ["persona-agent (align.iterations=1)", 0.41],
      ["persona-agent (align.iterations=3)", 0.43],
    ]);
  });

  it("the cold start takes only arms that were cut to ten interactions", () => {
    const cut = { options: { "history.limit": "latest:10" } };
    const found = reproduced("personaagent/cold-start", { arms: [citations("persona-agent", 104, cut)] });
    expect(lineOf(found, "PersonaAgent", "accuracy")).toMatchObject({
      theirs: 0.845,
      differs: undefined,
      count: 123,
      paperCount: undefined,
    });
    const whole = { options: { "history.limit": "all" } };
    expect(() => reproduced("personaagent/cold-start", { arms: [citations("persona-agent", 104, whole)] })).toThrow(
      "it needs lamp1, lamp3 with persona-agent (history.limit=latest:10)",
    );
  });
});

describe("a simulated run", () => {
  it("fills the paper's rows and columns, marked SIMULATED, with no published value beside it and no claim judged", () => {
    const found = reproduced("personaagent/T2", { arms: [citations("prompt", 95)], simulated: true });
    expect(found.claims).toEqual([]);
    expect(lineOf(found, "Prompt", "accuracy")).toMatchObject({
      theirs: undefined,
      delta: undefined,
      differs: undefined,
    });
    for (const form of ["text", "markdown", "latex"] as const) {
      const text = renderReproduced(found, form);
      expect(text).toContain("SIMULATED");
      expect(text).toContain(".772"); // 95 of 123
      expect(text).not.toMatch(/\.919|\.862|\.780/);
    }
  });

  it("is known by its arms, whoever hands them in", () => {
    const { arms, table } = reproduced("personaagent/T2", { arms: [citations("prompt", 95)] });
    const simulated = arms.map((arm) => ({ ...arm, summary: { ...arm.summary, simulated: true } }));
    expect(besidePaper(table, simulated).unreal).toContain("SIMULATED");
  });
});

describe("claims of the main tables", () => {
  it("best of all: against the best rival, with what was not run", () => {
    const { finding } = claim(
      reproduced("personaagent/T2", { arms: [movies("persona-agent", 60), movies("rag", 40), movies("prompt", 30)] }),
      "PersonaAgent is best",
    );
    expect(finding).toMatchObject({ holds: true, significant: { count: 2, of: 2 } });
    expect(finding?.without).toEqual(["lamp1", "lamp2n", "lamp3", "icl", "pag", "react", "membank"]);
    expect(finding?.evidence[0]).toMatch(
      /^lamp2m accuracy, persona-agent against rag: \.600 against \.400: better by \.200 \[/,
    );
  });

  it("says once that intervals of its differences are too narrow where few make them, and only where it has some", () => {
    const [agent, rag] = [movies("persona-agent", 60), movies("rag", 40)];
    const text = (...arms: WrittenArm[]) => renderReproduced(reproduced("personaagent/T2", { arms }), "text");
    expect(text(agent, rag).split("too narrow where few users or answers make the difference")).toHaveLength(2);
    expect(text(agent)).not.toContain("too narrow");
  });

  it("does not hold where one rival is level", () => {
    const level = reproduced("personaagent/T2", { arms: [movies("persona-agent", 60), movies("rag", 60)] });
    expect(claim(level, "PersonaAgent is best").finding).toMatchObject({ holds: false, significant: { count: 0 } });
    expect(claim(level, "PersonaAgent is best").finding!.evidence.join("\n")).toContain("equal [");
  });

  it("every part helps: each ablation by itself", () => {
    const arms = [
      movies("persona-agent", 60),
      movies("persona-agent-wo-alignment", 62),
      movies("persona-agent-wo-memory", 20),
    ];
    const { finding } = claim(reproduced("personaagent/T3", { arms }), "every part");
    expect(finding).toMatchObject({ holds: false });
    expect(finding?.evidence).toHaveLength(4);
    expect(finding?.evidence[0]).toContain(
      "persona-agent against persona-agent-wo-alignment: .600 against .620: worse by .020",
    );
  });

  it("where nothing can be compared it is not checked, and says what it needs", () => {
    const alone = reproduced("personaagent/T2", { arms: [movies("persona-agent", 60)] });
    expect(claim(alone, "PersonaAgent is best").finding).toBeUndefined();
    expect(renderReproduced(alone, "text")).toContain("not checked: needs persona-agent and one of prompt");
  });

  it("is not checked on so few users that no difference has an interval", () => {
    const few = (method: string, users: number): WrittenArm => {
      const { golds, replies, ...arm } = movies(method, method === "persona-agent" ? 100 : 1);
      return { ...arm, golds: golds.slice(0, users), replies: replies.slice(0, users) };
    };
    const found = (users: number) =>
      claim(
        reproduced("personaagent/T2", { arms: [few("persona-agent", users), few("rag", users)] }),
        "PersonaAgent is best",
      ).finding;
    expect(found(9)).toBeUndefined();
    expect(found(10)).toMatchObject({ holds: true });
  });
});

describe("claims of the scaling figure", () => {
  const at = (hitsByIterations: Readonly<Record<number, number>>) =>
    reproduced("personaagent/Fig3", {
      arms: Object.entries(hitsByIterations).map(([n, hits]) =>
        movies("persona-agent", hits, { options: { "align.iterations": Number(n), "memory.k": 4 } }),
      ),
    });

  it("hold on a curve that rises to 3 and then declines", () => {
    const found = at({ 1: 40, 2: 50, 3: 60, 4: 58, 5: 57 });
    expect(claim(found, "gain with iterations").finding).toMatchObject({ holds: true });
    expect(claim(found, "gain with iterations").finding?.evidence[0]).toBe(
      "accuracy by align.iterations: 1 .400, 2 .500, 3 .600",
    );
    expect(claim(found, "beyond 3").finding).toMatchObject({ holds: false, open: true });
    expect(renderReproduced(found, "text")).toContain("neither shown nor refuted here");
    expect(renderReproduced(found, "text")).toMatch(/alignment iterations +3 +/);
  });

  it("do not hold on a curve that falls to 3 and rises after it", () => {
    const found = at({ 1: 40, 3: 30, 5: 80 });
    expect(claim(found, "gain with iterations").finding?.holds).toBe(false);
    expect(claim(found, "beyond 3").finding?.holds).toBe(false);
  });

  it("are left open for axes that did not vary", () =>
    expect(claim(at({ 1: 40, 3: 60 }), "more retrieved memories").finding).toBeUndefined());

  it("take the arms of one axis from runs of several", () => {
    const base = { "align.iterations": 1, "memory.k": 4 };
    const found = reproduced(
      "personaagent/Fig3",
      { arms: [1, 2, 3].map((n) => movies("persona-agent", 40 + n, { options: { ...base, "align.iterations": n } })) },
      { arms: [1, 2, 8].map((k) => movies("persona-agent", 50 + k, { options: { ...base, "memory.k": k } })) },
    );
    expect(claim(found, "more retrieved memories").finding?.evidence[0]).toBe(
      "accuracy by memory.k: 1 .510, 2 .520, 4 .410, 8 .580",
    );
  });
});

describe("claims of the base model figures", () => {
  const withModel = (method: string, hits: number, model: string) => movies(method, hits, { model });

  it("personaagent/Fig4: the printed value stands beside Claude-3.7 only", () => {
    const found = reproduced("personaagent/Fig4", {
      arms: [
        withModel("persona-agent", 55, "bedrock/us.anthropic.claude-3-7-sonnet-20250219-v1:0"),
        withModel("persona-agent", 30, "bedrock/mistral.mistral-small-2402-v1:0"),
        withModel("rag", 35, "bedrock/mistral.mistral-small-2402-v1:0"),
      ],
    });
    expect(found.lines.filter(({ printed }) => printed !== "-")).toMatchObject([
      { group: "Claude-3.7", theirs: 0.55, ours: 0.55, differs: false },
    ]);
    const ours = found.lines.filter(({ arm }) => arm !== undefined).map(({ group, method }) => [group, method]);
    expect(ours).toEqual([
      ["Mistral-Small", "RAG"],
      ["Mistral-Small", "PersonaAgent"],
      ["Claude-3.7", "PersonaAgent"],
    ]);
  });

  it("a model that the table does not name has rows of its own", () => {
    const found = reproduced("personaagent/Fig4", {
      arms: [
        withModel("persona-agent", 55, "bedrock/mistral.mistral-small-2402-v1:0"),
        withModel("persona-agent", 60, "anthropic/claude-haiku-5-5"),
      ],
    });
    expect(renderReproduced(found, "text")).toMatch(/anthropic\/claude-haiku-5-5 +PersonaAgent +60\.0% \(-\)/);
  });

  it("personaagent/Fig4: each model has its own comparison", () => {
    const found = reproduced("personaagent/Fig4", {
      arms: [
        withModel("persona-agent", 55, "bedrock/us.anthropic.claude-3-7-sonnet-20250219-v1:0"),
        withModel("persona-agent", 30, "bedrock/mistral.mistral-small-2402-v1:0"),
        withModel("rag", 35, "bedrock/mistral.mistral-small-2402-v1:0"),
      ],
    });
    expect(claim(found, "with every base model").finding?.holds).toBe(false);
    expect(claim(found, "best of all settings").finding?.holds).toBe(true);
  });

  it("personaagent-graphrag/Fig2: models are told apart by their ids", () => {
    const news = (model: string, hits: number): WrittenArm => {
      const golds = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? "sports" : "politics"));
      return {
        task: "lamp2n",
        method: "graph-rag",
        model,
        golds,
        replies: golds.map((gold, i) => (i < hits ? gold : gold === "sports" ? "politics" : "sports")),
      };
    };
    const arms = [
      news("bedrock/mistral.mistral-small-2402-v1:0", 20),
      news("bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0", 80),
      news("bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", 60),
    ];
    const found = reproduced("personaagent-graphrag/Fig2", { arms });
    expect(found.claims.map(({ finding }) => finding?.holds)).toEqual([true, true, true, true]);
    const newer = reproduced("personaagent-graphrag/Fig2", {
      arms: [...arms.slice(0, 2), news("bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", 60)],
    });
    expect(claim(newer, "Claude 4 is below").finding).toBeUndefined();
  });
});

describe("claims of the persona figures", () => {
  const template = "You are a helpful agent";
  const personas = (texts: readonly string[]) =>
    movies("persona-agent", 50, { personas: texts.map((text) => [template, text]) });

  it("personaagent/Fig5: most pairs are unlike, also without the template's words", () => {
    const found = reproduced("personaagent/Fig5", {
      arms: [personas([`${template} loves comedy`, `${template} hates gore`, "sci-fi and space operas"])],
    });
    // 5 shared words of 9, then none twice
    expect(claim(found, "Jaccard").finding).toEqual({
      holds: true,
      evidence: [
        "3 personas, 3 pairs: 67 % at .400 or below; mean .185, median .000, largest .556",
        "without the words of the initial template: mean .000, median .000, largest .000",
      ],
    });
  });

  it("personaagent/Fig5: equal personas do not bear it out", () =>
    expect(
      claim(reproduced("personaagent/Fig5", { arms: [personas(["same", "same"])] }), "Jaccard").finding?.holds,
    ).toBe(false));

  it("personaagent/Fig2: apart from each other and from the template", () => {
    const apart = reproduced("personaagent/Fig2", { arms: [personas(["likes war films", "likes comedies"])] });
    expect(claim(apart, "apart").finding?.holds).toBe(true);
    const unchanged = reproduced("personaagent/Fig2", { arms: [personas([template, template])] });
    expect(claim(unchanged, "apart").finding).toMatchObject({
      holds: false,
      evidence: [expect.stringContaining("1 different persona of 2; changed by alignment: 0"), expect.any(String)],
    });
  });

  it("personaagent/Fig6 and personaagent-graphrag/Fig3 name the commands that show a case of this run", () => {
    const asked = (...tools: readonly string[]) => {
      const named = Object.fromEntries(tools.map((tool) => [`tool=${tool}`, 1]));
      const incidents = { "runs-with-two-tools": 1, ...named };
      return renderReproduced(
        reproduced("personaagent/Fig6", { arms: [movies("persona-agent", 50, { incidents })] }),
        "text",
      );
    };
    const text = asked("wikipedia", "episodic_memory");
    expect(asked("graph_memory", "episodic_memory")).toContain("questions answered with both tools: 0 of 100");
    expect(text).toContain("questions answered with both tools: 100 of 100");
    expect(text).toContain("in which order tools are asked is not checked");
    expect(text).toContain("lamp-eval show run0 --method persona-agent --question q0");
    const graph = reproduced("personaagent-graphrag/Fig3", { arms: [movies("graph-rag", 50, { task: "lamp2n" })] });
    expect(renderReproduced(graph, "markdown")).toContain("lamp-eval show run0 --method graph-rag --question q0");
  });
});

describe("a table read by someone who sees only the paper", () => {
  it("explains every mark of its LaTeX under the table itself", () => {
    const ratings = { task: "lamp3", golds: Array.from({ length: 12 }, () => "4") };
    const latex = renderReproduced(
      reproduced("personaagent-graphrag/T1", {
        arms: [
          { ...ratings, method: "graph-rag", replies: ratings.golds },
          { ...ratings, method: "prompt", replies: ratings.golds.map((_, i) => (i === 0 ? FAILED : "5")) },
        ],
      }),
      "latex",
    );
    const [grid, table] = latex.match(/\\begin\{table\*?\}[\s\S]*?\\end\{table\*?\}/g)!;
    expect(grid).toContain("PersonaAgent with GraphRAG");
    expect(table).toContain(".216!");
    expect(latex).toContain("% ! PersonaAgent with GraphRAG: other test set: no 112 ratings");
    expect(table).toContain("12 / ? "); // the last row's own size cannot be derived
    expect(table).toContain("!= marks another test set");
    expect(latex).toContain("% * prompt: 1 question failed and not in the scores");
  });
});

describe("a task that is run by no method of the table", () => {
  it("is said to be in the runs, with what is there", () => {
    const text = renderReproduced(
      reproduced("personaagent-graphrag/T1", {
        arms: [movies("prompt", 40), { ...citations("rag", 9), task: "lamp2n", golds: ["crime"], replies: ["crime"] }],
      }),
      "text",
    );
    expect(text).toContain("in these runs, but with no method of the table (there: rag with openai/gpt-test)");
    expect(text).toMatch(/LaMP-3: .*: not in these runs/);
  });
});

describe("claims about models of a figure", () => {
  it("are not checked where none of the models is there, and name ids to type, no patterns", () => {
    const found = reproduced("personaagent/Fig4", { arms: [movies("persona-agent", 60), movies("prompt", 40)] });
    expect(claim(found, "every base model").finding).toBeUndefined();
    const text = renderReproduced(found, "text");
    expect(text).toContain("Mistral-Small (e.g. bedrock/mistral.mistral-small-2402-v1:0)");
    expect(text).not.toMatch(/\[\.-\]|\(\?:/);
  });

  it("list the models that are missing where some are there", () => {
    const model = "anthropic/claude-3-7-sonnet-20250219";
    const found = reproduced("personaagent/Fig4", {
      arms: [
        movies("persona-agent", 60, { model }),
        movies("prompt", 40, { model }),
        movies("rag", 90),
        movies("persona-agent", 50),
      ],
    });
    const { finding } = claim(found, "every base model");
    expect(finding).toMatchObject({ holds: true });
    expect(finding!.without).toEqual(expect.arrayContaining(["Mistral-Small", "Mistral-Large", "Claude-3.5"]));
    expect(finding!.without).not.toContain("Claude-3.7");
  });

  it.each(["personaagent/Fig4", "personaagent-graphrag/Fig2"])("every example is one of its ids: %s", (name) => {
    const needs = paperTables.get(name).claims.map((one) => one.needs);
    const ids = needs.flatMap((text) => [...text.matchAll(/(?:anthropic|bedrock)\/[\w.:-]+/g)].map(([id]) => id));
    expect(ids.length).toBeGreaterThan(1);
    const arm = { task: paperTables.get(name).columns[0]!.task, golds: TWELVE, replies: TWELVE };
    const method = name === "personaagent/Fig4" ? "persona-agent" : "graph-rag";
    const arms = [...new Set(ids)].flatMap((model) => [
      { ...arm, method, model },
      { ...arm, method: "prompt", model },
    ]);
    const { claims } = reproduced(name, { arms });
    for (const { text, finding } of claims) {
      expect(finding, text).toBeDefined();
      expect(finding!.without ?? [], text).not.toContain("Claude-3.5");
    }
  });
});

describe("an own method that stands for one of the paper's (--as)", () => {
  const arms = [citations("mine", 113), citations("persona-agent", 50), citations("prompt", 80)];
  const beside = (method: string, own: string) => {
    const cwd = tempDir();
    writeRun(join(cwd, "run"), { arms });
    const { arms: given } = ownRuns(["run"], undefined, { cwd, tell: () => undefined });
    return besidePaper(withStandIns(paperTables.get("personaagent/T2"), [{ method, own }], given), given);
  };

  it("is beside its row and in its claims in place of the method that was there", () => {
    const found = beside("personaagent", "mine");
    expect(lineOf(found, "PersonaAgent", "accuracy")).toMatchObject({ arm: "mine", ours: 113 / 123, differs: false });
    expect(lineOf(found, "Prompt", "accuracy").arm).toBe("prompt");
    expect(claim(found, "PersonaAgent is best").finding).toMatchObject({ holds: true });
    expect(renderReproduced(found, "text")).toContain(
      "mine stands for PersonaAgent (--as); in the claims it is called persona-agent",
    );
  });

  it.each([
    ["PersonaAgnt", "mine", 'not in personaagent/T2; did you mean "PersonaAgent"?'],
    ["PersonaAgent", "mein", "no method of that name in the runs; theirs: mine, persona-agent, prompt"],
  ])("is refused where either name is unknown: %s=%s", (method, own, message) => {
    expect(() => beside(method, own)).toThrow(message);
  });
});
