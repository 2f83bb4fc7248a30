/**
 * Numbers, answers and requests that a change of the code must not move: `test/golden/*.txt` hold what the commands came to, a file
 * a part. `npm run golden` compares; `GOLDEN=record npm run golden -- -t "PART"` writes a part again, for a commit that says why.
 * Wikis are replayed and models embedded or served by this process: nothing is sent anywhere.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allSections, runFolder } from "../../scripts/conformance.js";
import { papers } from "../../src/commands/reproduce.js";
import { builtIn, report } from "../../src/index.js";
import { runHere } from "../e2e/in-process.js";
import { startProviderServer } from "../helpers/provider-server.js";
import { writeReviews } from "../helpers/review-data.js";
import { sharedDir } from "../helpers/shared.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import {
  differences,
  digest,
  ended,
  type Facts,
  factsOfRun,
  type Printed,
  printed,
  readGolden,
  tableRows,
  writeGolden,
} from "./facts.js";
import { wireFacts } from "./wires.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cwd = suiteDir();
const NOISES = ["rain on the roof", "a dog at the gate", "trains under the street"];
const configs = readdirSync(join(root, "configs")).filter((name) => name.endsWith(".yaml"));
const demoData = join(root, "datasets/demo");
const demo = String(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts["demo:embedded"])
  .split(" ")
  .slice(2)
  .concat("--users", "12"); // half of the demo's users: enough for every test, at half the time

/** Runs that several parts look at, each made when it is first asked for. */
const runs: Readonly<Record<string, readonly string[]>> = {
  demo,
  online: [...demo, "--online"],
  /** The same questions with fewer past items in the prompt: what the demo is compared with and gated against. */
  fewer:
    "run --task lamp2m,lamp3 --method rag,pag,membank --users 12 --set rag.k=1 --set pag.k=1 --set memory.k=1".split(
      " ",
    ),
  texts: "run --task lamp4,lamp5 --method prompt,rag --metric rouge-2 --repeats 2 --demo".split(" "),
  long: "run --task longlamp-abstract,longlamp-review,longlamp-topic --method prompt,rag --demo".split(" "),
  baselines: "run --task lamp3 --method majority,random,most-recent,mean-rating --users 12".split(" "),
  qa: "run --task lamp-qa --method prompt,rag --demo".split(" "),
  tweets: "run --task lamp7 --method prompt,icl,rag,pag --data tweets".split(" "),
  chats: "run --task personamem --method prompt,rag,full-history --users 3".split(" "),
  ablation: "run --config ablation.yaml".split(" "),
  controls: "run --config controls.yaml".split(" "),
  utilities:
    "run --task profile-questions --method rums,prompt,rag --users 3 --set rums.search=exhaustive --set rums.filterItems=3".split(
      " ",
    ),
  ...Object.fromEntries(
    configs.map((name) => {
      const own = readFileSync(join(root, "configs", name), "utf8");
      // The papers' grids are large: three of their users, of RUMS, who answer 60 questions each, one.
      const users = /^extends: rums$/m.test(own) ? "1" : "3";
      return [name, ["run", "--demo", "--config", join(root, "configs", name), "--users", users]];
    }),
  ),
};
const begun = new Map<string, Promise<Facts>>();

/** A run's own facts; its folder is named as the run. */
function done(name: string): Promise<Facts> {
  const facts = begun.get(name) ?? make(name);
  begun.set(name, facts);
  return facts;
}

async function make(name: string): Promise<Facts> {
  const end = await ended(cwd, [...runs[name]!, "--out", name]);
  return { [`(${name})`]: end, ...(await factsOfRun(cwd, name)) };
}

