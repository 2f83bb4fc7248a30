import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { type ReviewUser, reviewUser, writeReviews } from "../helpers/review-data.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const outputs = (task: string, answers: Readonly<Record<string, string>>) =>
  JSON.stringify({ task, golds: Object.entries(answers).map(([id, output]) => ({ id, output })) });
const withProfile = (profile: unknown): object => ({ ...reviewUser("a"), profile });
const first = ({ profile }: ReviewUser): object => profile[0] as object;

/** Data folders, by name: what their users.json holds. */
const folders: Readonly<Record<string, string | Buffer>> = {
  good: JSON.stringify([reviewUser("a"), reviewUser("b")]),
  alone: JSON.stringify([reviewUser("a")]),
  html: "<!DOCTYPE html><html><body>Not found</body></html>",
  cut: JSON.stringify([reviewUser("a"), reviewUser("b")]).slice(0, -40),
  latin1: Buffer.from(JSON.stringify([reviewUser("josé")]), "latin1"),
  none: "[]",
  object: '{"users": []}',
  "no-profile": JSON.stringify([reviewUser("u0"), { ...reviewUser("u1"), profile: [] }]),
  "text-profile": JSON.stringify([withProfile("my reviews")]),
  "list-field": JSON.stringify([withProfile([{ ...first(reviewUser("a")), text: ["a", "b"] }])]),
  "no-field": JSON.stringify([withProfile([{ id: "1", text: "fine" }])]),
  "odd-date": JSON.stringify([withProfile([{ ...first(reviewUser("a")), date: "yesterday" }])]),
  "odd-gold": JSON.stringify([{ ...reviewUser("a"), query: [{ id: "q", input: "review: x", gold: "seven" }] }]),
  "two-users": JSON.stringify([reviewUser("a"), reviewUser("a")]),
  "two-questions": JSON.stringify([reviewUser("a"), { ...reviewUser("b"), query: reviewUser("a").query }]),
};

