import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { formatWikiFixture, parseWikiFixture } from "../../src/agent/tools/wiki-fixture.js";
import { exportCassette } from "../../src/app/cassette.js";
import { readJsonArray } from "../../src/data/json-records.js";
import { JsonArrayFile } from "../../src/data/prepare.js";
import { seeded } from "../../src/random/seeded.js";
import { type Baseline, readBaseline, renderBaseline } from "../../src/report/gate/baseline.js";
import { fileArtifacts } from "../../src/run/artifacts.js";
import { Attempts, attemptTotals } from "../../src/run/attempts.js";
import { BatchLog } from "../../src/run/batch-log.js";
import { openCassette } from "../../src/run/cassette/cassette.js";
import { Journal, openDamage, readJournal } from "../../src/run/journal.js";
import { type JudgeFile, readJudgeFile, writeJudgeFile } from "../../src/run/judge-folder.js";
import { lockFolder } from "../../src/run/lock.js";
import { type Manifest, readManifest, writeManifest } from "../../src/run/manifest.js";
import { FileVectors, ResponseStore, SearchLog } from "../../src/run/replies.js";
import { latestRows, latestUnits, RunRows, runFiles } from "../../src/run/rows.js";
import { checkSeals, sealsOf } from "../../src/run/seals.js";
import { contentId } from "../../src/text/content-id.js";
import type { ModelReply, ModelRequest, Row } from "../../src/types/index.js";
import { tempDir } from "../helpers/temp-dir.js";

const texts = [
  "",
  "\ud800",
  "a\udc00b",
  "\0",
  "\u2028\u2029",
  "\u001b[31m",
  "\uFEFF",
  '"',
  "'",
  "\\",
  "\r\n",
  '\n{"#":"1:00000000"}\n',
].concat([
  "__proto__",
  "constructor",
  "null",
  "#",
  "{",
  "}",
  '"#":"3:00000000"}',
  "é😀".repeat(3000),
  " ",
  "\t",
  "</script>",
]);
const numbers = [0, 1, -0, 0.1, 1e21, 5e-324, Number.MAX_SAFE_INTEGER, -1.5, 1 / 3];

const random = seeded("written files");
const among = <T>(all: readonly T[]): T => all[random.below(all.length)]!; // below its length
const text = (): string => `${among(texts)}${among(texts)}`;
const number = (): number => among(numbers);
const table = (): Record<string, number> =>
  JSON.parse(`{${JSON.stringify(among(texts))}:1,${JSON.stringify(text())}:2}`);
const key = (): string => contentId([text(), random.next()]);
/** As JSON has it: minus zero is zero. */
const kept = <T>(value: T): T => JSON.parse(JSON.stringify(value));

const row = (): Row => ({
  cell: text(),
  unit: text(),
  question: text(),
  user: text(),
  gold: text(),
  outcome: among([
    { kind: "answered", reply: text(), lenient: text() } as const,
    { kind: "failed", error: text() } as const,
  ]),
  position: number(),
  spend: { answer: { calls: number(), in: number(), out: number() } },
  incidents: table(),
});
const request = (): ModelRequest => ({
  system: text(),
  maxTokens: number(),
  sample: number(),
  temperature: number(),
  stop: [text()],
  messages: [
    { role: "user", content: text() },
    { role: "assistant", content: text(), toolCalls: [{ id: text(), name: text(), arguments: table() }] },
    { role: "tool", results: [{ id: text(), name: text(), content: text() }] },
  ],
});
const reply = (): ModelReply => ({
  text: text(),
  toolCalls: [{ id: text(), name: text(), arguments: text() }],
  stop: "end",
  model: text(),
  usage: { in: number(), out: number() },
  opaque: [text(), table()],
  logprobs: [{ token: text(), logprob: number(), top: [{ token: text(), logprob: number() }] }],
});
const origin = () => ({ cell: text(), unit: text(), question: text() });
const trace = () => ({
  ...origin(),
  requests: [key().slice(0, 16)],
  notes: [{ kind: text(), data: [text(), table()] }],
});
const search = () => ({
  query: text(),
  retrieved: text(),
  pages: [{ title: text(), summary: text() }],
});
const manifest = (): Manifest => ({
  format: 1,
  plan: {
    version: text(),
    notApplied: [text()],
    cells: [
      {
        id: "c",
        task: text(),
        dataset: text(),
        method: text(),
        model: text(),
        options: { a: text() },
        seed: number(),
        repeat: 0,
      },
    ],
    data: [
      {
        task: text(),
        name: text(),
        files: [{ name: text(), bytes: number(), sha256: text() }],
        facts: { a: text() },
        units: text(),
        wording: text(),
      },
    ],
  },
  simulated: false,
  argv: [text()],
  startedAt: text(),
  node: text(),
  answeredBy: [text()],
  tasks: [{ task: text(), title: text(), dataset: text(), remarks: [text()] }],
  edits: [{ at: text(), reason: text(), files: [text()] }],
});
const baseline = (): Baseline => ({
  format: "lamp-eval-baseline",
  version: 2,
  simulated: true,
  madeBy: text(),
  arms: [
    {
      task: text(),
      dataset: text(),
      method: text(),
      model: text(),
      options: { a: text(), b: number() },
      seed: number(),
      repeats: 1,
      data: { files: [{ name: text(), sha256: text() }], units: text(), wording: text() },
      requests: [text()],
      questions: [{ id: text(), user: text(), gold: text(), replies: [text()], failed: number() }],
    },
  ],
});

