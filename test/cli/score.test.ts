import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { importRows } from "../../src/app/import/predictions.js";
import { scoreCommand } from "../../src/cli/score.js";
import { UsageError } from "../../src/errors.js";
import { tasks } from "../../src/tasks/index.js";
import { armOf, ratingUnit, silent } from "../helpers/engine-run.js";
import { testIo } from "../helpers/test-io.js";

const outputs = (task: string, answers: Readonly<Record<string, string>>) =>
  JSON.stringify({ task, golds: Object.entries(answers).map(([id, output]) => ({ id, output })) });

const files = {
  "golds.json": outputs("LaMP_3", { "10": "5", "11": "1", "12": "3" }),
  "predictions.json": outputs("LaMP_3", { "12": "bad", "11": "1", "10": "4" }),
  "headlines.json": outputs("LaMP_4", { a: "one two", b: "three", c: "four five" }),
  "written.json": outputs("LaMP_4", { a: "one", b: "three", c: "six" }),
  "nothing.json": outputs("LaMP_4", { a: "", b: " ", c: "six" }),
  "page.json": "\n<!DOCTYPE html><html></html>",
  "cut.json": '{"task": "LaMP_3", "golds": [{"id": "10", "output": "5',
  "cut-after-comma.json": '{"task": "LaMP_3",\n',
  "no-comma.json": '{"task": "LaMP_3", "golds": [{"id": "10"} {"id": "11"}]}',
  "empty.json": "",
  "words.json": "not json",
};

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "lamp-eval-score-"));
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(cwd, name), content);
  await writeFile(path.join(cwd, "latin1.json"), Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d]));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

async function run(line: string): Promise<string> {
  const io = testIo({ cwd });
  await scoreCommand(io).exitOverride().parseAsync(line.split(" "), { from: "user" });
  return [...io.printed, ...io.messages].join("\n");
}

const rating = "--task lamp3 --predictions predictions.json --golds golds.json";

describe("lamp-eval score", () => {
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
    const arm = armOf(silent, [ratingUnit("u", Object.keys(answers))]);
    const loaded = { ...arm.loaded, task: tasks.get("lamp4") };
    const rows = importRows({
      cell: "x",
      loaded,
      outputs: new Map(Object.entries(answers)),
      source: "f",
      simulated: false,
    });
    const unread = rows.filter(({ outcome }) => outcome.kind === "unparsed").length;
    const { unparsed } = JSON.parse(await run("--task lamp4 --predictions nothing.json --golds headlines.json --json"));
    expect([unread, unparsed]).toEqual([0, 0]);
  });

  it("takes the official script's own flags and writes its result file", async () => {
    await run(
      "--task_name LaMP_3 --preds_json predictions.json --golds_json golds.json --output_file result.json --evaluator lamp",
    );
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

  it.each([
    [
      "a missing file",
      "--task lamp3 --predictions none.json --golds golds.json",
      "--predictions none.json: no such file",
    ],
    ["a folder", "--task lamp3 --predictions . --golds golds.json", "--predictions .: this is a folder"],
    [
      "HTML",
      "--task lamp3 --predictions predictions.json --golds page.json",
      "--golds page.json: this is a web page (HTML)",
    ],
    ["cut JSON", "--task lamp3 --predictions cut.json --golds golds.json", "--predictions cut.json: not complete JSON"],
    [
      "JSON cut after a comma",
      "--task lamp3 --predictions cut-after-comma.json --golds golds.json",
      "cut-after-comma.json: not complete JSON, the file seems cut off",
    ],
    [
      "a comma left out in the middle",
      "--task lamp3 --predictions no-comma.json --golds golds.json",
      "no-comma.json: not JSON (",
    ],
    ["no JSON", "--task lamp3 --predictions words.json --golds golds.json", "--predictions words.json: not JSON"],
    ["an empty file", "--task lamp3 --predictions empty.json --golds golds.json", "empty.json: the file is empty"],
    ["other bytes than UTF-8", "--task lamp3 --predictions latin1.json --golds golds.json", "not UTF-8"],
    ["an unknown task", "--task lamp33 --predictions predictions.json --golds golds.json", 'did you mean "lamp3"?'],
    ["an unknown evaluator", `${rating} --evaluator lmap`, 'did you mean "lamp"?'],
    ["no task", "--predictions predictions.json --golds golds.json", "--task is missing"],
    [
      "an output in no folder",
      `${rating} --output golds.json/r.json`,
      "golds.json/r.json: a file stands where a folder is needed",
    ],
    ["a bad seed", `${rating} --official-bootstrap --seed x`, "--seed x: expected a whole number"],
    ["a failed check of the script", `${rating} --evaluator lamp`, "the official script stops here"],
  ])("refuses %s with one line", async (_, line, message) => {
    const error: unknown = await run(line).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UsageError);
    expect((error as UsageError).message).toContain(message);
    expect((error as UsageError).message).not.toContain("\n");
  });
});