const files: Readonly<Record<string, string | Buffer>> = {
  "golds.json": outputs("LaMP_3", { "10": "5", "11": "1" }),
  "others.json": outputs("LaMP_3", { "20": "5", "21": "1" }),
  "twice.json":
    '{"task":"LaMP_3","golds":[{"id":"10","output":"5"},{"id":"10","output":"1"},{"id":"11","output":"1"}]}',
  "latin1.json": Buffer.from('{"é":1}', "latin1"),
  "key.yaml": "task: lamp3\nmethd: rag\n",
  "type.yaml": "task: lamp3\nmethod: rag\nusers: many\n",
  "number.yaml": "task: 5\n",
  "knobs.yaml": "users: many\n",
  "own.yaml": 'name: x\nkind: lable\nquestion: "{input}"\n',
  "list.yaml": "- task\n",
  "torn.yaml": "task: lamp3\nmethod: [rag\n",
  "bomb.yaml": [
    "a0: &a0 [x, x, x, x, x, x, x, x, x]",
    ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(", ")}]`),
  ].join("\n"),
  "endless.yaml": "task: &a [*a]\n",
  "deep.yaml": `task: ${"[".repeat(20_000)}`,
  "long.yaml": `users: ${"9x".repeat(50_000)}\n`,
  "tag.yaml": "task: !!python/object lamp3\n",
  "pair.yaml": "? [task]\n: lamp3\n",
  "task.yaml": "perTask: { lamp33: { rag.k: 2 } }\n",
  "utf16.yaml": Buffer.from("\uFEFFtask: lamp3\n", "utf16le"),
  "marked.yaml": "\uFEFF- { model: offline/lexical, in: 1, out: 1 }\n",
  "team.yaml":
    "endpoints: { team: { provider: anthropic, keyEnv: TEAM_KEY }, b: { provider: anthropic, keyEnv: TEAM_B_KEY } }\n",
  "option.yaml": "perTask: { LaMP-3: { rag.kk: 2 } }\n",
};

beforeAll(() => {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  for (const [name, content] of Object.entries(folders)) {
    writeReviews(join(cwd, name), []);
    writeFileSync(join(cwd, name, "users.json"), content);
  }
  mkdirSync(join(cwd, "nothing"));
  mkdirSync(join(cwd, "cut-run"));
  writeFileSync(join(cwd, "cut-run", "manifest.json"), '{"format": 1, "plan": {');
});

const rag = "run --task lamp3 --method rag";
/** Asks Anthropic, whose key has a sign that none has, at an address that is none; and Bedrock in a region that is none. */
const env = {
  TEAM_KEY: "sk-team-\u201d-1234",
  TEAM_B_KEY: "sk-team-b-1234",
  ANTHROPIC_BASE_URL: "localhost:8000",
  AWS_REGION: "eu central",
  AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-1234",
};
const score = "score --task LaMP_3 --golds golds.json --predictions";

/** Lines with an argument of no letters, by a name. */
const emptied: Readonly<Record<string, readonly string[]>> = {
  "empty-out": [...rag.split(" "), "--out", ""],
};

/** What is typed, and what the one line must say: where, what, and the way out. */
const mistakes: readonly (readonly [what: string, line: string, says: readonly RegExp[]])[] = [
  ["an unknown command", "rn", [/"rn"; did you mean "run"\?/]],
  ["an unknown flag", `${rag} --usres 3`, [/unknown flag --usres; did you mean --users\?/]],
  ["a value without a flag", "run lamp3", [/run: takes 0 values without a flag, not 1; run --help/]],
  ["a number for names", "run --config number.yaml", [/number\.yaml: task 5: expected text or a list/]],
  ["a wrong type in a file of knobs", "doctor knobs.yaml", [/knobs\.yaml: users "many": expected a number, not text/]],
  ["a wrong key in a task of one's own", "doctor own.yaml", [/own\.yaml: kind "lable": expected one of label/]],
  ["a file for a run", "report golds.json", [/golds\.json: a file; name the folder of a run/]],
  [
    "a manifest that is cut off",
    "report cut-run",
    [/manifest\.json: not JSON.*remove it and give the command .* again/],
  ],
  ["an unknown kind of thing", "list task", [/list task/, /did you mean "tasks"\?/]],
  ["no task", "run --method rag", [/no task/, /--task lamp2m/]],
  ["no method", "run --task lamp3", [/no method/, /--method rag/]],
  ["an unknown task", "run --task lamp33 --method rag", [/--task/, /"lamp33"; did you mean "lamp3"\?/]],
  ["an unknown method", "run --task lamp3 --method rga", [/--method/, /"rga"; did you mean "rag"\?/]],
  ["an option called as what objects have", `${rag} --set constructor=1`, [/--set constructor: no such option/]],
  ["an option that records lose", `${rag} --set __proto__=1`, [/__proto__: no such option/]],
  [
    "a provider called as what objects have",
    `${rag} --model constructor/x`,
    [/--model.*unknown provider "constructor"/],
  ],
  ["another", `${rag} --model __proto__/x`, [/--model.*unknown provider "__proto__"/]],
  ["a config in UTF-16", "run --config utf16.yaml", [/utf16\.yaml: this is not UTF-8 text; save the file as UTF-8/]],
  ["an unknown option", `${rag} --set rag.kk=3`, [/--set rag\.kk: no such option; did you mean "rag\.k"\?/]],
  ["an option of the wrong type", `${rag} --set rag.k=three`, [/rag\.k=three: expected a whole number of 0 or more/]],
  ["an option out of range", `${rag} --set temperature=5`, [/temperature=5: expected a number from 0 to 2, or none/]],
  ["an unknown retriever", `${rag} --set rag.retriever=bm52`, [/rag\.retriever/, /did you mean "bm25"\?/]],
  [
    "a summary that the task cannot compute",
    "run --task lamp2m,lamp3,lamp4 --method pag --set pag.summary=exact",
    [/pag\.summary=exact: lamp4 has no labels/, /--set pag\.summary=llm/],
  ],
  [
    "options that make no sense together",
    "run --task lamp2m --method persona-agent --set align.batch=similar",
    [/align\.batch=similar/, /--set align\.schedule=per-query/],
  ],
  ["an option without a value", `${rag} --set rag.k`, [/--set rag\.k: expected name=value/]],
  ["a word for a number", `${rag} --users many`, [/--users many: expected a whole number of 0 or more/]],
  ["zero users", `${rag} --users 0`, [/--users 0: expected more than 0/]],
  ["zero questions a user", `${rag} --queries-per-user 0`, [/--queries-per-user 0: expected more than 0/]],
  ["a share above one", `${rag} --max-failed 2`, [/--max-failed 2: expected 1 or less/]],
  ["a bare history limit", `${rag} --history-limit 10`, [/history\.limit=10/, /latest:N/]],
  ["a part of an event", `${rag} --history-limit latest:0.5`, [/latest:0\.5: .* \(N is a whole number above 0\)/]],
  [
    "two numbers for one",
    `${rag} --history-limit latest:5:6`,
    [/history\.limit=latest:5:6: expected one of all, latest:N/],
  ],
  ["an unknown policy", `${rag} --unsupported maybe`, [/--unsupported maybe: expected one of error, drop/]],
  ["a model without a provider", `${rag} --model gpt`, [/--model gpt: expected provider\/model-id/, /openai/]],
  ["an unknown provider", `${rag} --model opnai/x`, [/--model opnai\/x/, /did you mean "openai"\?/]],
  ["an unknown embedded model", `${rag} --model offline/lexcal`, [/offline\/lexcal/, /offline\/lexical/]],
  ["no OpenAI key", `${rag} --model openai/gpt-4o`, [/OPENAI_API_KEY is not set/, /--base-url/]],
  ["no Anthropic key", `${rag} --model anthropic/claude-haiku-4-5`, [/ANTHROPIC_API_KEY is not set/]],
  [
    "a server that is no URL",
    `${rag} --model openai/x --base-url here`,
    [/--base-url "here": not a URL; expected one like http/],
  ],
  ["a dollar cap without a price", `${rag} --max-usd 1`, [/--max-usd 1: no price is known/, /--max-calls/]],
  ["a config file that is not there", `${rag} --config nope.yaml`, [/nope\.yaml: no such file/]],
  [
    "an unknown key of a config file",
    "run --config key.yaml",
    [/key\.yaml: unknown key "methd"; did you mean "method"\?/],
  ],
  [
    "a wrong type in a config file",
    "run --config type.yaml",
    [/type\.yaml: users "many": expected a number, not text/],
  ],
  [
    "a config file of another form",
    "run --config list.yaml",
    [/list\.yaml: holds no settings; write each as name: value/],
  ],
  ["a config file that is no YAML", "run --config torn.yaml", [/torn\.yaml: no \] at line \d/]],
  ["a config whose aliases unfold without measure", "run --config bomb.yaml", [/bomb\.yaml: Excessive alias count/]],
  ["a config that contains itself", "run --config endless.yaml", [/endless\.yaml: Converting circular structure/]],
  ["a config of too many brackets", "run --config deep.yaml", [/deep\.yaml: Maximum call stack size exceeded/]],
  [
    "a long value in a config",
    "run --config long.yaml",
    [/^lamp-eval: long\.yaml: users "9x9x.{150,250}\.\.\.: expected a number/],
  ],
  ["a tag of another language in a config", "run --config tag.yaml", [/tag\.yaml: Unresolved tag: \S+ at line 1/]],
  [
    "a config key that is no word",
    "run --config pair.yaml",
    [/pair\.yaml: With stringKeys, all keys must be strings at line 1/],
  ],
  [
    "an unknown task in a config file",
    `${rag} --config task.yaml`,
    [/task\.yaml: perTask: unknown task "lamp33"; did you/],
  ],
  [
    "an unknown option of one task",
    `${rag} --config option.yaml`,
    [/perTask lamp3 rag\.kk: no such option; did you mean/],
  ],
  [
    "an unknown preset",
    `${rag} --preset personagent`,
    [/--preset personagent: no such preset; did you mean "personaagent"\?/],
  ],
  ["a preset that is a path", `${rag} --preset ../package`, [/--preset \.\.\/package: no such preset/]],
  ["no such data", `${rag} --data nope`, [/--data \S*nope: no such file or folder/, /data download/]],
  ["an empty data folder", `${rag} --data nothing`, [/--data \S*nothing: no LaMP data here; expected/]],
  ["one data folder for two tasks", "run --task lamp3,lamp4 --method rag --data good", [/lamp3=DIR,lamp4=DIR/]],
  ["two folders for one task", `${rag} --data lamp3=good,LaMP_3=alone`, [/names lamp3 twice; keep one/]],
  [
    "more repeats than anybody waits for",
    `${rag} --repeats 1000000000`,
    [/--repeats 1000000000: expected 1000 or less/],
  ],
  [
    "a deadline that no timer keeps",
    `${rag} --deadline-seconds 1e9`,
    [/--deadline-seconds .*: expected 86400 or less/],
  ],
  ["no folder", "empty-out", [/--out "": expected a folder; leave it out/]],
  [
    "a key that no header takes",
    `${rag} --config team.yaml --model team/claude-haiku-4-5`,
    [/TEAM_KEY: holds signs that no key has/],
  ],
  [
    "a variable that is no address",
    `${rag} --config team.yaml --model b/claude-haiku-4-5`,
    [/ANTHROPIC_BASE_URL localhost:8000: not a URL/],
  ],
  ["a region that is none", `${rag} --model bedrock/amazon.nova-lite-v1:0`, [/AWS_REGION eu central: not a region/]],
  ["no data for one of two tasks", "run --task lamp3,lamp4 --method rag --data lamp3=good", [/add lamp4=DIR/]],
  ["HTML instead of JSON", `${rag} --data html`, [/html\/users\.json/, /HTML/]],
  ["truncated JSON", `${rag} --data cut`, [/cut\/users\.json/, /cut off|truncated|ends/i]],
  ["text that is not UTF-8", `${rag} --data latin1`, [/latin1\/users\.json/, /UTF-8/]],
  ["no users", `${rag} --data none`, [/none\/users\.json/, /no question/]],
  ["an object for an array", `${rag} --data object`, [/object\/users\.json/, /array/]],
  ["an empty profile", `${rag} --data no-profile`, [/no-profile\/users\.json/, /user u1/, /data\.emptyProfile=keep/]],
  [
    "a profile that is text",
    `${rag} --data text-profile`,
    [/record 1: user a: field "profile" is "my reviews"/, /array/],
  ],
  [
    "a field that is a list",
    `${rag} --data list-field`,
    [/record 1: .*a-p0.* field "text" is an array; expected text/],
  ],
  ["a missing field", `${rag} --data no-field`, [/record 1: .*field "score" is missing/, /--task/]],
  ["a date that is none", `${rag} --data odd-date`, [/record 1: .*field "date" is "yesterday"; expected YYYY/]],
  ["a gold that is no answer", `${rag} --data odd-gold`, [/record 1.* gold "seven" is no answer of lamp3/]],
  ["a user that is there twice", `${rag} --data two-users`, [/record 2: user id a is there twice/]],
  ["a question that is there twice", `${rag} --data two-questions`, [/record 2: question id a-q0 is there twice/]],
  [
    "nobody else to learn from",
    "run --task lamp3 --method icl --data alone",
    [/icl on alone: the pool of other users is empty/],
  ],
  ["a report on no run", "report nope", [/nope: no run here/]],
  ["no predictions", `${score} nope.json`, [/--predictions nope\.json: no such file/]],
  ["predictions twice", `${score} twice.json`, [/twice\.json/, /10/, /twice/]],
  ["predictions for other ids", `${score} others.json`, [/others\.json/, /1[01]/]],
  ["predictions that are not UTF-8", `${score} latin1.json`, [/latin1\.json: this is not UTF-8/]],
];

describe("bad input is answered with one clear line and exit code 2", () => {
  test.each(mistakes)("%s", async (_what, line, says) => {
    const { code, stdout, stderr } = await runCommandLine(emptied[line] ?? line, { cwd, env });
    expect(stderr).toMatch(/^lamp-eval: [^\n]+$/);
    for (const pattern of says) expect(stderr).toMatch(pattern);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(existsSync(join(cwd, "results"))).toBe(false); // nothing was begun
  });

  test("good input is not refused", async () => {
    const { code, stdout } = await runCommandLine(`${rag} --data good --out fine --prices marked.yaml`, { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/LaMP-3/);
  });
});

test("validate names an unknown key as run does, also where nothing else of the config can be read", async () => {
  writeFileSync(join(cwd, "bad.yaml"), "tsk: lamp3\nmethod: rag\n");
  const key = 'bad.yaml: unknown key "tsk"; did you mean "task"?';
  for (const line of ["doctor bad.yaml", "run --config bad.yaml"]) {
    const { code, stderr } = await runCommandLine(line, { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(key)]);
  }
});
