import { describe, expect, test } from "vitest";
import type { Measured } from "../../../src/commands/rums/material.js";
import { type Candidate, casesOf, fitted, fittedPasts, splitUsers } from "../../../src/commands/rums/training.js";
import { seeded } from "../../../src/random/seeded.js";
import { gapsOf } from "../../../src/results/selections.js";
import { areaUnderRoc } from "../../../src/results/separation.js";
import type { Embedder, Event, Unit } from "../../../src/types/index.js";

const WIDTH = 40;

/** Candidates of ten users whose worth is a direction of their products of vectors, and nothing else that is known of them. */
function planted(count: number): Candidate[] {
  const random = seeded("planted utilities");
  const draw = () => random.next() * 2 - 1;
  const direction = Array.from({ length: WIDTH }, draw);
  return Array.from({ length: count }, (_, at) => {
    const along = 6 * draw();
    const product = Float32Array.from(direction, (value) => along * value + 0.3 * draw());
    const plain = Array.from({ length: 7 }, draw);
    return { user: `u${at % 10}`, plain, product, is: random.next() < 1 / (1 + Math.exp(-4 * along)) };
  });
}

describe("the classifier of METHODS 9.4", () => {
  test("ranks planted utilities of users whom it has not seen at .95 or better, where no plain feature tells anything", () => {
    const cases = planted(1200);
    const heldOut = new Set(["u4", "u9"]);
    const { tried, features, weights, deviations, projection } = fitted(cases, heldOut);
    expect([...new Set(tried.map(({ candidate }) => candidate.user))].sort()).toEqual(["u4", "u9"]);
    const scoresOf = (is: boolean) => tried.flatMap(({ candidate, share }) => (candidate.is === is ? share : []));
    expect(areaUnderRoc({ high: scoresOf(true), low: scoresOf(false) })!).toBeGreaterThan(0.95);
    expect([features.length, weights.length, projection.components.length]).toEqual([23, 23, 16]);
    expect(features.indexOf("product-1")).toBe(7);
    const strongest = weights.map(Math.abs).indexOf(Math.max(...weights.map(Math.abs)));
    expect(features[strongest]).toBe("product-1");
    expect(new Set(deviations.slice(7))).toEqual(new Set([deviations[7]])); // the widest component's, for all of them
    expect(deviations[7]! > 5 * deviations[0]!).toBe(true);
    expect(JSON.stringify(projection).length).toBeLessThan(20 * 17 * WIDTH); // six digits a number
  });

  test("learns nothing of users that are held out: their candidates change no weight; the cut-off is of theirs alone", () => {
    const cases = planted(300);
    const heldOut = new Set(["u4"]);
    const turned = cases.map((one) =>
      heldOut.has(one.user) ? { ...one, plain: one.plain.map(() => 9), is: !one.is } : one,
    );
    const [first, second] = [fitted(cases, heldOut), fitted(turned, heldOut)];
    expect([second.weights, second.bias, second.means, second.projection]).toEqual([
      first.weights,
      first.bias,
      first.means,
      first.projection,
    ]);
    expect(first.f1).toBeGreaterThan(0.8);
    expect([first.cutoff === second.cutoff, first.f1 === second.f1]).toEqual([false, false]);
  });

  test("is tried on all where nobody is held out; a feature that never varies weighs nothing and breaks nothing", () => {
    const cases = planted(60).map((one) => ({ ...one, plain: [3, ...one.plain.slice(1)] }));
    const { tried, weights, deviations, means } = fitted(cases, new Set());
    expect(tried).toHaveLength(60);
    expect([weights[0], deviations[0], means[0]]).toEqual([0, 1, 3]);
  });
});

const event = (id: string, label: string): Event => ({ id, fields: { id }, content: id, document: id, label });
const embedder: Embedder = { id: "one", dimensions: 1, embed: async (texts) => texts.map(() => Float32Array.of(1)) };

function unit(user: string, questions: readonly string[], past = ["e1", "e2", "e3"]): Unit {
  const history = past.map((id) => event(`${user}-${id}`, id === "e1" ? "x" : "y"));
  const examples = questions.map((id) => ({ question: { id, text: id, content: id, query: id } }));
  return { id: user, user: { id: user, history }, examples };
}

function measured(question: string, user: string, scored: Record<string, number>, best: number | null): Measured {
  const events = (key: string) => key.split("+").map((id) => `${user}-${id}`);
  return {
    cell: { id: "c", task: "t", dataset: "d", method: "rums", model: "m", options: {}, seed: 0, repeat: 0 },
    user,
    question,
    utilities: {
      entropy: "label",
      plain: 1,
      rest: 0,
      threshold: 0,
      candidates: [`${user}-e3`, `${user}-e1`, `${user}-gone`],
      scored: Object.entries(scored).map(([key, utility]) => ({ events: events(key), utility })),
      best,
    },
  };
}

