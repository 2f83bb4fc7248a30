import { describe, expect, test } from "vitest";
import { type Control, controlled, controls, undefinedControl } from "../../src/plan/controls.js";
import { tasks } from "../../src/tasks/index.js";
import type { Event, Method, Task } from "../../src/types/index.js";
import { armOf, ratingUnit, silent } from "../helpers/engine-run.js";
import { fakeKit } from "../helpers/kit.js";

const ratings = tasks.get("lamp3");
const review = (id: string, score: string): Event =>
  ratings.event({ id, text: `review ${id}`, score, date: `2019-01-${id.slice(-2)}` });
const own = ["5", "5", "4", "1", "3", "2"].map((score, i) => review(`u0${i + 1}`, score));
const others = [
  ...["1", "1"].map((score, i) => ({ owner: "short", event: review(`s0${i + 1}`, score) })),
  ...["2", "2", "2", "2", "2", "2", "2"].map((score, i) => ({ owner: "like", event: review(`l0${i + 1}`, score) })),
  ...Array.from({ length: 20 }, (_, i) => ({ owner: "long", event: review(`b0${(i % 6) + 1}`, "3") })),
];

/** The past that a method is given. */
async function pastUnder(
  control: Control,
  history = own,
  { task = ratings, seed = 0 } = {},
): Promise<readonly Event[]> {
  let given: readonly Event[] = [];
  const looking: Method = {
    ...silent,
    async personalize(user) {
      given = user.history;
      return Object.assign(async () => "", { learn: async () => undefined });
    },
  };
  const { kit } = fakeKit({ task, script: [], others });
  const answerer = await controlled(looking, control, { task, seed }).personalize({ id: "u", history }, {}, kit);
  expect(answerer.learn === undefined).toBe(control === "none");
  return given;
}
const labels = (events: readonly Event[]): (string | undefined)[] => events.map(({ label }) => label);
const contents = (events: readonly Event[]): string[] => events.map(({ content }) => content);

describe("a control of the past", () => {
  test("right and none: the user's own past, and no past", async () => {
    expect(await pastUnder("right")).toBe(own);
    expect(await pastUnder("none")).toEqual([]);
  });

  test("shuffled: the own texts in their order with the own labels, dealt out anew, alike for every method and repeat", async () => {
    const past = await pastUnder("shuffled");
    expect(contents(past)).toEqual(contents(own));
    expect(labels(past).toSorted()).toEqual(labels(own).toSorted());
    expect(labels(past)).not.toEqual(labels(own));
    expect(past).toEqual(await pastUnder("shuffled"));
    expect(past).not.toEqual(await pastUnder("shuffled", own, { seed: 1 }));
    for (const { label, fields } of past) expect(fields.score).toBe(label);
  });

  test("deranged: no label is the right one, and equal labels stay equal", async () => {
    const past = await pastUnder("deranged");
    expect(past.some(({ label }, i) => label === own[i]?.label)).toBe(false);
    expect(past[0]?.label).toBe(past[1]?.label);
    expect(new Set(labels(past)).size).toBe(new Set(labels(own)).size);
  });

  test("reversed: the last comes first, and the dates stay in order", async () => {
    const past = await pastUnder("reversed");
    expect(contents(past)).toEqual(contents(own).toReversed());
    expect(past.map(({ date }) => date)).toEqual(own.map(({ date }) => date));
    expect(past.map(({ fields }) => fields.date)).toEqual(own.map(({ date }) => date));
  });

  test("other-user: as many events as the own, of the other user whose past is nearest in length", async () => {
    const past = await pastUnder("other-user");
    expect(past.map(({ id }) => id)).toEqual(["l01", "l02", "l03", "l04", "l05", "l06"]);
  });

  test.each([
    [7, 7],
    [19, 19],
    [20, 20],
    [21, 20],
    [39, 20],
    [41, 20],
    [0, 0],
  ])("other-user: a user with %d events gets %d of the other's", async (length, given) => {
    const past = await pastUnder(
      "other-user",
      Array.from({ length }, () => own[5]!),
    );
    expect(past).toHaveLength(given);
  });

  test("shuffled titles stand in the retrieval text as well", async () => {
    const headlines = tasks.get("lamp4");
    const history = ["A", "B", "C", "D"].map((title, i) => headlines.event({ id: `${i}`, title, text: `text ${i}` }));
    for (const { label, document, content } of await pastUnder("shuffled", history, { task: headlines }))
      expect(document).toBe(`${label} ${content}`);
  });
});

test("a control that means nothing on the data is told by name, with the reason", () => {
  const loaded = (task: Task, events: readonly Event[]) => {
    const unit = ratingUnit("u", ["a"]);
    const arm = armOf(silent, [{ ...unit, user: { id: "u", history: events } }]);
    return { ...arm.loaded, task };
  };
  const reasons = (task: Task, events: readonly Event[]) =>
    Object.fromEntries(controls.map((control) => [control, undefinedControl(control, loaded(task, events))]));
  const fine = { right: undefined, none: undefined, reversed: undefined, "other-user": "there is no other user" };
  expect(reasons(ratings, own)).toEqual({ ...fine, shuffled: undefined, deranged: undefined });
  const [headlines, tweets, papers] = ["lamp4", "lamp7", "lamp1"].map((name) => tasks.get(name)) as [Task, Task, Task];
  expect(reasons(headlines, [headlines.event({ id: "1", title: "A", text: "b" })])).toEqual({
    ...fine,
    shuffled: undefined,
    deranged: "the answers are no closed list",
  });
  expect(reasons(tweets, [tweets.event({ id: "1", text: "b" })]).shuffled).toBe("the label is the text itself");
  expect(reasons(papers, [papers.event({ id: "1", title: "A", abstract: "b" })]).deranged).toBe(
    "no history item has a label",
  );
});