/** What is written into a new folder, and what is read from there: the two are equal. */
type Pair = (folder: string) => readonly [unknown, unknown] | Promise<readonly [unknown, unknown]>;

function inRows(folder: string, write: (rows: RunRows) => void): void {
  const rows = new RunRows(folder);
  write(rows);
  rows.close();
}

/** Every kind of file that the tool reads again, by the name in its list of files or a name of its own. */
const pairs: Readonly<Record<string, Pair>> = {
  [runFiles.rows]: (folder) => {
    const one = row();
    inRows(folder, (rows) => rows.row(one));
    return [[one], latestRows(folder)];
  },
  [runFiles.units]: (folder) => {
    const one = { cell: text(), user: text(), unit: text(), historySize: number(), spend: {}, incidents: table() };
    inRows(folder, (rows) => rows.unit(one));
    return [[one], latestUnits(folder)];
  },
  [runFiles.timings]: (folder) => {
    const one = { ...origin(), ms: number(), fromStore: true };
    inRows(folder, (rows) => rows.timing(one));
    return [[one], [...readJournal(join(folder, runFiles.timings))]];
  },
  [runFiles.traces]: (folder) => {
    const one = trace();
    inRows(folder, (rows) => rows.trace(one));
    return [[one], [...readJournal(join(folder, runFiles.traces))]];
  },
  [runFiles.responses]: (folder) => {
    const [id, asked, answer] = [key(), request(), reply()];
    const path = join(folder, runFiles.responses);
    const store = new ResponseStore(path);
    store.put(id, asked, answer);
    store.close();
    const again = new ResponseStore(path);
    return [{ key: id, request: asked, reply: answer }, again.record(id)];
  },
  [runFiles.vectors]: (folder) => {
    const [id, vector] = [key(), Float32Array.from(numbers)];
    const store = new FileVectors(join(folder, runFiles.vectors));
    store.put(id, vector);
    store.close();
    return [[...vector], [...(new FileVectors(join(folder, runFiles.vectors)).get(id) ?? [])]];
  },
  [runFiles.searches]: (folder) => {
    const one = search();
    const log = new SearchLog(join(folder, runFiles.searches));
    log.put(one);
    log.close();
    return [[one], [...readJournal(join(folder, runFiles.searches))]];
  },
  [runFiles.judge]: (folder) => {
    const file: JudgeFile = {
      ...{ judge: text(), model: text(), simulated: false, ownReplies: true, range: [1, 10], options: { a: text() } },
      ...{ against: text(), records: { [text()]: text() }, edits: [{ at: text(), reason: text(), files: [text()] }] },
    };
    writeJudgeFile(folder, file);
    return [file, readJudgeFile(folder)];
  },
  [runFiles.judgements]: (folder) => {
    const path = join(folder, runFiles.judgements);
    const record = {
      key: key(),
      cell: text(),
      question: text(),
      user: text(),
      judged: { kind: "judged" as const, value: 7.5, why: text() },
      tokens: { in: 3, out: 4 },
      calls: 1,
    };
    const journal = new Journal(path, { recordsPerSync: 1 });
    journal.append(record);
    journal.close();
    return [[record], [...readJournal(path)]];
  },
  [runFiles.batches]: (folder) => {
    const path = join(folder, runFiles.batches);
    const log = new BatchLog(path, () => false);
    const [wave, batch, model, lost, out] = [text(), text(), text(), key(), key()];
    log.intended({ id: wave, sinceMs: 1e12, lines: 2 }, model, [lost, out]);
    log.created(wave, batch);
    log.lost(wave, lost);
    log.close();
    const again = new BatchLog(path, () => false);
    again.close();
    const found = again.waves.map((one) => [one.id, one.sinceMs, one.batch, [...one.keys]]);
    return [[[wave, 1e12, batch, [out]]], found];
  },
  [runFiles.attempts]: (folder) => {
    const path = join(folder, runFiles.attempts);
    const attempts = new Attempts(path, () => false);
    const id = key();
    attempts.started(id, 1, 0.5);
    attempts.ended(id, 1, "unknown");
    attempts.close();
    return [{ billable: 1, refused: 0, unknown: 1, unansweredUsd: 0.5 }, attemptTotals(path)];
  },
  [runFiles.damaged]: (folder) => {
    const one = { file: text(), line: number(), text: text() };
    const journal = new Journal(join(folder, runFiles.damaged));
    journal.append(one);
    journal.close();
    return [[one], openDamage(folder)];
  },
  [runFiles.manifest]: (folder) => {
    const one = manifest();
    writeManifest(folder, one);
    return [one, readManifest(folder)];
  },
  seals: (folder) => {
    inRows(folder, (rows) => rows.row(row()));
    return [[], checkSeals(folder, { records: sealsOf(folder) })];
  },
  lock: (folder) => {
    const release = lockFolder(folder);
    expect(() => lockFolder(folder)).toThrow(`process ${process.pid} on `);
    release();
    return [0, readdirSync(folder).length];
  },
  cassette: (folder) => cassettePair(folder, "tape.jsonl"),
  "packed cassette": (folder) => cassettePair(folder, "tape.jsonl.gz"),
  baseline: () => {
    const one = baseline();
    return [one, readBaseline(JSON.parse(renderBaseline(one)), "baseline")];
  },
  "Wikipedia fixture": () => {
    const one = search();
    return [[one], parseWikiFixture(formatWikiFixture([one]), "fixture").entries];
  },
  "prepared data": async (folder) => {
    const path = join(folder, "users.json");
    const values = [{ id: text(), profile: [text(), number()] }, { id: text() }];
    const writer = new JsonArrayFile(path);
    for (const value of values) writer.add(value);
    writer.finish();
    const read: unknown[] = [];
    await readJsonArray(path, ({ value }) => void read.push(value));
    return [values, read];
  },
  artifact: (folder) => {
    const store = fileArtifacts(folder, { clock: { now: () => 0 } });
    const bytes = new TextEncoder().encode(text());
    store.put("one", bytes);
    return [bytes, store.get("one")];
  },
};

