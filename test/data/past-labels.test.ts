import { describe, expect, it } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import { asking, folderWith, load, review } from "./fixtures.js";

const users = (scores: readonly unknown[], input = asking("b")) => ({
  "users.json": [
    {
      user_id: "u1",
      profile: scores.map((score, place) => review(`i${place}`, `text ${place}`, score)),
      query: [{ id: "q1", input, gold: "3" }],
    },
  ],
});

describe("labels of history items", () => {
  it("are refused in the pool of other users too", async () => {
    const pool = [{ user_id: "o", profile: [review("x", "y", "9")], query: [] }];
    const folder = folderWith({ ...users(["5"]), "user_others.json": pool });
    await expect(loadDataset(load("lamp3", folder))).rejects.toThrow(
      /user_others\.json.*user o, history item x: label "9"/,
    );
  });

  it("written as other numbers are the same rating", async () => {
    const { users: read } = await loadDataset(load("lamp3", folderWith(users(["5.0", " 4 "]))));
    expect(read.at(0)?.profile).toHaveLength(2);
  });
});

describe("questions", () => {
  it("without the task's wording are counted", async () => {
    const { facts } = await loadDataset(load("lamp3", folderWith(users(["5"], "just a text"))));
    expect(facts["questions not in the task's wording, taken whole"]).toBe(1);
    const worded = await loadDataset(load("lamp3", folderWith(users(["5"]))));
    expect(Object.keys(worded.facts).join()).not.toMatch(/wording/);
  });

  it("of one id are named as duplicates, not as golds that disagree", async () => {
    const [user] = users(["5"])["users.json"];
    const twice = [
      {
        ...user,
        query: [
          { id: "q1", input: asking("b"), gold: "3" },
          { id: "q1", input: asking("c"), gold: "4" },
        ],
      },
    ];
    const labels = { task: "LaMP_3", golds: [{ id: "q1", output: "3" }] };
    const folder = folderWith({ "users.json": twice, "users_label.json": labels });
    await expect(loadDataset(load("lamp3", folder))).rejects.toThrow(
      /question id q1 is there twice, again with user u1/,
    );
  });
});

describe("history items of which some have no date", () => {
  it("are put in order all the same: an undated one stays behind the item before it, and is counted", async () => {
    const profile = [
      review("first", "a", "3"),
      review("late", "b", "3", "2020"),
      review("undated", "c", "3"),
      review("early", "d", "3", "2018"),
    ];
    const folder = folderWith({
      "users.json": [{ user_id: "u1", profile, query: [{ id: "q1", input: asking("b"), gold: "3" }] }],
    });
    const { users: read, facts } = await loadDataset(load("lamp3", folder));
    expect(read.at(0)?.profile.map(({ id }) => id)).toEqual(["first", "early", "late", "undated"]);
    expect(facts["history items without a date, left behind the item before them in the file"]).toBe("2 of 4");
  });
});
