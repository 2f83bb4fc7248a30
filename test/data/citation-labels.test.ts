import { describe, expect, it } from "vitest";
import { loadDataset } from "../../src/data/load.js";
import type { RawItem } from "../../src/types/index.js";
import { folderWith, load } from "./fixtures.js";

const ask = (title: string, one: string, two: string): string =>
  `For an author who has written the paper with the title "${title}", which reference is related? Just answer with [1] or [2] without explanation. [1]: "${one}" [2]: "${two}"`;
const paper = (id: string, citation?: string) => ({
  id,
  title: `Paper ${id}`,
  abstract: "a",
  ...(citation === undefined ? {} : { citation }),
});
const person = (id: string, count: number, cited: boolean) => ({
  user_id: id,
  profile: Array.from({ length: count }, (_, i) => paper(`${id}${i}`, cited ? `Cited by ${id} ${i}` : undefined)),
  query: [{ id: `${id}-q`, input: ask("New", "A", "B"), gold: "[1]" }],
});
const cited = () =>
  folderWith({
    "users.json": [person("u", 20, true), person("v", 3, true)],
    "user_others.json": [person("t", 20, true), person("s", 20, true)],
  });
const optionsOf = (items: readonly RawItem[]) => items.map(({ option1, option2, label }) => [option1, option2, label]);

describe("labels of past papers", () => {
  it("come from citations: the cited title against one of another training user, in seeded order", async () => {
    const data = await loadDataset(load("lamp1", cited()));
    expect(data.facts).toMatchObject({ "lamp1.labels": "citation" });
    const profile = data.users.at(0)?.profile ?? [];
    for (const item of profile) {
      const right = item.label === "[1]" ? item.option1 : item.option2;
      const wrong = item.label === "[1]" ? item.option2 : item.option1;
      expect(right).toBe(item.citation);
      expect(wrong).toMatch(/^Cited by [ts] /);
    }
    expect(new Set(profile.map((item) => item.label))).toEqual(new Set(["[1]", "[2]"]));
    const [past, asked] = [data.others?.[0]?.profile.slice(0, 20) ?? [], data.others?.[0]?.profile[20]];
    for (const item of past) expect(`${item.option1} ${item.option2}`).toMatch(/Cited by s/);
    expect(asked).toMatchObject({ id: "t-q", option1: "A", option2: "B", label: "[1]" });
  });

  it("are the same whoever else is selected, and others with another seed", async () => {
    const path = cited();
    const all = await loadDataset(load("lamp1", path));
    const one = await loadDataset(load("lamp1", path, { users: 1 }));
    const again = await loadDataset(load("lamp1", path, { seed: 1 }));
    expect(optionsOf(one.users.at(0)!.profile)).toEqual(optionsOf(all.users.at(0)!.profile));
    expect(optionsOf(again.users.at(0)!.profile)).not.toEqual(optionsOf(all.users.at(0)!.profile));
  });

  it("are made of no title that a later paper cites", async () => {
    const dated = (id: string, years: readonly number[]) => ({
      ...person(id, 0, true),
      profile: years.map((year) => ({ ...paper(`${id}${year}`, `Cited in ${year}`), date: year })),
    });
    const path = folderWith({
      "users.json": [dated("u", [2005, 2006, 2007, 2008])],
      "user_others.json": [dated("t", [2001, 2004, 2010, 2011, 2012, 2013, 2014])],
    });
    const wrongYears = async () => {
      const data = await loadDataset(load("lamp1", path));
      return data.users
        .at(0)!
        .profile.map(({ option1, option2, citation }) =>
          Number((option1 === citation ? option2 : option1)?.slice("Cited in ".length)),
        );
    };
    expect(Math.max(...(await wrongYears()))).toBeLessThanOrEqual(2008);
  });

  it("come from the user's own training questions in official files, where the paper is the same", async () => {
    const window = [paper("1"), paper("2")];
    const data = await loadDataset(
      load(
        "lamp1",
        folderWith({
          "dev_questions.json": [{ id: "d", user_id: 5, input: ask("New", "A", "B"), profile: window }],
          "train_questions.json": [
            { id: "t", user_id: 5, input: ask("paper  2", 'A "quoted" title', "D"), profile: [paper("1")] },
            { id: "o", user_id: 6, input: ask("Elsewhere", "E", "F"), profile: [paper("3")] },
          ],
          "train_outputs.json": {
            task: "LaMP_1",
            golds: [
              { id: "t", output: "[2]" },
              { id: "o", output: "[1]" },
            ],
          },
        }),
      ),
    );
    expect(data.facts).toMatchObject({ "lamp1.labels": "user-train-questions" });
    expect(optionsOf(data.users.at(0)?.queries[0]?.profile ?? [])).toEqual([
      [undefined, undefined, undefined],
      ['A "quoted" title', "D", "[2]"],
    ]);
    expect(optionsOf(data.others?.[0]?.profile ?? [])).toEqual([
      [undefined, undefined, undefined],
      ["E", "F", "[1]"],
    ]);
  });

  it("can be the author's own titles as a stand-in, named as such, drawn among earlier papers only", async () => {
    const data = await loadDataset(load("lamp1", cited(), { lamp1Labels: "own-title-proxy" }));
    expect(data.facts).toMatchObject({ "lamp1.labels": "own-title-proxy" });
    const profile = data.users.at(0)!.profile;
    expect(profile[0]).not.toHaveProperty("label");
    for (const [index, item] of profile.entries()) {
      if (index === 0) continue;
      const right = item.label === "[1]" ? item.option1 : item.option2;
      expect(profile.slice(0, index).map(({ title }) => title)).toContain(right);
    }
  });

  it("are left out where there is no source, or on demand", async () => {
    const plain = folderWith({ "users.json": [person("u", 2, false)] });
    expect((await loadDataset(load("lamp1", plain))).facts).toMatchObject({ "lamp1.labels": "none" });
    const without = await loadDataset(load("lamp1", cited(), { lamp1Labels: "none" }));
    expect(without.users.at(0)?.profile[0]).not.toHaveProperty("label");
  });
});