/** Each option with named values, at each of them, the others as ever; an option of several methods in the first that has use for it. */
async function optionRuns(): Promise<Facts> {
  const facts: Facts = {};
  const moved = new Set<string>();
  const { options: all } = await printed(cwd, ["list", "options", "--json"]);
  const defaults = new Set(all.map((one: Printed) => `${one.name}=${one.default}`));
  for (const [method, task] of options) {
    const { options: own } = await printed(cwd, ["list", "options", "--method", method, "--json"]);
    const sweep = own
      .filter(({ name }: Printed) => !moved.has(name) || (name === "select" && method === "membank")) // in a memory, too
      .map(({ name, accepts }: Printed) => [name, valuesOf(name, accepts)])
      .filter(([, values]: [string, readonly string[]]) => values.length > 1);
    const name = `options-${task}-${method}`;
    const settings = { demo: true, kind: "scaling", users: 1, queriesPerUser: task === "alex-like" ? 20 : 2 };
    const set = method === "rums" ? { "rums.filterItems": 5 } : {}; // of ten there are 385 subsets
    const config = { ...settings, task, method, set, sweep: Object.fromEntries(sweep) };
    writeFileSync(join(cwd, `${name}.json`), JSON.stringify(config));
    const end = await ended(cwd, ["run", "--config", `${name}.json`, "--out", name]);
    facts[`(${task} ${method})`] = end;
    for (const [arm, fields] of Object.entries(await factsOfRun(cwd, name))) {
      for (const [, option] of arm.matchAll(/([\w.-]+)=/g)) moved.add(option!);
      const [, head, variant = ""] = /^(.*?)(?: \((.*=.*)\))?$/.exec(arm)!;
      const other = variant.split(" ").filter((one) => one !== "" && !defaults.has(one));
      facts[other.length === 0 ? head! : `${head} (${other.join(" ")})`] = fields;
    }
  }
  return facts;
}

/** Runs that read or cut their data in another way. */
async function dataRuns(): Promise<Facts> {
  const facts: Facts = {};
  for (const line of [
    "--task lamp2m --method rag,graph-rag --users 3 --set history.visible=as-shipped",
    "--task lamp2m --method rag,icl --limit 8 --set history.limit=latest:5 --seed 7",
    "--task lamp2m --method rag --users 6 --queries-per-user 1",
    "--task lamp2m --method rag --users 3 --set select=dense --set embedder.similarity=dot",
    "--task lamp2m --method icl,graph-rag --users 3 --set others=leave-one-out --set others.visible=all",
    "--task lamp2m --method icl --users 3 --set others=all --set icl.select=kate",
    "--task lamp1 --method icl,rag --users 3 --set lamp1.labels=own-title-proxy",
    "--task lamp1 --method rag,pag --users 3 --set lamp1.labels=none",
  ]) {
    const name = `data-${Object.keys(facts).length}`;
    Object.assign(facts, named(line, await made(name, `run ${line}`)));
  }
  return facts;
}

/** Methods and tasks by which options are moved. */
const options: readonly (readonly [method: string, task: string])[] = [
  ["rag", "lamp2m"],
  ["icl", "lamp2m"],
  ["pag", "lamp2m"],
  ["graph-rag", "lamp2m"],
  ["membank", "lamp2m"],
  ["persona-agent", "lamp2m"],
  ["persona-agent-wo-memory", "lamp2m"],
  ["rums", "lamp2m"],
  ["sage", "home-commands"],
  ["assistant", "alex-like"],
  ["buffer", "alex-like"],
];
/** Asks Wikipedia. */
const LIVE = "wiki.mode=live";

