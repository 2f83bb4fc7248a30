import { createHash } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type LoadSettings, loadDataset } from "../../src/data/load.js";
import { UsageError } from "../../src/errors.js";
import { customTask } from "../../src/tasks/custom.js";
import { asking, folderWith, load, review } from "./fixtures.js";

const official = {
  "dev_questions.json": [
    {
      id: "010",
      user_id: 9013773,
      input: asking("b"),
      profile: [review("2", "late", 4, 2016), review("1", "early", 5, 2015)],
    },
    { id: "011", user_id: 9013774, input: asking("c"), profile: [review("3", "x", "1", "2014-02-01")] },
    { id: "012", user_id: 9013773, input: asking("d"), profile: [review("1", "early", 5, 2015)] },
  ],
  "dev_outputs.json": {
    task: "LaMP_3",
    golds: [
      { id: "010", output: 5 },
      { id: "011", output: "1" },
      { id: "012", output: null },
    ],
  },
};

const perUser = (users: number, queries = 4) =>
  Array.from({ length: users }, (_, u) => ({
    user_id: `u${u}`,
    profile: [review(`u${u}-0`, `text ${u}`)],
    query: Array.from({ length: queries }, (_q, q) => ({ id: `u${u}-q${q}`, input: asking(`q${u}${q}`), gold: "3" })),
  }));

describe("official files", () => {
  it("group questions by user, keep leading zeros, turn numbers into text and sort each window by date", async () => {
    const data = await loadDataset(load("lamp3", folderWith(official)));
    expect(Array.from(data.users, ({ id, queries }) => [id, queries.map((query) => query.id)])).toEqual([
      ["9013773", ["010", "012"]],
      ["9013774", ["011"]],
    ]);
    const [first, last] = data.users.at(0)?.queries ?? [];
    expect(first).toMatchObject({ gold: "5", input: asking("b") });
    expect(first?.profile).toEqual([
      { id: "1", text: "early", score: "5", date: "2015" },
      { id: "2", text: "late", score: "4", date: "2016" },
    ]);
    expect(last).not.toHaveProperty("gold");
    expect(data).toMatchObject({ ordered: true, facts: { users: 2, questions: 3, unscored: 1 } });
  });

  it.each(["official", "OPPU's", "own rows"])("%s keep the order of the file as shipped", async (form) => {
    const profile = [review("2", "late", 4, 2016), review("1", "early", 5, 2015), review("3", "b", 5, 2015)];
    const question = { id: "q", input: asking("b") };
    const row = {
      user: "u",
      question: "b",
      history: profile.map(({ id, text, date }) => ({ id, text, label: "a", date })),
    };
    const task = customTask({ name: "t", kind: "label", labels: ["a", "b"], question: "q: {input}" }, "t.yaml");
    const files = {
      ...(form === "official" && { "dev_questions.json": [{ ...question, user_id: "u", profile }] }),
      ...(form === "OPPU's" && { "users.json": [{ user_id: "u", profile, query: [question] }] }),
      ...(form === "own rows" && { "rows.jsonl": JSON.stringify(row) }),
    };
    const path = join(folderWith(files), form === "own rows" ? "rows.jsonl" : "");
    const orderOf = async (more: Partial<LoadSettings>) => {
      const settings = { ...load("lamp3", path, more), ...(form === "own rows" && { task }) };
      const { users, ordered } = await loadDataset(settings);
      const { profile: own, queries } = users.at(0)!;
      return { ordered, ids: (queries[0]?.profile ?? own).map(({ id }) => id) };
    };
    expect(await orderOf({ visible: "as-shipped" })).toEqual({ ordered: false, ids: ["2", "1", "3"] });
    expect(await orderOf({})).toEqual({ ordered: true, ids: ["1", "3", "2"] });
  });

  it("name the user after the question where there is no user_id, and then the order means nothing", async () => {
    const questions = [{ id: "310", input: asking("b"), profile: [review("1", "x")] }];
    const data = await loadDataset(load("lamp3", folderWith({ "dev_questions.json": questions })));
    expect(data.users.at(0)?.id).toBe("310");
    expect(data.ordered).toBe(false);
  });

  it("take dev by default, else what is there, and what is asked for", async () => {
    const one = (id: string) => [{ id, input: asking("b"), profile: [review("1", "x")] }];
    const both = folderWith({ "dev_questions.json": one("dev"), "train_questions.json": one("train") });
    const only = folderWith({ "train_questions.json": one("train") });
    const asked = async (path: string, split: "auto" | "train" = "auto") =>
      (await loadDataset(load("lamp3", path, { split }))).users.at(0)?.queries[0]?.id;
    expect(await asked(both)).toBe("dev");
    expect(await asked(both, "train")).toBe("train");
    expect(await asked(only)).toBe("train");
    expect(await asked(join(both, "train_questions.json"))).toBe("train");
  });

  it.each([
    ["in one folder", "", ""],
    ["in a folder for each part", "dev/", "train/"],
  ])("offer the training users as others, without the test users, %s", async (_, dev, train_) => {
    const train = [
      { id: "000", user_id: 9013773, input: asking("a"), profile: [review("1", "early")] },
      { id: "001", user_id: 7, input: asking("a"), profile: [review("8", "one")] },
      { id: "002", user_id: 7, input: asking("a"), profile: [review("8", "one"), review("9", "two")] },
    ];
    const tests = Object.entries(official).map(([name, content]) => [dev + name, content]);
    const folder = folderWith({ ...Object.fromEntries(tests), [`${train_}train_questions.json`]: train });
    const data = await loadDataset(load("lamp3", folder));
    expect(data.others?.map(({ id, profile }) => [id, profile.map((item) => item.id)])).toEqual([["7", ["8", "9"]]]);
    expect(data.facts).toMatchObject({ "test users left out of the training users": 1 });
  });

  it("accept the 2023 news files, whose outputs say LaMP_2, and refuse them as movies", async () => {
    const item = { id: "1", text: "t", title: "T", category: "politics", tag: "x", description: "y" };
    const folder = folderWith({
      "dev_questions.json": [{ id: "112", input: "article: a", profile: [item] }],
      "dev_outputs.json": { task: "LaMP_2", golds: [{ id: "112", output: "politics" }] },
    });
    expect((await loadDataset(load("lamp2n", folder))).users.at(0)?.queries[0]?.gold).toBe("politics");
    await expect(loadDataset(load("lamp2m", folder))).rejects.toThrow(
      /question 112: gold "politics" is no answer of lamp2m/,
    );
  });
});

