import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tempDir } from "../helpers/temp-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const jsonl = (rows: readonly unknown[]): string => `${rows.map((row) => JSON.stringify(row)).join("\n")}\n`;
/** One small file of each form, with own text. */
const files: Readonly<Record<string, string>> = {
  "spedific/easy.jsonl": jsonl([
    { user_id: 1, question: "What shall I hear on the train?", chosen: "folk", reject: "anything" },
    { user_id: 2, question: "Which gift for my nephew?", chosen: "a kite", reject: "money" },
  ]),
  "FreebaseQA-dev.json": JSON.stringify({
    Dataset: "FreebaseQA-dev",
    Version: "1.0",
    Questions: [
      {
        "Question-ID": "FreebaseQA-dev-0",
        RawQuestion: "Which river flows through Vienna?",
        ProcessedQuestion: "which river flows through vienna",
        Parses: [{ "Parse-Id": "p0", Answers: [{ AnswersMid: "m.1", AnswersName: ["the danube"] }] }],
      },
    ],
  }),
  "wild.jsonl": jsonl([
    chat("aa", "English", false, "im cold"),
    chat("bb", "French", false, "j'ai froid"),
    chat("cc", "English", true, "something vile"),
  ]),
  "people.jsonl": jsonl([
    { Name: "Ada", Demographics: { Age: 40, City: "Bath" }, Preference: { Foods: ["soup", "figs"] } },
    { user_id: "second", Occupation: "nurse", Pets: "" },
    ["Occupation: baker", "Hobbies: chess: blitz"],
  ]),
};

function chat(id: string, language: string, toxic: boolean, said: string) {
  const turn = { language, toxic, redacted: false };
  return {
    conversation_hash: id,
    model: "gpt-4",
    conversation: [
      { ...turn, role: "user", content: said },
      { ...turn, role: "assistant", content: "..." },
    ],
    turn: 1,
    language,
    toxic,
  };
}

function folder(more: Readonly<Record<string, string>> = {}): string {
  const cwd = tempDir();
  mkdirSync(join(cwd, "spedific"), { recursive: true });
  for (const [name, text] of Object.entries({ ...files, ...more })) writeFileSync(join(cwd, name), text);
  return cwd;
}

const PREPARE = "data prepare --task profile-questions --profiles people.jsonl";
const QUERIES = "--from spedific/easy.jsonl --from FreebaseQA-dev.json --from wild.jsonl";

