import { cpSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { chatItems, pythonLiteral } from "../../src/data/formats/personamem.js";
import { loadDataset } from "../../src/data/load.js";
import { pythonShuffle } from "../../src/random/mersenne-twister.js";
import { tasks } from "../../src/tasks/index.js";

const demo = (name: string): string => join(import.meta.dirname, "../../datasets/demo", name);
const copyOf = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "personamem-"));
  cpSync(demo(name), folder, { recursive: true });
  return folder;
};
const load = (name: string, path?: string, more = {}) =>
  loadDataset({
    task: tasks.get(name),
    path,
    emptyProfile: "error",
    lamp1Labels: "none",
    seed: 0,
    ...more,
  });

test("options are shuffled as CPython does it with the row's number", () => {
  const shuffled = [0, 1, 2, 3].map((row) => pythonShuffle(["g", "x", "y", "z"], 42 + row).join(" "));
  expect(shuffled).toEqual(["y x z g", "y z x g", "x g y z", "g z x y"]);
});

test.for([
  [`{'role': 'user', 'content': "it's"}`, { role: "user", content: "it's" }],
  [
    `{'a': ["\\u00e9", '"', None, True, -1.5], 'b': 'it\\'s \\x41\\n'}`,
    { a: ["é", '"', null, true, -1.5], b: "it's A\n" },
  ],
  ["[]", []],
  ["__import__('os').system('x')", undefined],
  ["{'a': f()}", undefined],
  ["'a' + 'b'", undefined],
  ["['open", undefined],
] as const)("a Python literal is read and nothing is executed: %s", ([text, value]) => {
  expect(pythonLiteral(text)).toEqual(value);
});

describe("a chat as history items", () => {
  const messages = [
    ["system", "P"],
    ["user", "one"],
    ["assistant", "1"],
    ["user", "two"],
    ["system", "P"],
    ["user", "three"],
    ["assistant", "3"],
  ].map(([role, content]) => ({ role: role as "user", content: content! }));

  test("a message of the user with its reply; a system message opens a session", () => {
    expect(chatItems(messages)).toEqual([
      { id: "s1.r1", session: "1", text: "[System]: P\nUser: one\nAssistant: 1", said: "one" },
      { id: "s1.r2", session: "1", text: "User: two", said: "two" },
      { id: "s2.r1", session: "2", text: "[System]: P\nUser: three\nAssistant: 3", said: "three" },
    ]);
  });
});

describe("the data set", () => {
  test("a row becomes a question with its options, its gold's letter, tags and the linked history", async () => {
    const { users, ordered, facts } = await load("personamem");
    expect([users.length, ordered, facts.questions]).toEqual([12, true, 48]);
    const [query] = users.at(0)!.queries;
    expect(query).toMatchObject({
      id: "row-0",
      input: "I have an hour to cook tonight, what do you suggest?",
      order: [2, 1, 3, 0],
      gold: "d",
      tags: { pref_type: "stated_preference", who: "self", updated: "false" },
    });
    expect(query?.options?.[3]).toContain("lentil stew");
    expect(query?.profile?.map(({ id }) => id).slice(0, 5)).toEqual(["s1.r1", "s1.r2", "s1.r3", "s1.r4", "s2.r1"]);
  });

  test("files that are read again where they are too large to be held give the same", async () => {
    const held = await load("personamem");
    const again = await load("personamem", demo("personamem"), { heldBytes: 0 });
    expect([...again.users]).toEqual([...held.users]);
  });

  test("a mark, Windows line ends and quoted line breaks are read", async () => {
    const folder = copyOf("personamem");
    const text = readFileSync(join(folder, "benchmark.csv"), "utf8");
    const broken = text.replace("How about lentil stew?", "How about\nlentil stew,?").replaceAll("\n", "\r\n");
    writeFileSync(join(folder, "benchmark.csv"), `\uFEFF${broken}`);
    const { users } = await load("personamem", folder);
    expect(users.at(0)!.queries[0]!.options).toContainEqual(expect.stringMatching(/^"?How about\r?\nlentil stew,\?/));
  });

  test.for([
    ["benchmark.csv", "user_query,", "query,", 'row 1: column "user_query" is missing'],
    [
      "benchmark.csv",
      "persona_1.json",
      "persona_99.json",
      "row 1: its chat history chat_history_32k/persona_99.json is not there",
    ],
    [
      "benchmark.csv",
      /"\[""How about.*?"\]"/,
      '"[""one""]"',
      'row 1: column "incorrect_answers": expected a list of three',
    ],
    [
      "benchmark.csv",
      /"\[""How about.*?"\]"/,
      '"[""a"", ""b"", ""a""]"',
      'row 1: column "incorrect_answers": an option is there twice',
    ],
    ["benchmark.csv", /\np2,/, '\n"p2,', "Invalid Closing Quote"],
    ["benchmark.csv", /\np1,/, "\np1,x,", "columns length is 11, got 12 on line 2"],
    ["chat_history_32k/persona_1.json", '"role":"user"', '"role":"tool"', "message 2: expected"],
  ] as const)("a mistake in %s is named with row and column: %s", async ([file, found, spoilt, message]) => {
    const folder = copyOf("personamem");
    writeFileSync(join(folder, file), readFileSync(join(folder, file), "utf8").replace(found, spoilt));
    await expect(load("personamem", folder)).rejects.toThrow(message);
  });
});
