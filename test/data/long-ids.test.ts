import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { scoreCommand } from "../../src/commands/score.js";
import { loadDataset } from "../../src/data/load.js";
import { readPredictions } from "../../src/extend/import/predictions.js";
import { customTask } from "../../src/tasks/custom.js";
import { tasks } from "../../src/tasks/index.js";
import { parseWithIds } from "../../src/text/json.js";
import { testIo } from "../helpers/test-io.js";
import { asking, folderWith, load } from "./fixtures.js";

/** One double holds both. */
const [ODD, EVEN] = ["9007199254740993", "9007199254740992"];

const own = customTask({ name: "t", kind: "label", labels: ["a", "b"], question: "q: {input}" }, "t.yaml");
const past = (id: string) => `[{"id":${id},"text":"x","score":5}]`;
const eachOf = (make: (id: string) => string): string => [ODD, EVEN].map(make).join(",");
const official = {
  "dev_questions.json": `[${eachOf((id) => `{"id":${id},"user_id":${id},"input":"${asking(id)}","profile":${past(id)}}`)}]`,
  "dev_outputs.json": `{"task":"LaMP_3","golds":[{"id":${ODD},"output":1},{"id":${EVEN},"output":2}]}`,
};
const oppu = {
  "users.json": `[${eachOf((id) => `{"user_id":${id},"profile":${past(id)},"query":[{"id":${id},"input":"${asking(id)}"}]}`)}]`,
  "users_label.json": official["dev_outputs.json"],
};
const reviews = [ODD, EVEN].map(
  (id) =>
    `{"reviewerId":${id},"input":"i","output":"o","profile":[{"overall":5,"summary":"s","description":"d","reviewText":"r"}]}`,
);
const table = parquetWriteBuffer({
  columnData: [
    { name: "reviewerId", data: [ODD, EVEN].map(BigInt), type: "INT64" },
    { name: "input", data: ["i", "i"], type: "STRING" },
    { name: "output", data: ["o", "o"], type: "STRING" },
    { name: "profile", data: reviews.map((row) => JSON.parse(row).profile), type: "JSON" },
  ],
});
const lines = [ODD, EVEN].map(
  (id) => `{"id":${id},"user":${id},"cluster":${id},"history":[{"text":"x","label":"a"}],"question":"q","gold":"a"}`,
);

test.each([
  ["official", tasks.get("lamp3"), official, ""],
  ["OPPU's", tasks.get("lamp3"), oppu, ""],
  ["LongLaMP, JSON", tasks.get("longlamp-review"), { "test.json": `[${reviews.join()}]` }, ""],
  ["LongLaMP, JSON Lines", tasks.get("longlamp-review"), { "test.jsonl": reviews.join("\n") }, ""],
  ["LongLaMP, Parquet", tasks.get("longlamp-review"), { "test.parquet": Buffer.from(table) }, ""],
  ["own rows", own, { "rows.jsonl": lines.join("\n") }, "rows.jsonl"],
])("%s: users and questions with 64-bit ids stay apart", async (_form, task, files, file) => {
  const { users } = await loadDataset({ ...load("lamp3", join(folderWith(files), file)), task });
  expect(Array.from(users, ({ id }) => id)).toEqual([ODD, EVEN]);
  const queries = Array.from(users).flatMap((user) => user.queries);
  if (task.table === undefined) expect(queries.map(({ id }) => id)).toEqual([ODD, EVEN]);
  if (files === official || files === oppu) expect(queries.map(({ gold }) => gold)).toEqual(["1", "2"]);
  if (task === own) expect(queries.map(({ cluster }) => cluster)).toEqual([ODD, EVEN]);
});

test("predictions with 64-bit ids are read by their digits, in every form", async () => {
  const entries = [ODD, EVEN].map((id, at) => `{"id":${id},"output":${at + 1}}`);
  const forms = { "a.json": `{"golds":[${entries}]}`, "b.json": `[${entries}]`, "c.jsonl": entries.join("\n") };
  const cwd = folderWith({ ...forms, "d.csv": `id,output\n${ODD},1\n${EVEN},2\n` });
  const reading = { task: tasks.get("lamp3"), tasks, columns: { id: "id", prediction: "output" } };
  for (const name of [...Object.keys(forms), "d.csv"]) {
    const { outputs } = await readPredictions(name, reading, { cwd, env: {} });
    expect([...outputs]).toEqual([
      [ODD, "1"],
      [EVEN, "2"],
    ]);
  }
});

test.each(["strict", "lamp"])(
  "score --evaluator %s: 64-bit ids stay apart, and numbers are no texts",
  async (evaluator) => {
    const golds = (ids: readonly string[]) =>
      `{"task":"LaMP_3","golds":[${ids.map((id, at) => `{"id":${id},"output":"${at + 1}"}`)}]}`;
    const cwd = folderWith({
      "golds.json": golds([ODD, EVEN]),
      "texts.json": golds([`"${ODD}"`, EVEN]),
      "other.json": golds([ODD, "9007199254740995"]),
    });
    const score = async (file: string) => {
      const io = testIo({ cwd });
      const line = `--task LaMP_3 --evaluator ${evaluator} --golds golds.json --predictions ${file} --json`;
      await scoreCommand(io).exitOverride().parseAsync(line.split(" "), { from: "user" });
      return JSON.parse(io.printed.join("\n"));
    };
    expect(await score("golds.json")).toMatchObject({ n: 2, MAE: 0 });
    await expect(score("texts.json")).rejects.toThrow(evaluator === "strict" ? `first ${ODD}` : "1 id");
    await expect(score("other.json")).rejects.toThrow(/missing|no prediction/);
  },
);

test("only whole numbers outside of texts are kept by their digits", () => {
  const text = `{"a":"${ODD} \\" ${ODD}","b":[-${ODD},1.5,${EVEN}.0,123456789012345e3,0],"c":{"${ODD}":9007199254740991}}`;
  const b = [`-${ODD}`, 1.5, Number(EVEN), 123456789012345000, 0];
  expect(parseWithIds(text)).toEqual({ a: `${ODD} " ${ODD}`, b, c: { [ODD]: 9007199254740991 } });
  expect(parseWithIds(`"${"9".repeat(20)}\\\\"`)).toBe(`${"9".repeat(20)}\\`);
  const long = "9".repeat(3_000_000);
  expect(parseWithIds(JSON.stringify([long, '\\\n"'.repeat(1_000_000)]))).toEqual([long, '\\\n"'.repeat(1_000_000)]);
  expect(() => parseWithIds(`[${ODD} x]`)).toThrow(/position 18/);
});
