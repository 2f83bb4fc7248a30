import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rowsOf } from "../../src/record/rows.js";
import { customTask } from "../../src/tasks/custom.js";
import { entriesOf } from "../helpers/planted-log.js";
import { runCommandLine } from "../helpers/test-io.js";

const folder = (): string => mkdtempSync(join(tmpdir(), "own-"));
const json = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** A built-in task written down as own data: the same words, and how its items' fields are called there. */
const builtIn = {
  lamp2m: {
    text: "description",
    label: "tag",
    methods: "prompt,rag,pag,membank",
    yaml: `kind: label
labels: [sci-fi, based on a book, comedy, action, twist ending, dystopia, dark comedy, classic, psychology, fantasy, romance, thought-provoking, social commentary, violence, true story]
question: "Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: {labels} description: {input}"
item: movie
answer: tag
summary: "Below are movies that one user has watched, each with the tag the user gave it. Find the tag this user gives most often. Reply in this form only: most popular tag: <tag>"
prompt: { item: 'the tag for the movie: "{text}" is "{label}" ', insert: "{items}. {question}" }`,
  },
  lamp3: {
    text: "text",
    label: "score",
    methods: "prompt,rag",
    yaml: `kind: rating
range: { from: 1, to: 5 }
question: "What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review: {input}"
item: review
answer: score
prompt: { item: '{label} is the score for "{text}" ', insert: "{items}. {question}" }`,
  },
  lamp4: {
    text: "text",
    label: "title",
    methods: "prompt,rag",
    yaml: `kind: text
question: "Generate a headline for the following article: {input}"
item: article
answer: headline
document: "{label} {text}"
maxAnswerTokens: 128
prompt: { item: '"{label}" is the title for "{text}" ', insert: "{items}. {question}" }`,
  },
} as const;

describe("a built-in task written down in two files gives the same rows by the same requests", () => {
  test.for(Object.entries(builtIn))("%s", async ([name, { text, label, methods, yaml }]) => {
    const cwd = folder();
    const demo = join(import.meta.dirname, "../../datasets/demo", name);
    const users = json(join(demo, "users.json")).slice(0, 6);
    const golds = new Map(
      json(join(demo, "users_label.json")).golds.map((gold: { id: string; output: string }) => [gold.id, gold.output]),
    );
    const marker = yaml.match(/(\w+: )\{input\}/)![1]!;
    const lines = users.flatMap(
      (user: { user_id: string; profile: Record<string, string>[]; query: Record<string, string>[] }) =>
        user.query.map(({ id, input, date }) => ({
          id,
          user: user.user_id,
          history: user.profile.map((item) => ({ id: item.id, text: item[text], label: item[label], date: item.date })),
          question: input!.slice(input!.lastIndexOf(marker) + marker.length),
          date,
          gold: golds.get(id!),
        })),
    );
    writeFileSync(join(cwd, "users.json"), JSON.stringify(users));
    writeFileSync(join(cwd, "users_label.json"), readFileSync(join(demo, "users_label.json")));
    writeFileSync(join(cwd, "rows.jsonl"), lines.map((line: object) => `${JSON.stringify(line)}\n`).join(""));
    writeFileSync(join(cwd, "own.yaml"), `name: own-${name}\n${yaml}\n`);
    const common = `-m ${methods} --set wiki.mode=off`;
    const official = await runCommandLine(`run -t ${name} --data users.json ${common} --out built-in`, { cwd });
    const own = await runCommandLine(`run -t own.yaml --data rows.jsonl ${common} --out own`, { cwd });
    expect([official.code, own.code, own.stderr]).toEqual([0, 0, expect.stringContaining("SIMULATED")]);
    expect(rowsIn(join(cwd, "own"))).toEqual(rowsIn(join(cwd, "built-in")));
    expect(rowsIn(join(cwd, "own")).length).toBe(lines.length * methods.split(",").length);
    expect(keysIn(join(cwd, "own"))).toEqual(keysIn(join(cwd, "built-in")));
  });
});

