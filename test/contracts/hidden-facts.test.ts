import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";
import type { Task } from "../../src/types/index.js";
import { entriesOf } from "../helpers/planted-log.js";
import { runCommandLine } from "../helpers/test-io.js";

/** What the sample's files say and no request may: graded texts, evidence, types of questions, ids. */
const HIDDEN =
  /GRADED-|EVIDENCE-|stated_preference|updated_preference|ask_to_forget|other_person|\brow-\d+|\bq-\d+-|GRADING_META/;

async function requestsOf(line: string, cwd: string): Promise<string[]> {
  const { code, stderr } = await runCommandLine(`${line} --out run`, { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining("SIMULATED")]);
  return entriesOf(join(cwd, "run")).flatMap((entry) =>
    entry.t === "answer" ? (JSON.stringify(entry.request) ?? []) : [],
  );
}

const folder = (): string => mkdtempSync(join(tmpdir(), "hidden-"));
const ALL =
  "prompt,rag,pag,membank,persona-agent,graph-rag,rums,sage,assistant,full-history,stateless,buffer,react --users 3";

/** The flags for a task's sample. That of a table has nothing to find: references, ids and a tag are put into its rows. */
function sampleOf({ name, table }: Task, cwd: string): string {
  if (name === "lamp-qa") return qaSample(cwd);
  if (table === undefined) return `--task ${name}`;
  const sample = join(import.meta.dirname, "../../datasets/demo", name, "test.jsonl");
  const planted = readFileSync(sample, "utf8")
    .trimEnd()
    .split("\n")
    .slice(0, 6)
    .map((line) => {
      const row = JSON.parse(line);
      const profile = row.profile.map((item: object, i: number) => ({ ...item, id: `row-${i}` }));
      return JSON.stringify({ ...row, profile, output: "GRADED-1 is never shown", tag: "updated_preference" });
    });
  mkdirSync(join(cwd, "q-1-table"));
  writeFileSync(join(cwd, "q-1-table/test.jsonl"), planted.slice(0, 3).join("\n"));
  writeFileSync(join(cwd, "q-1-table/train.jsonl"), planted.slice(3).join("\n"));
  return `--task ${name} --data q-1-table --set wiki.mode=off`;
}

/** Questions of LaMP-QA, each a user of another, whose rubrics are to be found; asked as a stream, with the others as a pool. */
function qaSample(cwd: string): string {
  const name = "Society_and_Culture_test.json";
  const read = JSON.parse(readFileSync(join(import.meta.dirname, "../../datasets/demo/lamp-qa", name), "utf8"));
  const rubric_aspects = [{ aspect: "GRADED-2", reason: "GRADED-3", evidence: "EVIDENCE-4" }];
  const planted = read.map((asked: object) => ({ ...asked, narrative: "GRADED-1", rubric_aspects }));
  writeFileSync(join(cwd, name), JSON.stringify(planted));
  return `--task lamp-qa --data ${name} --online --set others=leave-one-out --set wiki.mode=off`;
}

const isHiding = ({ name, table }: Task): boolean => table !== undefined || name === "lamp-qa" || name === "personamem";
const hiding = tasks.all.filter(isHiding);

test.for(hiding.map((task) => [task.name, task] as const))(
  "on %s no method's request holds a reference, an id or a tag",
  async ([, task]) => {
    const cwd = folder();
    const requests = await requestsOf(`run ${sampleOf(task, cwd)} --method ${ALL}`, cwd);
    expect(requests.length).toBeGreaterThan(100);
    expect(requests.filter((request) => HIDDEN.test(request))).toEqual([]);
  },
);

test.for([
  ["a reference", "personamem", '"GRADED-food-1: never shown"', 4],
  ["an id", "personamem", "question.id", 4],
  ["a tag", "personamem", '"updated_preference"', 4],
  ["a rubric", "lamp-qa", '"GRADED-1"', 1],
  ...hiding.flatMap(({ name, table }) => (table === undefined ? [] : [["an id", name, "question.id", 1] as const])),
] as const)("%s of %s that a method puts into its prompt on purpose is found", async ([, name, leaked, calls]) => {
  const cwd = folder();
  writeFileSync(
    join(cwd, "leaky.js"),
    `export default { name: "leaky", methods: [{
      name: "leaky", summary: "leaks", source: "test", options: {},
      personalize: async () => async (question, kit) =>
        (await kit.ask("answer", { messages: [{ role: "user", content: question.text + " " + ${leaked} }] })).text,
      plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 1, high: 1 } }) }),
    }] };`,
  );
  const sample = sampleOf(tasks.get(name), cwd);
  const requests = await requestsOf(`run ${sample} --users 1 --method leaky --plugin leaky.js`, cwd);
  expect(requests.filter((request) => HIDDEN.test(request)).length).toBe(calls);
});