function cassettePair(folder: string, name: string): readonly [unknown, unknown] {
  const [id, asked, answer, found, one] = [key(), request(), reply(), search(), trace()];
  writeManifest(folder, manifest());
  inRows(folder, (rows) => rows.trace(one));
  const store = new ResponseStore(join(folder, runFiles.responses));
  store.put(id, asked, answer);
  store.close();
  const log = new SearchLog(join(folder, runFiles.searches));
  log.put(found);
  log.close();
  const { file } = exportCassette({ run: folder, out: join(folder, name) }, { cwd: folder, tell: () => undefined });
  const tape = openCassette(file, file);
  const { notes: _notes, ...made } = one;
  return [
    { request: asked, reply: answer, found: [found], asked: [made] },
    { ...tape.call(id), found: tape.searches, asked: tape.asked },
  ];
}

test("whatever the tool writes it reads again as it was, hostile texts and numbers included", async () => {
  for (let round = 0; round < 2; round++)
    for (const [name, pair] of Object.entries(pairs)) {
      const [written, read] = await pair(tempDir());
      expect([name, kept(read)]).toEqual([name, kept(written)]);
    }
});

test("what could not be read again is refused when it is written, and nothing is written", () => {
  const folder = tempDir();
  const rows = new RunRows(folder);
  for (const odd of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => rows.row({ ...row(), position: odd })).toThrow("rows.jsonl: this is no record of that file");
  rows.close();
  expect(readFileSync(join(folder, runFiles.rows), "utf8")).toBe("");
  expect(() =>
    writeManifest(folder, { ...manifest(), argv: [String(1)], tasks: [], node: text(), simulated: JSON.parse("null") }),
  ).toThrow(TypeError);
  const facts = JSON.parse('{"__proto__":"x"}');
  const { plan, ...rest } = manifest();
  expect(() =>
    writeManifest(folder, { ...rest, plan: { ...plan, data: plan.data.map((one) => ({ ...one, facts })) } }),
  ).toThrow(TypeError);
  expect(readdirSync(folder)).not.toContain(runFiles.manifest);
});

