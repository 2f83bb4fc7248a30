import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { plantGated } from "../helpers/gate-run.js";
import { type ReviewUser, reviewUser, writeReviews } from "../helpers/review-data.js";
import { runCommandLine } from "../helpers/test-io.js";

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
  "odd-label": JSON.stringify([withProfile([{ id: "x", text: "fine", score: "great", date: "2019-01-01" }])]),
  "two-users": JSON.stringify([reviewUser("a"), reviewUser("a")]),
  "two-questions": JSON.stringify([reviewUser("a"), { ...reviewUser("b"), query: reviewUser("a").query }]),
};

const predicted = (output: unknown) => ["a-q0", "a-q1", "b-q0", "b-q1"].map((id) => ({ id, output }));

const files: Readonly<Record<string, string | Buffer>> = {
  "golds.json": outputs("LaMP_3", { "10": "5", "11": "1" }),
  "predictions.json": outputs("LaMP_3", { "10": "bad", "11": "1" }),
  "others.json": outputs("LaMP_3", { "20": "5", "21": "1" }),
  "twice.json":
    '{"task":"LaMP_3","golds":[{"id":"10","output":"5"},{"id":"10","output":"1"},{"id":"11","output":"1"}]}',
  "latin1.json": Buffer.from('{"é":1}', "latin1"),
  "page.json": "\n<!DOCTYPE html><html></html>",
  "torn.json": '{"task": "LaMP_3", "golds": [{"id": "10", "output": "5',
  "after-comma.json": '{"task": "LaMP_3",\n',
  "no-comma.json": '{"task": "LaMP_3", "golds": [{"id": "10"} {"id": "11"}]}',
  "empty.json": "",
  "words.json": "not json",
  "imports/official.json": JSON.stringify({ task: "LaMP_3", golds: predicted("5") }),
  "imports/unknown-id.json": JSON.stringify([...predicted("5"), { id: "nope", output: "5" }]),
  "imports/twice.json": JSON.stringify([...predicted("5"), { id: "a-q0", output: "4" }]),
  "imports/other-task.json": JSON.stringify({ task: "LaMP_4", golds: predicted("5") }),
  "imports/list.json": '[{"id": "a-q0", "output": ["5"]}]',
  "imports/no-output.json": '[{"id": "a-q0"}]',
  "imports/no-id.json": '[{"output": "5"}]',
  "imports/no-golds.json": '{"answers": []}',
  "imports/none.json": "[]",
  "imports/torn.jsonl": '{"id": "a-q0", "output": "5"}\n{"id": ',
  "key.yaml": "task: lamp3\nmethd: rag\n",
  "only-key.yaml": "tsk: lamp3\nmethod: rag\n",
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
  "prices.yaml": "gone",
  "served.yaml": "endpoints: { served: { provider: openai, baseUrl: http://127.0.0.1:9/v1 } }\n",
  "team.yaml":
    "endpoints: { team: { provider: anthropic, keyEnv: TEAM_KEY }, b: { provider: anthropic, keyEnv: TEAM_B_KEY } }\n",
  "option.yaml": "perTask: { LaMP-3: { rag.kk: 2 } }\n",
  "ablation.yaml": "task: lamp2m\nkind: ablation\n",
  "scaling.yaml": "task: lamp3\nmethod: rag\nsweep: { rag.k: [1, 2] }\n",
  "cut-run/log.jsonl": '{"t":"plan","plan":{"format":2}}\n',
  "baselines/cut.json": '{"format": "lamp-eval-b',
  "baselines/other.json": '{"format": "something"}',
};

/** Asks Anthropic, whose key has a sign that none has, at an address that is none; and Bedrock in a region that is none. */
export const env = {
  TEAM_KEY: "sk-team-\u201d-1234",
  TEAM_B_KEY: "sk-team-b-1234",
  ANTHROPIC_BASE_URL: "localhost:8000",
  AWS_REGION: "eu central",
  AWS_BEARER_TOKEN_BEDROCK: "bedrock-key-1234",
};

const GOOD = "333334333333433333334333333333";

/** Data, files and runs that command lines of the tables name. */
export async function plantAll(cwd: string): Promise<void> {
  for (const name of ["imports", "baselines", "nothing", "cut-run"]) mkdirSync(join(cwd, name));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  for (const [name, content] of Object.entries(folders)) {
    writeReviews(join(cwd, name), []);
    writeFileSync(join(cwd, name, "users.json"), content);
  }
  plantGated(cwd, "same", { replies: [GOOD] });
  plantGated(cwd, "worse", { replies: [GOOD.replaceAll("3", "5")] });
  plantGated(cwd, "elsewhere", { replies: [GOOD], sha256: "bbbbbbbb" });
  plantGated(cwd, "embedded", { replies: [GOOD], simulated: true });
  plantGated(cwd, "more", { replies: [GOOD], method: "prompt" });
  plantGated(cwd, "headlines", { replies: [GOOD], task: "lamp4" });
  plantGated(cwd, "silent", { replies: ["!".repeat(30)] });
  plantGated(cwd, "unfinished", { replies: [GOOD], finished: false });
  for (const line of [
    "gate same --write-baseline baselines/same.json",
    "run --task lamp3 --method rag,prompt,persona-agent --data good --out two --set wiki.mode=off",
    "sweep scaling --config scaling.yaml --data good --out arms",
    "import --predictions imports/official.json --task lamp3 --data good --name mine --out imported",
  ]) {
    const { code, stderr } = await runCommandLine(line, { cwd });
    if (code !== 0) throw new Error(`${line}: ${stderr}`);
  }
}
