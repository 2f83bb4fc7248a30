import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import { type PrepareSettings, prepare } from "../../src/data/prepare.js";
import { tasks } from "../../src/tasks/index.js";
import { fullDisk } from "../helpers/failing-disk.js";
import { tempDir } from "../helpers/temp-dir.js";
import { asking, folderWith, load, review } from "./fixtures.js";

const items = (user: number, count: number) =>
  Array.from({ length: count }, (_, i) =>
    review(`${user}-${i}`, `text ${user} ${i}`, 1 + (i % 5), `2019-01-${String(i + 10)}`),
  );
const question = (id: string, user: number, profile: unknown) => ({
  id,
  user_id: user,
  input: asking(`new ${id}`),
  profile,
});

/** Users 1..4 with 6, 8, 8 and 3 items; user 2 is asked in train and dev, with a longer window in dev. */
const official = () =>
  folderWith({
    "train_questions.json": [
      question("t1", 1, items(1, 6)),
      question("t2", 2, items(2, 7)),
      question("t4", 4, items(4, 3)),
    ],
    "train_outputs.json": { task: "LaMP_3", golds: ["t1", "t2", "t4"].map((id) => ({ id, output: "4" })) },
    "dev_questions.json": [question("d3", 3, items(3, 8)), question("d2", 2, items(2, 8))],
    "dev_outputs.json": { task: "LaMP_3", golds: ["d3", "d2"].map((id) => ({ id, output: "5" })) },
    "test_questions.json": [question("x1", 1, items(1, 9))],
  });

const settings = (more: Partial<PrepareSettings> = {}): PrepareSettings => ({
  task: tasks.get("lamp3"),
  from: official(),
  out: tempDir(),
  users: 2,
  others: 0,
  cut: "questions",
  ...more,
});
const json = (folder: string, name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));