describe("training cases", () => {
  const chosen = (best: number | null = 0.5) =>
    casesOf(
      unit("u", ["q", "unmeasured"]),
      new Map([["q", measured("q", "u", { e1: 0.2, "e1+e3": 0.5, e3: 0.1 }, best)]]),
      { x: 0.5 },
      embedder,
    ).then((cases) => cases.map(({ is, plain }) => [is, plain[5]]));

  test("are all events of the past, those of the best subset positive: what a filter left out was not chosen either", async () => {
    expect((await chosen()).map(([is]) => is)).toEqual([true, false, true]);
    const single = new Map([["q", measured("q", "u", { e1: 0.2, e3: 0.1 }, 0.2)]]);
    const cases = await casesOf(unit("u", ["q"]), single, {}, embedder);
    expect(cases.map(({ is, user }) => [is, user])).toEqual([
      [true, "u"],
      [false, "u"],
      [false, "u"],
    ]);
  });

  test("are all negative where the best subset is worth nothing or was not measured", async () => {
    expect((await chosen(null)).map(([is]) => is)).toEqual([false, false, false]);
    const useless = new Map([["q", measured("q", "u", { e1: 0, e3: -1 }, 0)]]);
    expect((await casesOf(unit("u", ["q"]), useless, {}, embedder)).map(({ is }) => is)).toEqual([false, false, false]);
  });

  test("come of users with a past and measured questions; every fifth of them, by name, is held out of fit and priors", async () => {
    const names = ["f", "b", "e", "a", "d", "c", "k", "j", "i", "h", "g"];
    const units = [...names.map((name) => unit(name, [`q-${name}`])), unit("none", ["q-x"]), unit("new", ["q-a"], [])];
    const known = new Map(names.map((name) => [`q-${name}`, measured(`q-${name}`, name, { e1: 1 }, 1)]));
    const { users, heldOut } = splitUsers(units, known);
    expect([users.join(""), [...heldOut].join("")]).toEqual(["abcdefghijk", "ej"]);
    const pasts = [...fittedPasts(units, users, heldOut)];
    expect(pasts.map(([first]) => first?.id.slice(0, 1)).join("")).toBe("fbadckihg");
    expect(await casesOf(unit("new", ["q-a"], []), known, {}, embedder)).toEqual([]);
    expect(await casesOf(unit("none", ["q-x"]), known, {}, embedder)).toEqual([]);
  });
});

describe("the gap between a set and its items (RUMS, table 5)", () => {
  const note = (scored: Record<string, number>, best: number | null) => measured("q", "u", scored, best).utilities;
  const pair = note({ e1: 0.2, e3: 0.1, "e1+e3": 0.5 }, 0.5);

  test("is that of the utility and that of each item behind the first, as means over the chosen sets", () => {
    expect(gapsOf([pair])).toEqual({ subset: expect.closeTo(0.4, 9), sequential: expect.closeTo(0.2, 9), sets: 1 });
    const less = note({ e1: 0.4, e2: 0.3, e3: 0.1, "e1+e2": 0.5, "e1+e2+e3": 0.6 }, 0.6);
    expect(gapsOf([less])).toEqual({ subset: expect.closeTo(1 / 3, 9), sequential: expect.closeTo(0.1, 9), sets: 1 });
    expect(gapsOf([pair, less])).toMatchObject({ subset: expect.closeTo((0.4 + 1 / 3) / 2, 9), sets: 2 });
  });

  test("is unknown of single items, of sets that are worth nothing, and where a part was not scored", () => {
    expect(gapsOf([])).toBeUndefined();
    expect(gapsOf([note({ e1: 0.2 }, 0.2), note({ e1: -1, e3: -1, "e1+e3": 0 }, 0), note({}, null)])).toBeUndefined();
    expect(gapsOf([note({ e1: 0.2, "e1+e3": 0.5 }, 0.5)])).toBeUndefined();
    expect(gapsOf([note({ e1: 0.1, e2: 0.1, e3: 0.1, "e1+e2+e3": 0.5 }, 0.5)])).toBeUndefined();
  });

  test("goes along the items as a forward search took them, where it did not score the beginnings in the candidates' order", () => {
    const searched = note({ e1: 0.1, e2: 0.2, e3: 0.4, "e1+e3": 0.45, "e2+e3": 0.5, "e1+e2+e3": 0.55 }, 0.55);
    expect(gapsOf([searched])).toEqual({
      subset: expect.closeTo(0.15 / 0.55, 9),
      sequential: expect.closeTo((0.1 + 0.05) / 2, 9), // e3, then e2 (+.1), then e1 (+.05)
      sets: 1,
    });
  });
});