/** Files for people and other programs, which nothing here takes for more than text. */
const toldOnly: readonly string[] = [
  runFiles.figures,
  runFiles.markdown,
  runFiles.latex,
  runFiles.csv,
  runFiles.json,
  runFiles.page,
  runFiles.replayText,
  runFiles.replayJson,
  runFiles.judged,
  runFiles.readme,
];

/** Who writes files, and what of the list above that is. A new writer has to be set down here, with a pair of its own. */
const writers: Readonly<Record<string, readonly string[]>> = {
  "app/cassette.ts": ["cassette", "packed cassette"],
  "app/common/write-text.ts": ["baseline"], // and scores, JUnit and summaries, which are told only
  "app/data/example.ts": [], // run in test/app/own-task
  "app/evidence/export.ts": [], // read by verify, in its own tests
  "app/export/every-eval-ever.ts": [], // a form for others, in test/cli/export
  "app/export/export.ts": [], // read by other programs, and in test/cli/export
  "app/gate/baseline.ts": ["baseline"],
  "app/draw-graph.ts": [],
  "app/judge/judge.ts": [runFiles.judgements],
  "app/report/figures.ts": [],
  "app/report/page.ts": [], // the page of a run at work
  "app/report/report.ts": [],
  "app/report/results.ts": [],
  "app/report/runs.ts": [], // pages for people, written again from the runs
  "app/rums/train.ts": [],
  "app/score.ts": [],
  "cli/gate-output.ts": [],
  "app/replay/replay.ts": [],
  "app/run/models/tools.ts": ["Wikipedia fixture"],
  "app/workers/crew-file.ts": [], // names a database: gone when the run is done; read again in test/app/workers
  "data/download.ts": [], // download.json, read again in test/data/download
  "data/fetch-file.ts": [], // the same
  "data/prepare.ts": ["prepared data"],
  "data/profile-questions/paper-data.ts": [], // data sets, read again in their own test
  "run/artifacts.ts": ["artifact"],
  "run/attempts.ts": [runFiles.attempts],
  "run/batch-log.ts": [runFiles.batches],
  "run/journal.ts": [runFiles.damaged],
  "run/judge-folder.ts": [runFiles.judge],
  "run/lock.ts": ["lock"],
  "run/manifest.ts": [runFiles.manifest, "seals"],
  "run/merge-records.ts": [runFiles.rows, runFiles.searches],
  "run/replies.ts": [runFiles.responses, runFiles.searches, runFiles.vectors],
  "run/rows.ts": [runFiles.rows, runFiles.units, runFiles.timings, runFiles.traces],
};

test("every file that the tool writes is among them", () => {
  const source = join(import.meta.dirname, "../../src");
  const writes =
    /\b(writeWhole|writeNew|appendWhole|writeFully|writeText|appendText)\(|new Journal[<(]|new (GrowingFile|JsonArrayFile)\(/;
  const found = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.startsWith("disk"))
    .filter((name) => writes.test(readFileSync(join(source, name), "utf8")))
    .map((name) => relative(source, join(source, name)).replaceAll("\\", "/"));
  expect(found.sort()).toEqual(Object.keys(writers).sort());
  for (const kind of Object.values(writers).flat()) expect(Object.keys(pairs)).toContain(kind);
  expect(Object.values(runFiles).filter((name) => !toldOnly.includes(name) && pairs[name] === undefined)).toEqual([]);
});