describe("per-user files", () => {
  it("are found under our names and under those of OPPU's release, with its task codes", async () => {
    const users = [
      {
        user_id: 8000005,
        profile: [{ id: 1, tag: "comedy", description: "d", date: "2015-01-02" }],
        query: [{ id: "q", input: "description: x", gold: "comedy" }],
      },
    ];
    const labels = { task: "LaMP_8", golds: [{ id: "q", output: "comedy" }] };
    for (const files of [
      { "users.json": users, "users_label.json": labels },
      { "user_top_100_history.json": users, "user_top_100_history_label.json": labels },
      { "user_more_100_history.json": users, "user_others.json": [{ ...users[0], user_id: "other" }] },
    ]) {
      const data = await loadDataset(load("lamp2m", folderWith(files)));
      expect(data.users.at(0)).toMatchObject({
        id: "8000005",
        profile: [{ id: "1", tag: "comedy" }],
        queries: [{ gold: "comedy" }],
      });
      expect(data.others?.map(({ id }) => id)).toEqual("user_others.json" in files ? ["other"] : undefined);
    }
  });

  it("are streamed with the hash of each file", async () => {
    const text = JSON.stringify(perUser(2));
    const data = await loadDataset(load("lamp3", folderWith({ "users.json": text })));
    expect(data.files).toEqual([
      { name: "users.json", bytes: text.length, sha256: createHash("sha256").update(text).digest("hex") },
    ]);
  });

  it("are in order unless each user is called as the only question", async () => {
    const random = [
      { user_id: "100", profile: [review("1000", "x")], query: [{ id: "100", input: asking("q"), gold: "3" }] },
    ];
    expect((await loadDataset(load("lamp3", folderWith({ "users.json": random })))).ordered).toBe(false);
    expect((await loadDataset(load("lamp3", folderWith({ "users.json": perUser(1) })))).ordered).toBe(true);
  });
});

describe("bad input is refused in one line that names file, record, field, value and fix", () => {
  const users = (change: (user: Record<string, unknown>) => void) => {
    const list = perUser(2, 1) as Record<string, unknown>[];
    change(list[1]!);
    return { "users.json": list };
  };
  const item = (fields: object) => users((user) => Object.assign(user, { profile: [fields] }));

  it.each<[string, Record<string, unknown>, RegExp]>([
    ["a null field", item({ id: "7", text: null, score: 1 }), /field "text" is null/],
    [
      "a month that no year has",
      item({ id: "7", text: "t", score: 1, date: "2008-13-45" }),
      /users\.json: record 2: user u1, profile item 1 \(id "7"\): field "date" is "2008-13-45"; .* calendar/,
    ],
    [
      "a day that its month has not",
      item({ id: "7", text: "t", score: 1, date: "2008-02-30" }),
      /field "date" is "2008-02-30"; .* calendar/,
    ],
    [
      "an impossible day of an official question",
      {
        "dev_questions.json": [
          { id: "7", user_id: "u", input: asking("x"), profile: [review("1", "t")], date: "2009-04-31" },
        ],
      },
      /dev_questions\.json: record 1: user u, question 7: field "date" is "2009-04-31"; .* calendar/,
    ],
    [
      "labels that disagree",
      { ...users(() => {}), "users_label.json": { task: "LaMP_3", golds: [{ id: "u0-q0", output: "4" }] } },
      /field "gold" is "3" but the label file says "4"/,
    ],
    [
      "labels of another task",
      { ...users(() => {}), "users_label.json": { task: "LaMP_5", golds: [] } },
      /users_label\.json: is of task "LaMP_5", not LaMP_3/,
    ],
    [
      "a label twice",
      {
        ...users(() => {}),
        "users_label.json": {
          golds: [
            { id: "a", output: "3" },
            { id: "a", output: "3" },
          ],
        },
      },
      /record 2: question id a is there twice/,
    ],
  ])("%s", async (_what, files, message) => {
    const loading = loadDataset(load("lamp3", folderWith(files)));
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toThrow(UsageError);
    await expect(loading).rejects.toThrow(/^[^\n]+$/);
  });

  it("but an empty profile can be kept", async () => {
    const path = folderWith(users((user) => Object.assign(user, { profile: [] })));
    expect((await loadDataset(load("lamp3", path, { emptyProfile: "keep" }))).users).toHaveLength(2);
  });
});