describe("data prepare --task profile-questions", () => {
  test("PersonaFeedback, FreebaseQA, WildChat and profiles become data that a run takes and labels that eval takes", async () => {
    const cwd = folder();
    const made = await runCommandLine(`${PREPARE} ${QUERIES} --out made`, { cwd });
    expect(made.code).toBe(0);
    expect(made.stderr).toContain("wild.jsonl: WildChat, 3 records, 2 left out");
    expect(made.stdout).toContain("pairs: 12");
    const read = (name: string) => JSON.parse(readFileSync(join(cwd, "made", name), "utf8"));
    const users = read("users.json") as { user_id: string; profile: { attribute: string; value: string }[] }[];
    const shown = Object.fromEntries(
      users.map(({ user_id, profile }) => [user_id, profile.map(({ attribute, value }) => `${attribute} = ${value}`)]),
    );
    expect(shown).toEqual({
      "1": ["Name = Ada", "Demographics: Age = 40", "Demographics: City = Bath", "Preference: Foods = soup, figs"],
      second: ["Occupation = nurse"],
      "3": ["Occupation = baker", "Hobbies = chess: blitz"],
    });
    expect(read("people.json")).toEqual({
      "pf-spedific-easy-1": { personal: true, dataset: "PersonaFeedback" },
      "pf-spedific-easy-2": { personal: true, dataset: "PersonaFeedback" },
      "FreebaseQA-dev-0": { personal: false, dataset: "FreebaseQA" },
    });
    const golds = read("users_label.json").golds as { id: string; output: string }[];
    expect(golds.map(({ output }) => output)).toEqual(["the danube", "the danube", "the danube"]);
    const run = "run --task profile-questions --data made --method rag,prompt --set select=all --out out";
    expect(await runCommandLine(run, { cwd })).toMatchObject({ code: 0 });
    const evaluated = await runCommandLine("rums eval out --labels made/people.json", { cwd });
    expect(evaluated.stdout).toMatch(/name: FreebaseQA\n +questions: 3\n/);
    expect(evaluated.stdout).toMatch(/name: PersonaFeedback\n +questions: 6\n/);
    expect(evaluated.stdout).toContain("wins: []");
    await runCommandLine("judge out --judge profile-pair --against prompt --data made", { cwd });
    const judged = await runCommandLine("rums eval out --labels made/people.json", { cwd });
    expect(judged.stdout).toMatch(
      /name: rag select=all\n +against: prompt\n +judge: offline\/\S+ \(SIMULATED\)\n[\s\S]*pairs: 12\n[\s\S]*pairs: 6\n[\s\S]*pairs: 3\n/,
    );
  });

  test("questions are tagged as their data set or people say", async () => {
    const said = { aa: { personal: false, items: ["Name"] }, "pf-spedific-easy-1": { personal: false } };
    const cwd = folder({ "said.json": JSON.stringify(said) });
    await runCommandLine(`${PREPARE} ${QUERIES} --labels said.json --out made`, { cwd });
    const read = (name: string) => JSON.parse(readFileSync(join(cwd, "made", name), "utf8"));
    const [user] = read("users.json") as { query: { id: string; tags: object }[] }[];
    expect(Object.fromEntries(user!.query.map(({ id, tags }) => [id.split("@")[0], tags]))).toEqual({
      "pf-spedific-easy-1": { personal: "yes", dataset: "PersonaFeedback" }, // the data set's own word goes first
      "pf-spedific-easy-2": { personal: "yes", dataset: "PersonaFeedback" },
      "FreebaseQA-dev-0": { personal: "no", dataset: "FreebaseQA" },
      aa: { personal: "no", dataset: "WildChat" },
    });
    expect(read("people.json").aa).toEqual({ personal: false, items: ["Name"], dataset: "WildChat" });
  });

  test("draws are the same for one seed, and a smaller one is part of a larger one", async () => {
    const rows = Array.from({ length: 30 }, (_, n) => ({ user_id: 1, question: `Question ${n}?`, chosen: "a" }));
    const cwd = folder({ "spedific/many.jsonl": jsonl(rows) });
    const drawn = async (limit: number) => {
      const line = `${PREPARE} --from spedific/many.jsonl --out m${limit} --limit ${limit}`;
      await runCommandLine(line, { cwd });
      return Object.keys(JSON.parse(readFileSync(join(cwd, `m${limit}/people.json`), "utf8")));
    };
    const [five, ten] = [await drawn(5), await drawn(10)];
    expect([five.length, ten.length]).toEqual([5, 10]);
    expect(ten).toEqual(expect.arrayContaining(five));
  });

  test.each([
    [
      "other.jsonl",
      '{"prompt": "x", "answer": "y"}',
      /other\.jsonl: record 1: no known form \(its fields: prompt, answer\); known: PersonaFeedback, FreebaseQA, WildChat/,
    ],
    [
      "mixed.jsonl",
      jsonl([{ question: "a?", chosen: "b" }, { text: "c" }]),
      /mixed\.jsonl: record 2: not of the form of the records before it/,
    ],
    ["broken.jsonl", '{"question": "a?", "chosen"', /broken\.jsonl: line 1: no JSON/],
    ["empty.jsonl", "", /empty\.jsonl: there is no question in it/],
    [
      "blank.jsonl",
      '{"question": " ", "chosen": "b"}',
      /blank\.jsonl: record 1: field "question" is " "; expected a text/,
    ],
    [
      "noparse.json",
      '{"Questions": [{"Question-ID": "q", "RawQuestion": "a?", "Parses": 3}]}',
      /record 1: .*"Parses" is 3; expected an array/,
    ],
  ])("%s is refused in one line", async (name, text, message) => {
    const cwd = folder({ [name]: text });
    const { code, stderr } = await runCommandLine(`${PREPARE} --from ${name} --out o`, { cwd });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  test.each([
    ['["no colon"]', /record 1: expected lines "attribute: value"/],
    ["{}", /record 1: a profile without an attribute/],
    ['{"id": 1, "a": [{"b": 2}]}', /record 1: a: a list of objects/],
    ['{"id": 1, "a": "b"}\n{"id": 1, "a": "c"}', /record 2: a second profile with the id 1/],
  ])("a profile that is none is refused in one line: %s", async (text, message) => {
    const cwd = folder({ "p.jsonl": text });
    const { code, stderr } = await runCommandLine(
      "data prepare --task profile-questions --from wild.jsonl --profiles p.jsonl --out o",
      { cwd },
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
