import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { scoreCommand } from "../../src/commands/score.js";
import { tasks } from "../../src/tasks/index.js";
import { readReply } from "../../src/tasks/reply-reading.js";
import { testIo } from "../helpers/test-io.js";

const outputs = (task: string, answers: Readonly<Record<string, string>>) =>
  JSON.stringify({ task, golds: Object.entries(answers).map(([id, output]) => ({ id, output })) });

const files = {
  "golds.json": outputs("LaMP_3", { "10": "5", "11": "1", "12": "3" }),
  "predictions.json": outputs("LaMP_3", { "12": "bad", "11": "1", "10": "4" }),
  "headlines.json": outputs("LaMP_4", { a: "one two", b: "three", c: "four five" }),
  "written.json": outputs("LaMP_4", { a: "one", b: "three", c: "six" }),
  "mails.json": outputs("LaMP_6", { a: "one two", b: "three", c: "four five" }),
  "nothing.json": outputs("LaMP_4", { a: "", b: " ", c: "six" }),
};

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "lamp-eval-score-"));
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(cwd, name), content);
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function run(line: string): Promise<string> {
  const io = testIo({ cwd });
  await scoreCommand(io).exitOverride().parseAsync(line.split(" "), { from: "user" });
  return [...io.printed, ...io.messages].join("\n");
}

const rating = "--task lamp3 --predictions predictions.json --golds golds.json";

describe("lamp-eval score", () => {
  it("scores LaMP-6, whose data are not public, which every other command says", async () => {
    expect(await run("--task LaMP-6 --predictions mails.json --golds mails.json")).toMatch(/rouge-L +1\.0000 +3/);
    expect(() => tasks.get("LaMP_6")).toThrow(/^LaMP_6: its data, the Avocado e-mails, are not public/);
  });

  it("prints each metric beside its n, and how many predictions could not be read", async () => {
    expect(await run(rating)).toBe(
      [
        "lamp3, evaluator strict",
        "metric       score       n",
        "MAE         1.0000       3",
        "RMSE        1.2910       3",
        "1 of 3 predictions cannot be read as an answer of the task; scored as the official scorer does",
      ].join("\n"),
    );
  });

  it("prints full precision with --json, under the official keys", async () => {
    expect(JSON.parse(await run(`${rating} --json`))).toEqual({
      task: "lamp3",
      evaluator: "strict",
      n: 3,
      unparsed: 1,
      unscored: 0,
      MAE: 1,
      RMSE: Math.sqrt(5 / 3),
    });
  });

  it("takes an empty headline as an answer that scores 0, as the official script and import do", async () => {
    const answers = { a: "", b: " ", c: "six" };
    const question = { id: "a", text: "", content: "", query: "" };
    const read = Object.values(answers).map((answer) => readReply(tasks.get("lamp4"), question, answer));
    const unread = read.filter(({ kind }) => kind === "unparsed").length;
    const { unparsed } = JSON.parse(await run("--task lamp4 --predictions nothing.json --golds headlines.json --json"));
    expect([unread, unparsed]).toEqual([0, 0]);
  });

  it("writes the official script's result file", async () => {
    await run("--task LaMP_3 --predictions predictions.json --golds golds.json --output result.json --evaluator lamp");
    expect(JSON.parse(await readFile(path.join(cwd, "result.json"), "utf8"))).toEqual({
      MAE: 1,
      RMSE: Math.sqrt(5 / 3),
    });
  });

  it("gives ROUGE as mean, or as the seeded official median", async () => {
    const text = "--task LaMP_4 --predictions written.json --golds headlines.json --json";
    expect(JSON.parse(await run(text))["rouge-1"]).toBeCloseTo((2 / 3 + 1) / 3, 15);
    const median = JSON.parse(await run(`${text} --official-bootstrap --seed 3`));
    expect(median).toMatchObject({ bootstrapSeed: 3, n: 3 });
    expect(median).toEqual(JSON.parse(await run(`${text} --official-bootstrap --seed 3`)));
  });
});
