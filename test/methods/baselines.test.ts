import { expect, test } from "vitest";
import { methods } from "../../src/methods/index.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event, Kit, Question, Row } from "../../src/types/index.js";
import { armRecords } from "../helpers/report-json.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string | readonly string[]) => runCommandLine(line, { cwd });

const event = (label: string, index: number): Event => ({
  ...{ id: `${index}`, fields: { id: `${index}` }, content: "", document: "", label },
  date: `2020-01-0${index + 1}`,
});

test.each([
  ["majority", ["5", "1", "5", "1.0", "2"], "1"],
  ["most-recent", ["5", "4.0"], "4"],
  ["mean-rating", ["1", "2", "2", "5"], "3"],
  ["mean-rating", ["1", "1", "2"], "1"],
  ["majority", [], ""],
  ["most-recent", [], ""],
  ["mean-rating", [], ""],
])("%s of %j answers %s, and learns", async (name, labels, expected) => {
  const kit = { task: tasks.get("lamp3") } as unknown as Kit;
  const question: Question = { id: "q", text: "", content: "", query: "" };
  const answerer = await methods.get(name).personalize({ id: "u", history: labels.map(event) }, {}, kit);
  expect(await answerer(question, kit)).toBe(expected);
  for (let at = 0; at < 20; at++) await answerer.learn?.({ ...event("3", at), date: "2021" }, kit);
  expect(await answerer(question, kit)).toBe("3");
});

test("baselines are arms without calls, and majority is what stands below the table", async () => {
  const { stdout } = await run("run --task lamp2m --method prompt,majority,random --out all");
  const [majority, footer] = ["majority", "\\(majority label\\)"].map(
    (name) => new RegExp(`^${name} .*?(\\.\\d+)`, "m").exec(stdout)?.[1],
  );
  expect(majority).toBe(footer);
  const arms = armRecords((await run("report all --format json --reference majority")).stdout);
  const of = (name: string) => arms.find(({ method }) => method === name);
  expect(of("majority")).toMatchObject({ calls: 0, tokens: 0 });
  expect(of("majority")?.gain).toBeNull();
  expect(of("prompt")?.p).toBeGreaterThan(0);
});

test("a control is the reference of gains, and shown alone, where it is named with its setting", async () => {
  await run("sweep controls --task lamp2m --method rag --users 12 --out controls");
  const name = "rag history.control=none";
  const { stdout } = await run(["report", "controls", "--reference", name]);
  const shown = JSON.parse((await run(["show", "controls", "--json", "--method", name])).stdout);
  expect(new Set((shown.transcripts as { row: Row }[]).map(({ row }) => row.arm)).size).toBe(1);
  expect(stdout).toMatch(/^rag \(history.control=none\) +\S+ \[\S+ \S+ +- +- /m);
  expect(stdout).toMatch(/^rag \(history.control=right\) +\S+ \[\S+ \S+ +[+-]\.\d+ \[/m);
});