/** The values that an option names; `latest:N` is tried at 2, and what a file holds has runs of its own. */
function valuesOf(name: string, accepts: string): readonly string[] {
  if (accepts === "true or false") return ["true", "false"];
  const values = /^one of (.*?)(?: \(N is .*)?$/.exec(accepts)?.[1]?.split(", ") ?? [];
  return values
    .filter((value) => !value.endsWith(":PATH") && `${name}=${value}` !== LIVE)
    .map((value) => value.replace(/:N$/, ":2"));
}

/** Paired differences as `compare --json` has them. */
function comparisonFacts(compared: readonly Printed[]): Facts {
  return Object.fromEntries(
    compared.map(({ title, a, b, questions, users, metrics }) => [
      `${title.split(":")[0]} ${a} against ${b}`,
      {
        ...{ questions, users },
        ...Object.fromEntries(
          metrics.map(({ name, gain, gain_low, gain_high, p }: Printed) => [name, { gain, gain_low, gain_high, p }]),
        ),
      },
    ]),
  );
}

async function compared(): Promise<Facts> {
  await Promise.all(["demo", "fewer", "texts", "online"].map(done));
  const others = ["icl", "rag", "pag", "react", "membank", "persona-agent", "graph-rag"];
  const lines = [
    ...others.map((method) => `demo --methods prompt,${method}`),
    ...["demo fewer", "demo online --methods rag,rag", "texts --methods prompt,rag"],
  ];
  const facts: Facts = {};
  for (const line of lines)
    for (const [arm, fields] of Object.entries(
      comparisonFacts((await printed(cwd, ["compare", ...line.split(" "), "--json"])).comparisons),
    ))
      facts[`${line}: ${arm}`] = fields;
  return facts;
}

/** Gates that pass, fail and do not know, each with its exit code. */
async function gated(): Promise<Facts> {
  await Promise.all([done("demo"), done("fewer"), done("texts")]);
  const written = await runHere(["gate", "demo", "--write-baseline", "baseline.json"], { cwd });
  const facts: Facts = { "(the baseline)": { exit: written.code } };
  for (const line of [
    "demo --baseline baseline.json --method prompt,membank",
    "fewer --baseline baseline.json --method rag,pag,membank",
    "fewer --baseline demo --method rag,pag,membank --margin .2 --task lamp2m --strict",
    "fewer --baseline demo --method rag --margin .5 --task lamp3",
    "texts --baseline texts",
    "demo --baseline fewer --method prompt",
  ]) {
    const { code, stdout } = await runHere(["gate", ...line.split(" "), "--json"], { cwd });
    const { verdict, arms = [] } = stdout === "" ? {} : JSON.parse(stdout);
    facts[`gate ${line}`] = {
      ...{ exit: code, verdict },
      ...Object.fromEntries(
        arms.map(({ task, method, metric, ...found }: Printed) => [`${task} ${method} ${metric}`, found]),
      ),
    };
  }
  return facts;
}

/** Verdicts by arm: how many, their sum, what they cost; and what a judge behind a server is sent. */
async function judged(): Promise<Facts> {
  await Promise.all([done("assistant-t2.yaml"), done("rums-selection.yaml"), done("qa")]);
  const facts: Facts = {};
  for (const line of [
    "assistant-t2.yaml",
    "assistant-t2.yaml --judge dialogue-score --set judge.history=own-dialogue --set judge.onParseFail=exclude",
    "assistant-t2.yaml --judge better-reply --against stateless",
    "rums-selection.yaml --judge profile-pair --against select=none",
    "qa --judge aspects",
  ]) {
    const run = line.split(" ")[0]!;
    const { judgements, sent } = await printed(cwd, ["judge", ...line.split(" "), "--json"]);
    facts[`judge ${line}`] = { sent };
    const { results } = await report({ runs: [run] }, { cwd });
    for (const { method, variant, arms: specs } of results as readonly Printed[]) {
      const own = judgements.filter(({ arm }: Printed) => specs.includes(arm));
      if (own.length === 0) continue;
      const sum = (of: (one: Printed) => number) => own.reduce((total: number, one: Printed) => total + of(one), 0);
      facts[`judge ${line}: ${method} ${variant}`] = {
        verdicts: digest(
          own.map(({ question, against, judged: found }: Printed) => [question, against?.shownFirst, found]),
        ),
        sum: sum(({ judged: found }) => found.value ?? 0),
        ...{
          calls: sum(({ calls }) => calls),
          in: sum(({ tokens }) => tokens.in),
          out: sum(({ tokens }) => tokens.out),
        },
      };
    }
    const { stderr } = await runHere(["judge", ...line.split(" ")], { cwd });
    const [, folder = ""] = /everything is in (\S+)/.exec(stderr) ?? [];
    facts[`judge ${line}: printed`] = { numbers: numbersIn(readFileSync(join(cwd, folder, "results.md"), "utf8")) };
  }
  await done("assistant-t3.yaml");
  for (const line of [
    "assistant-t3.yaml",
    "assistant-t3.yaml --set judge.history=own-dialogue",
    "assistant-t3.yaml --judge better-reply --against stateless",
    "rums-selection.yaml --judge profile-pair --against select=none",
  ])
    facts[`judge ${line}: sent`] = { requests: digest(await requestsTo(["judge", ...line.split(" ")])) };
  return facts;
}

/** The bodies that a command sends where its model is a server, which understands nothing. */
async function requestsTo(line: readonly string[]): Promise<unknown[]> {
  const bodies: unknown[] = [];
  const server = await startProviderServer({ onArrival: ({ body }) => void bodies.push(body) });
  const own = ["--model", "openai/some-model", "--base-url", `${server.url}/v1`];
  await runHere([...line, ...own], { cwd, env: { OPENAI_API_KEY: "sk-test-secret-1234" } });
  await server.close();
  return bodies;
}

/** Numbers of Markdown tables, by line. */
const numbersIn = (text: string): string[] =>
  text
    .split("\n")
    .filter((row) => /^\|(?! -)/.test(row) && /\d/.test(row) && !row.includes("[95 %]"))
    .map((row) => (row.match(/[+-]?(?:\d+)?\.?\d+/g) ?? []).join(" "));

/** What is made of measured utilities; a classifier is trained on users of its own and chooses for others. */
async function rums(): Promise<Facts> {
  const users: Printed[] = JSON.parse(readFileSync(join(demoData, "lamp2m/users.json"), "utf8"));
  const others = users.slice(6, 9);
  writeReviews(join(cwd, "train"), users.slice(0, 6));
  writeReviews(join(cwd, "test"), others);
  const rankings = others.flatMap(({ profile, query }) =>
    query.map(({ id }: Printed, at: number) => [id, profile.slice(at, 2 * at).map((past: Printed) => past.id)]),
  );
  writeFileSync(join(cwd, "rankings.json"), JSON.stringify(Object.fromEntries(rankings)));
  const people = join(demoData, "profile-questions/people.json");
  const facts: Facts = { ...named("utilities", await done("utilities")) };
  for (const run of ["utilities", "rums-selection.yaml"]) {
    await done(run);
    for (const [what, flags] of [["eval", "reports"], ["train --threshold"]] as const) {
      const found = await printed(cwd, ["rums", ...what.split(" "), run, "--labels", people, "--json"]);
      for (const { name, ...report } of flags === undefined ? found : found[flags])
        facts[`rums ${what} ${run}: ${name}`] = report;
    }
  }
  const measured = "--method rums,prompt,rag --data train --set rums.filterItems=3";
  Object.assign(facts, named("measured", await made("measured", `run --task lamp2m ${measured}`)));
  for (const { name, ...report } of await printed(cwd, ["rums", "train", "measured", "--threshold", "--json"]))
    facts[`rums train --threshold measured: ${name}`] = report;
  const {
    path,
    users: trainedOn,
    ...areas
  } = await printed(cwd, "rums train measured --data train --out model.json --json".split(" "));
  const { bias, weights, cutoff } = JSON.parse(readFileSync(join(cwd, "model.json"), "utf8"));
  const [heldOut, bm25] = [{ area: areas.heldOut }, { area: areas.bm25 }];
  facts["rums train measured"] = { path, users: trainedOn, heldOut, bm25, bias, weights, cutoff };
  const select = ["own", "rums-binary:model.json", "file:rankings.json"];
  const used = { kind: "grid", task: "lamp2m", method: "rag", data: "test", sweep: { select } };
  writeFileSync(join(cwd, "selectors.json"), JSON.stringify(used));
  Object.assign(facts, named("chosen", await made("chosen", "run --config selectors.json")));
  const profiles: Printed[] = JSON.parse(readFileSync(join(demoData, "profile-questions/users.json"), "utf8"));
  for (const [folder, half] of [
    ["odd", 1],
    ["even", 0],
  ] as const) {
    const ofHalf = ({ id }: Printed): boolean => Number(id.slice(1, 3)) % 2 === half;
    mkdirSync(join(cwd, folder));
    const some = profiles.slice(0, 2).map((user) => ({ ...user, query: user.query.filter(ofHalf) }));
    writeFileSync(join(cwd, folder, "users.json"), JSON.stringify(some));
    writeFileSync(join(cwd, folder, "users_label.json"), JSON.stringify({ task: "profile_questions", golds: [] }));
  }
  const task = "--task profile-questions --set rums.entropy=token --set rums.samples=1";
  Object.assign(facts, named("profiles", await made("profiles", `run ${task} --method rums --data odd`)));
  await printed(cwd, "rums train profiles --data odd --multi --out multi.json --json".split(" "));
  const multi = JSON.parse(readFileSync(join(cwd, "multi.json"), "utf8"));
  facts["rums train --multi"] = { attributes: multi.attributes, cutoff: multi.cutoff, models: multi.models };
  const use = "--task profile-questions --method rag --data even --set select=rums-multi:multi.json";
  Object.assign(facts, named("multi (select=rums-multi)", await made("multi", `run ${use}`)));
  return facts;
}

async function made(name: string, line: string): Promise<Facts> {
  const end = await ended(cwd, [...line.split(" "), "--out", name]);
  return { "(the run)": end, ...(await factsOfRun(cwd, name)) };
}

const named = (name: string, facts: Facts): Facts =>
  Object.fromEntries(Object.entries(facts).map(([arm, fields]) => [`${name}: ${arm}`, fields]));

/** What runs would call and cost, at the prices of one day. */
async function planned(): Promise<Facts> {
  const facts: Facts = {};
  const claude = "--model anthropic/claude-haiku-5-5";
  for (const line of [
    "--task lamp2m,lamp3 --method prompt,icl,rag,pag,react,membank,persona-agent,graph-rag --users 3",
    `--task lamp2m,lamp4 --method rag,membank,persona-agent --users 3 --repeats 2 ${claude}`,
    `--task lamp2m --method rag,persona-agent --users 3 --batch agents ${claude}`,
    "--task profile-questions --method rums,rag --set rums.search=llm --users 1",
    "--task home-commands,alex-like --method sage,assistant --users 1",
  ]) {
    const { code, stdout, stderr } = await runCommandLine(`run ${line} --dry-run --json`, { cwd });
    if (stdout === "") throw new Error(`run ${line}: exit ${code}: ${stderr}`);
    const { phases, total } = JSON.parse(stdout);
    facts[`run ${line}`] = {
      ...{ exit: code, total },
      ...Object.fromEntries(
        phases.map(({ task, method, phase, ...plan }: Printed) => [`${task} ${method} ${phase}`, plan]),
      ),
    };
  }
  return facts;
}

/** What printed values imply: sizes, intervals, possible p's. */
async function published(): Promise<Facts> {
  const facts: Facts = {};
  for (const table of papers().flatMap(({ tables }) => tables.map(({ name }) => name))) {
    const { tasks } = await printed(cwd, ["reproduce", table, "--published-only", "--format", "json"]);
    for (const { task, count, size, rows, pairs } of tasks) {
      const own: Record<string, unknown> = { count, fits: size.fits, pairs: pairs.length };
      for (const metric of Object.keys(rows[0].printed))
        own[metric] = rows.map(({ printed: values }: Printed) => values[metric]).join(" ");
      for (const { method, hits, interval, errors } of rows)
        if (hits !== null || errors !== null) own[method] = errors ?? { hits, interval };
      for (const { better, worse, gap, smallestP, largestP } of pairs)
        own[`${better} over ${worse}`] = { gap, p: [smallestP, largestP] };
      facts[`${table} ${task}`] = own;
    }
  }
  return facts;
}

/** `score` on a few predictions of each task, good and bad ones, by each evaluator. */
async function scored(): Promise<Facts> {
  const facts: Facts = {};
  const texts = ["A quiet road by the sea", "Ten lamps for a dark winter", "The cat's paper, in 2019!", "Naïve models"];
  const words = ["a quiet sea road", "Ten lamps for winter", "", "naive model"];
  const golds: Record<string, readonly [golds: readonly string[], predictions: readonly string[]]> = {
    LaMP_1: [
      ["[1]", "[2]", "[2]", "[1]"],
      ["[1]", " [2] ", "[1]", "2"],
    ],
    LaMP_2M: [
      ["comedy", "action", "fantasy", "comedy"],
      ["comedy", "Action", "horror", "sci-fi"],
    ],
    LaMP_2N: [
      ["women", "sports", "travel", "women"],
      ["women", "sports ", "style", "Women"],
    ],
    LaMP_3: [
      ["5", "1", "3", "4"],
      ["5", "2", "four", "4.0"],
    ],
    LaMP_4: [texts, words],
    LaMP_5: [texts, words],
    LaMP_7: [texts, words],
  };
  for (const [task, [golden, predictions]] of Object.entries(golds)) {
    const file = (outputs: readonly string[]) =>
      JSON.stringify({ task, golds: outputs.map((output, i) => ({ id: String(i), output })) });
    writeFileSync(join(cwd, `${task}-golds.json`), file(golden));
    writeFileSync(join(cwd, `${task}-predictions.json`), file(predictions));
    for (const evaluator of ["strict", "lamp", "oppu"])
      for (const more of [[], ["--official-bootstrap", "--seed", "3"]]) {
        const line = ["--task", task, "--evaluator", evaluator, ...more];
        const files = ["--golds", `${task}-golds.json`, "--predictions", `${task}-predictions.json`];
        const { code, stdout } = await runHere(["score", ...line, ...files, "--json"], { cwd });
        facts[`score ${line.join(" ")}`] = { exit: code, ...(code === 0 ? JSON.parse(stdout) : {}) };
      }
  }
  return facts;
}

/** How many vectors of each section pass, of the files in the folder that stands beside a checkout. */
async function conformance(): Promise<Facts> {
  const facts: Facts = {};
  const tally = await runFolder(join(sharedDir()!, "oracle"), await allSections(), (line) => {
    const [, section, passed, failed] = /^(\S+: \S+): (\d+) passed, (\d+) failed$/.exec(line) ?? [];
    if (section !== undefined) facts[section] = { passed: Number(passed), failed: Number(failed) };
  });
  for (const section of tally.skipped) facts[section] = { skipped: true };
  return facts;
}

/** Commands that end otherwise than well, and what else can be told of a run. */
async function exits(): Promise<Facts> {
  const lines = [
    "run --task lamp9",
    "run --task lamp2m --method rag --set rag.k=-1",
    "run --task lamp2m --method prompt --users 2 --max-calls 3 --out capped",
    "run --task lamp2m --method prompt --users 2 --out capped",
    "run --task lamp2m --method rag --users 2 --out capped",
    "run --task lamp2m --method rag --model openai/gpt-6-luna --out keyless",
    "report nowhere",
    "verify capped",
    "data audit --task lamp2m",
    "data audit --task lamp3",
    "export capped --form pack --out pack",
    "run --task lamp2m --method prompt --users 2 --replay pack --out replayed",
    "run --task lamp2m --method prompt --users 3 --replay pack --out stale",
  ];
  const facts: Facts = {};
  for (const line of lines) facts[line] = { exit: (await runHere(line.split(" "), { cwd })).code };
  return facts;
}

/** Differences and p's of tables that stand in no JSON. */
async function tableFacts(run: string, columns: readonly string[], gain: string): Promise<Facts> {
  const facts = await done(run);
  const { stdout } = await runHere(["report", run], { cwd });
  for (const row of tableRows(stdout, [...columns, gain, "p"]).filter(({ method }) => !method?.startsWith("(")))
    facts[
      columns
        .map((name) => row[name])
        .join(" ")
        .replace(/\s+/g, " ")
    ] = { gain: row[gain], p: row.p };
  return facts;
}

const ABLATED = ["alignment", "persona", "memory", "action"].map((what) => `persona-agent-wo-${what}`);
const small = "demo: true\ntask: [lamp2m, lamp3]\nqueriesPerUser: 1\n";
writeFileSync(
  join(cwd, "ablation.yaml"),
  `${small}kind: ablation\nmethod: [${["persona-agent", ...ABLATED].join(", ")}]\n`,
);
writeFileSync(join(cwd, "controls.yaml"), `${small}kind: controls\nmethod: rag\n`);
writeReviews(
  join(cwd, "tweets"),
  ["ann", "bob", "eve"].map((id, u) => ({
    user_id: id,
    profile: Array.from({ length: 6 }, (_, i) => ({
      id: `${id}-${i}`,
      text: `day ${i}: ${NOISES[u]} all morning`,
      date: `2019-0${i + 1}-01`,
    })),
    query: [0, 1].map((i) => ({
      id: `${id}-q${i}`,
      input: `Paraphrase the following tweet without any explanation before or after it: There was ${NOISES[(u + i) % 3]} again on day ${i}.`,
      gold: `day ${i}: ${NOISES[(u + i) % 3]} again`,
      date: `2020-0${i + 1}-01`,
    })),
  })),
);

const parts: Readonly<Record<string, () => Promise<Facts>>> = {
  demo: () => done("demo"),
  online: () => done("online"),
  ...Object.fromEntries(configs.map((name) => [`papers/${basename(name, ".yaml")}`, () => done(name)])),
  chats: () => done("chats"),
  baselines: () => done("baselines"),
  options: optionRuns,
  data: dataRuns,
  texts: async () => ({
    ...(await done("texts")),
    ...(await done("long")),
    ...(await done("qa")),
    ...(await done("tweets")),
  }),
  ablation: () => tableFacts("ablation", ["method"], "gain over persona-agent [95 %]"),
  controls: () => tableFacts("controls", ["method  history.control"], "gain over history.control=right [95 %]"),
  compare: compared,
  gate: gated,
  judge: judged,
  rums,
  plans: planned,
  published,
  score: scored,
  exits,
  wires: wireFacts,
  conformance,
};
const SHARED = ["conformance"];

describe("golden values", () => {
  for (const [part, make] of Object.entries(parts))
    test.skipIf(SHARED.includes(part) && sharedDir() === undefined)(
      SHARED.includes(part) ? `${part} (of ../shared, which must stand beside the checkout)` : part,
      async () => {
        const facts = await make();
        if (env.GOLDEN === "record") return writeGolden(fileOf(part), facts);
        const moved = differences(part, readGolden(fileOf(part)), facts);
        expect(moved.length, `values that moved:\n${moved.join("\n")}\n`).toBe(0);
      },
    );

  test("there are of everything that has a name, and of every config", () => {
    const text = Object.keys(parts)
      .map((part) => readGolden(fileOf(part)))
      .join("");
    const arms = text.split("\n").filter((line) => /^\S/.test(line));
    const inArm = (pattern: string): boolean => arms.some((arm) => new RegExp(pattern).test(arm));
    const { tasks, methods, selectors, metrics, judges, providers } = builtIn;
    const missing = [
      ...tasks.names.filter((name) => !inArm(`(^|: )${name} \\S`)),
      ...methods.names.filter((name) => !inArm(`^\\S+ ${name}($| \\()`) && !inArm(`^\\S+: \\S+ ${name}$`)),
      ...selectors.names.filter((name) => !inArm(`[( ]select=${name}\\b`)),
      ...metrics.names.filter((name) => !text.includes(`\n  ${name}: {"score"`)),
      ...judges.names.filter((name) => !inArm(`--judge ${name}\\b`)),
      ...providers.names.filter((name) => name !== "offline" && !inArm(`^${name} `)),
    ];
    expect(missing).toEqual([]);
  });
});

const fileOf = (part: string): string => join(root, "test/golden", `${part}.txt`);