describe("own ratings", () => {
  test("an unreadable answer counts as the end of the task's own range that is worse for its gold", () => {
    const task = customTask(
      { name: "r", kind: "rating", range: { from: 0, to: 10 }, question: "How good? {input}" },
      "r",
    );
    const errors = task.metrics.map((metric) => {
      const sums = new Float64Array(metric.sumCount);
      metric.add({ prediction: "no idea", gold: "2" }, sums);
      metric.add({ prediction: "no idea", gold: "9" }, sums);
      return [metric.name, metric.value(sums, 2), metric.maxPerPair];
    });
    expect(errors).toEqual([
      ["mae", 8.5, 10],
      ["rmse", Math.sqrt((64 + 81) / 2), 10],
    ]);
  });
});

describe("own data", () => {
  test("sends no question to Wikipedia unless it is asked to", async () => {
    const cwd = folder();
    await runCommandLine("init", { cwd });
    const line = (more: string) =>
      runCommandLine(`run --task own.yaml --data rows.jsonl --method react --out run${more}`, {
        cwd,
        env: { LAMP_EVAL_MEDIAWIKI_URL: "http://127.0.0.1:9/w/api.php" },
      });
    expect((await line("")).code).toBe(0);
    expect(readFileSync(join(cwd, "run/results.md"), "utf8")).toContain("wikipedia: off");
    expect(await line("-live --set wiki.mode=live")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("the Wikipedia API cannot be used"),
    });
  });

  test("the example of `init` runs, is judged by a gate, and is not resumed with another own.yaml", async () => {
    const cwd = folder();
    expect((await runCommandLine("init", { cwd })).code).toBe(0);
    const line = "run --task own.yaml --data rows.jsonl --method prompt,rag --out run";
    const { code, stdout } = await runCommandLine(line, { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/rag .*1\.000/);
    expect((await runCommandLine("data audit --task own.yaml --data rows.jsonl", { cwd })).code).toBe(0);
    for (const command of ["report run", "compare run --methods prompt,rag", "gate run --write-baseline base.json"])
      expect([command, (await runCommandLine(command, { cwd })).code]).toEqual([command, 0]);
    writeFileSync(
      join(cwd, "own.yaml"),
      readFileSync(join(cwd, "own.yaml"), "utf8").replace("Which category", "What category"),
    );
    const other = await runCommandLine(line, { cwd });
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringContaining(
        "holds a run whose task file own.yaml changed since; give it as it was, or choose another --out",
      ),
    ]);
    expect((await runCommandLine("init", { cwd })).stderr).toContain("is there already");
  });

  test.for([
    [
      "label",
      "own.yaml",
      "kind: label",
      "kind: lable",
      'own.yaml: kind "lable": expected one of label, rating, text, choice',
    ],
    ["label", "own.yaml", /labels: .*/, "", "own.yaml: labels: missing"],
    ["label", "own.yaml", "answer:", "metrics: [mae]\nanswer:", "own.yaml: metrics: mae does not score a label task"],
    ["label", "rows.jsonl", '"history"', '"histroy"', 'rows.jsonl: line 1: unknown key "histroy"'],
    [
      "label",
      "rows.jsonl",
      '"gold":"billing"',
      '"gold":"bill"',
      'rows.jsonl: line 1, "gold": gold "bill" is no answer',
    ],
    [
      "label",
      "rows.jsonl",
      '"label":"delivery"',
      '"lable":"delivery"',
      'line 1: history 2: unknown key "lable"; keys: ',
    ],
    [
      "label",
      "own.yaml",
      "item:",
      'event: "user: {histroy}"\nitem:',
      'rows.jsonl: no history item has the field "histroy", which support-tickets shows as {histroy}',
    ],
    ["label", "own.yaml", "options: {labels}", "options: {lables}", "question: unknown {lables}; did you mean"],
    [
      "label",
      "rows.jsonl",
      '"date":"2026-01-20"',
      '"date":"20 January"',
      'line 2: history, profile item 1 (id "line-2-h1"): field "date"',
    ],
    ["label", "rows.jsonl", /\}\n$/, "\n", "rows.jsonl: line 3: no JSON"],
    ["choice", "own.yaml", "{options}", "", "question: expected text with {options} in it once"],
    ["choice", "rows.jsonl", '"A roast chicken."', '"A soup.","A roast."', 'line 1: "options": 4; expected 2 to 3'],
    [
      "choice",
      "rows.jsonl",
      '"gold":"A lentil',
      '"gold":"A lentl',
      'line 1: "gold": "A lentl curry on the stove." is none of the options',
    ],
  ] as const)(
    "a mistake in the %s example's %s is one line that names file, line and key: %s",
    async ([kind, file, found, spoilt, message]) => {
      const cwd = folder();
      await runCommandLine(`init --kind ${kind}`, { cwd });
      writeFileSync(join(cwd, file), readFileSync(join(cwd, file), "utf8").replace(found, spoilt));
      const { code, stderr } = await runCommandLine("run --task own.yaml --data rows.jsonl --method prompt --out run", {
        cwd,
      });
      expect([code, stderr.trim().split("\n").at(-1)]).toEqual([2, expect.stringContaining(message)]);
    },
  );

  test.for(["label", "choice", "rating", "text"])(
    "the example of kind %s runs with every method that applies",
    async (kind) => {
      const cwd = folder();
      await runCommandLine(`init --kind ${kind}`, { cwd });
      const methods = "prompt,icl,rag,pag,membank,persona-agent,graph-rag,rums,sage,assistant";
      const { code, stderr, stdout } = await runCommandLine(
        `run --task own.yaml --data rows.jsonl --method ${methods} --set wiki.mode=off --out run`,
        { cwd },
      );
      expect([code, stderr]).toEqual([0, expect.stringContaining("SIMULATED")]);
      expect(stdout).toMatch(kind === "choice" ? /icl: -, its demonstrations/ : /\brag\b/);
    },
  );

  test("the embedded model answers a rating of one's own scale, by the ratings of the history", async () => {
    const cwd = folder();
    await runCommandLine("init --kind rating", { cwd });
    const own = readFileSync(join(cwd, "own.yaml"), "utf8");
    writeFileSync(join(cwd, "own.yaml"), own.replace("on a scale of 1 to 5", "from 1 to 7").replace("to: 5", "to: 7"));
    await runCommandLine("run --task own.yaml --data rows.jsonl --method rag --out run", { cwd });
    const replies = rowsOf(join(cwd, "run")).map(({ gold, outcome }) => ["reply" in outcome && outcome.reply, gold]);
    expect(replies.map(([reply]) => reply)).toEqual(replies.map(([, gold]) => gold));
  });

  test("a choice is asked in an order drawn by the seed, which the rows keep, and its gold is a letter", async () => {
    const cwd = folder();
    await runCommandLine("init --kind choice", { cwd });
    const line = "run --task own.yaml --data rows.jsonl --method prompt";
    const { stdout } = await runCommandLine(`${line} --out one`, { cwd });
    for (const name of ["longest option", "shortest option", "letter a", "letter c"])
      expect(stdout).toContain(`(${name})`);
    expect((await runCommandLine("report one --wide", { cwd })).stdout).toContain("chance: 0.333");
    await runCommandLine(`${line} --out again --seed 1`, { cwd });
    const [one, other] = ["one", "again"].map((run) => rowsOf(join(cwd, run)));
    const places = readFileSync(join(cwd, "rows.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((text) => {
        const { options, gold } = JSON.parse(text);
        return options.indexOf(gold);
      });
    for (const rows of [one!, other!])
      for (const row of rows)
        expect(row.order?.["abc".indexOf(row.gold!)]).toBe(places[Number(row.question.split("-")[1]) - 1]);
    expect(one!.map(({ order }) => order)).not.toEqual(other!.map(({ order }) => order));
    expect(one!.find(({ user }) => user === "cem")).toMatchObject({ cluster: "family-1", tags: { about: "food" } });
  });

  test("marks, Windows line ends, blank lines and no end of line are read", async () => {
    const cwd = folder();
    await runCommandLine("init", { cwd });
    const lines = readFileSync(join(cwd, "rows.jsonl"), "utf8").trimEnd();
    writeFileSync(join(cwd, "rows.jsonl"), `\uFEFF${lines.replaceAll("\n", "\r\n\r\n")}`);
    const { code, stdout } = await runCommandLine("run --task own.yaml --data rows.jsonl --method prompt --out run", {
      cwd,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/3 users; n=3|3 users, 3 questions/);
  });
});

/** The rows without the name of their task. */
function rowsIn(run: string): unknown[] {
  return rowsOf(run)
    .map(({ user, question, gold, outcome, spend }) => JSON.stringify({ user, question, gold, outcome, spend }))
    .sort();
}

const keysIn = (run: string): unknown[] =>
  entriesOf(run)
    .flatMap((entry) => (entry.t === "answer" ? [entry.key] : []))
    .sort();
