import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCommandLine } from "../helpers/test-io.js";

/** What the sample's files say and no request may: graded texts, evidence, types of questions, ids. */
const HIDDEN =
  /GRADED-|EVIDENCE-|stated_preference|updated_preference|ask_to_forget|other_person|\brow-\d+|\bq-\d+-|GRADING_META/;

async function requestsOf(line: string, cwd: string): Promise<string[]> {
  const { code, stderr } = await runCommandLine(`${line} --out run`, { cwd });
  expect([code, stderr]).toEqual([0, expect.stringContaining("SIMULATED")]);
  const calls = readFileSync(join(cwd, "run/responses.jsonl"), "utf8").trimEnd().split("\n");
  return calls.map((call) => JSON.stringify(JSON.parse(call).request));
}

const folder = (): string => mkdtempSync(join(tmpdir(), "hidden-"));
const ALL =
  "prompt,rag,pag,membank,persona-agent,graph-rag,rums,sage,assistant,full-history,stateless,buffer,react --users 3";

test.for(["personamem", "personamem-v1"])(
  "on %s no method's request holds a reference, an id or a tag",
  async (task) => {
    const requests = await requestsOf(`run --task ${task} --method ${ALL}`, folder());
    expect(requests.length).toBeGreaterThan(100);
    expect(requests.filter((request) => HIDDEN.test(request))).toEqual([]);
  },
);

test.for([
  ["a reference", '"GRADED-food-1: never shown"'],
  ["an id", "question.id"],
  ["a tag", '"updated_preference"'],
] as const)("%s that a method puts into its prompt on purpose is found", async ([, leaked]) => {
  const cwd = folder();
  writeFileSync(
    join(cwd, "leaky.js"),
    `export default { name: "leaky", methods: [{
      name: "leaky", summary: "leaks", source: "test", options: {},
      personalize: async () => async (question, kit) =>
        (await kit.ask("answer", { messages: [{ role: "user", content: question.text + ${leaked} }] })).text,
      plan: () => ({ perUnit: () => ({}), perQuestion: () => ({ answer: { low: 1, high: 1 } }) }),
    }] };`,
  );
  const requests = await requestsOf("run --task personamem --users 1 --method leaky --plugin leaky.js", cwd);
  expect(requests.filter((request) => HIDDEN.test(request)).length).toBe(4);
});