describe("prepare", () => {
  it("takes the users with the longest histories, ties by id, and cuts the past to what all questions may see", async () => {
    const wanted = settings();
    const manifest = await prepare(wanted);
    expect(json(wanted.out, "users.json")).toMatchObject([
      {
        user_id: "2",
        profile: { length: 7 },
        query: [
          { id: "t2", gold: "4" },
          { id: "d2", gold: "5" },
        ],
      },
      { user_id: "3", profile: { length: 8 }, query: [{ id: "d3" }] },
    ]);
    expect(json(wanted.out, "users_label.json")).toEqual({
      task: "LaMP_3",
      golds: [
        { id: "t2", output: "4" },
        { id: "d2", output: "5" },
        { id: "d3", output: "5" },
      ],
    });
    expect(json(wanted.out, "user_others.json")).toMatchObject([{ user_id: "1" }, { user_id: "4" }]);
    expect(manifest).toMatchObject({
      users: 2,
      questions: 3,
      golds: 3,
      items: 15,
      cut: "questions",
      "training users": 2,
    });
    expect(json(wanted.out, "manifest.json")).toEqual(manifest);
  });

  it("writes what the loader reads", async () => {
    const wanted = settings();
    await prepare(wanted);
    const data = await loadDataset(load("lamp3", wanted.out));
    expect(data).toMatchObject({ ordered: true, facts: { users: 2, questions: 3, "training users": 2 } });
  });

  it("measures pasts wherever they stand in a record, and reads every record before it writes", async () => {
    const past = JSON.stringify(items(7, 3));
    const rest = `"input": ${JSON.stringify(asking("new"))}`;
    const records = [
      `{"profile": ${past}, "id": "first", ${rest}}`,
      `{"id": "middle", "other": {"profile": [{}, {}, {}, {}, {}]}, "profile":\n  ${past.replace("[", "[\n")}, ${rest}}`,
      `{"id": "named \\"profile\\": [{},{}]", ${rest}, "pro\\u0066ile": ${past.replace("]", `,${JSON.stringify(items(8, 1)[0])}]`)}}`,
    ];
    const folder = tempDir();
    writeFileSync(join(folder, "dev_questions.json"), `[${records.join(", ")}]`);
    const wanted = settings({ from: folder, users: 1 });
    expect(await prepare(wanted)).toMatchObject({ users: 1, items: 4, "training users": 2 });
    expect(json(wanted.out, "users.json")).toMatchObject([{ user_id: 'named "profile": [{},{}]' }]);
    const before = readFileSync(join(wanted.out, "user_others.json"), "utf8");
    const odd = records.with(1, records[1]!.replace('"score"', '"stars"'));
    writeFileSync(join(folder, "dev_questions.json"), `[${odd.join(", ")}]`);
    await expect(prepare(wanted)).rejects.toThrow(/record 2: question middle, profile item 1 .*"score" is missing/);
    expect(readFileSync(join(wanted.out, "user_others.json"), "utf8")).toBe(before);
  });

  it("takes the next longest history for a user without a dev question, and leaves out one without a history that all questions may see", async () => {
    const folder = folderWith({
      "train_questions.json": [question("t1", 1, items(1, 9)), question("t2", 2, items(2, 8))],
      "dev_questions.json": [
        question("d2", 2, items(9, 7)),
        question("d3", 3, items(3, 5)),
        question("d4", 4, items(4, 4)),
        question("d5", 5, items(5, 3)),
      ],
    });
    const users = async (more: Partial<PrepareSettings>) => {
      const wanted = settings({ from: folder, ...more });
      const manifest = await prepare(wanted);
      const [test, others] = ["users.json", "user_others.json"].map((name) =>
        (json(wanted.out, name) as { user_id: string }[]).map(({ user_id }) => user_id),
      );
      return { test, others, left: manifest["users left out without history"] };
    };
    expect(await users({ cut: "dev", users: 3 })).toEqual({
      test: ["2", "3", "4"],
      others: ["1", "5"],
      left: 0,
    });
    // user 2's two windows have nothing in common
    expect(await users({ users: 3 })).toEqual({ test: ["1", "3"], others: ["4", "5"], left: 1 });
  });

  it("leaves no file where it is refused", async () => {
    const folder = folderWith({ "train_questions.json": [question("t1", 1, items(1, 9))] });
    const wanted = settings({ from: folder, cut: "dev" });
    await expect(prepare(wanted)).rejects.toThrow(/no user has both a question and a history/);
    expect(existsSync(wanted.out)).toBe(false);
  });

  it("leaves no file where the disk is full", async () => {
    for (const room of [0, 200, 1200]) {
      const wanted = settings();
      const disk = fullDisk(room);
      await expect(prepare(wanted)).rejects.toThrow(/no space|full|ENOSPC/i);
      disk.restore();
      expect(existsSync(wanted.out)).toBe(false);
    }
  });

  it("gives past LaMP-1 papers the options of the user's earlier questions and says so", async () => {
    const ask = (title: string) =>
      `For an author who has written the paper with the title "${title}", which reference is related? Just answer with [1] or [2] without explanation. [1]: "One" [2]: "Two"`;
    const papers = [
      { id: "1", title: "Old", abstract: "a", date: 2010 },
      { id: "2", title: "Older", abstract: "a", date: 2009 },
    ];
    const wanted = settings({
      task: tasks.get("lamp1"),
      cut: "dev",
      from: folderWith({
        "train_questions.json": [{ id: "t", user_id: 1, input: ask("Old"), profile: papers.slice(1) }],
        "train_outputs.json": { task: "LaMP_1", golds: [{ id: "t", output: "[2]" }] },
        "dev_questions.json": [{ id: "d", user_id: 1, input: ask("New"), profile: papers }],
        "dev_outputs.json": { task: "LaMP_1", golds: [{ id: "d", output: "[1]" }] },
      }),
    });
    expect(await prepare(wanted)).toMatchObject({ "lamp1.labels": "user-train-questions" });
    const data = await loadDataset(load("lamp1", wanted.out));
    expect(data.facts).toMatchObject({ "lamp1.labels": "user-train-questions" });
    expect(data.users.at(0)?.profile).toMatchObject([
      { title: "Older" },
      { title: "Old", option1: "One", option2: "Two", label: "[2]" },
    ]);
    const without = settings({ ...wanted, cut: "questions" });
    expect(await prepare(without)).toMatchObject({ "lamp1.labels": "none", questions: 2 });
  });

  it("leaves out users whose questions share no history, and stops when nobody is left", async () => {
    const apart = [question("d1", 1, items(1, 2)), question("d2", 1, items(7, 2)), question("d3", 3, items(3, 2))];
    const golds = { task: "LaMP_3", golds: [] };
    const some = settings({ from: folderWith({ "dev_questions.json": apart, "dev_outputs.json": golds }) });
    expect(await prepare(some)).toMatchObject({ users: 1, "users left out without history": 1 });
    const none = settings({ from: folderWith({ "dev_questions.json": apart.slice(0, 2), "dev_outputs.json": golds }) });
    await expect(prepare(none)).rejects.toThrow(/no user has both a question and a history/);
  });

  it("refuses a folder without questions", async () => {
    await expect(prepare(settings({ from: tempDir() }))).rejects.toThrow(
      /no train_questions\.json or dev_questions\.json/,
    );
  });
});
