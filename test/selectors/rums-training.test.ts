import { describe, expect, test } from "vitest";
import type { UtilitiesNote } from "../../src/notes/note.js";
import { seeded } from "../../src/random/seeded.js";
import { gapsOf } from "../../src/results/selections.js";
import { areaUnderRoc } from "../../src/results/separation.js";
import { fitModels, type TrainingCase, trainBinary } from "../../src/selectors/rums/training.js";
import type { Embedder, Event, Unit } from "../../src/types/index.js";

const WIDTH = 40;

/** Cases of ten users whose worth is a direction of their vectors, and nothing else that is known of them. */
function planted(count: number, heldOut: readonly string[]): TrainingCase[] {
  const random = seeded("planted utilities");
  const draw = () => random.next() * 2 - 1;
  const direction = Array.from({ length: WIDTH }, draw);
  return Array.from({ length: count }, (_, at) => {
    const along = 6 * draw();
    const vector = Float32Array.from(direction, (value) => along * value + 0.3 * draw());
    const baseFeatures = Array.from({ length: 7 }, draw);
    return {
      vector,
      baseFeatures,
      heldOut: heldOut.includes(`u${at % 10}`),
      positive: [random.next() < 1 / (1 + Math.exp(-4 * along))],
    };
  });
}

describe("the classifier of METHODS 9.4", () => {
  test("ranks planted utilities of users whom it has not seen at .95 or better, where no plain feature tells anything", () => {
    const { evaluated, probabilities, models, deviations, projection } = fitModels(planted(1200, ["u4", "u9"]), 1);
    expect([evaluated.length, evaluated.every(({ heldOut }) => heldOut)]).toEqual([240, true]);
    const scoresOf = (kind: boolean) =>
      evaluated.flatMap(({ positive: is }, at) => (is[0] === kind ? probabilities[at]![0]! : []));
    expect(areaUnderRoc({ high: scoresOf(true), low: scoresOf(false) })!).toBeGreaterThan(0.95);
    const { weights } = models[0]!;
    expect([weights.length, projection.components.length]).toEqual([23, 16]);
    expect(weights.map(Math.abs).indexOf(Math.max(...weights.map(Math.abs)))).toBe(7); // the first component
    expect(new Set(deviations.slice(7))).toEqual(new Set([deviations[7]])); // the widest component's, for all of them
    expect(deviations[7]! > 5 * deviations[0]!).toBe(true);
    expect(JSON.stringify(projection).length).toBeLessThan(20 * 17 * WIDTH); // six digits a number
  });

  test("learns nothing of users that are held out: their cases change no weight; the cut-off is of theirs alone", () => {
    const cases = planted(300, ["u4"]);
    const turned = cases.map((one) =>
      one.heldOut ? { ...one, baseFeatures: one.baseFeatures.map(() => 9), positive: [!one.positive[0]] } : one,
    );
    const [first, second] = [fitModels(cases, 1), fitModels(turned, 1)];
    expect([second.models, second.means, second.projection]).toEqual([first.models, first.means, first.projection]);
    expect(first.f1).toBeGreaterThan(0.8);
    expect([first.cutoff === second.cutoff, first.f1 === second.f1]).toEqual([false, false]);
  });

  test("is tried on all where nobody is held out; a feature that never varies weighs nothing and breaks nothing", () => {
    const cases = planted(60, []).map((one) => ({ ...one, baseFeatures: [3, ...one.baseFeatures.slice(1)] }));
    const { evaluated, models, deviations, means } = fitModels(cases, 1);
    expect(evaluated).toHaveLength(60);
    expect([models[0]!.weights[0], deviations[0], means[0]]).toEqual([0, 1, 3]);
  });
});

const event = (id: string, label: string): Event => ({ id, fields: { id }, content: id, document: id, label });
const embedder: Embedder = { id: "one", dimensions: 1, embed: async (texts) => texts.map(() => Float32Array.of(1)) };

function unit(user: string, questions: readonly string[], past = ["e1", "e2", "e3"]): Unit {
  const history = past.map((id) => event(`${user}-${id}`, id === "e1" ? "x" : "y"));
  const examples = questions.map((id) => ({ question: { id, text: id, content: id, query: id } }));
  return { id: user, user: { id: user, history }, examples };
}

function utilities(user: string, scored: Record<string, number>, best: number | null): UtilitiesNote {
  const events = (key: string) => key.split("+").map((id) => `${user}-${id}`);
  return {
    ...{ entropy: "label", plain: 1, rest: 0, threshold: 0, candidates: [], best },
    scored: Object.entries(scored).map(([key, utility]) => ({ events: events(key), utility })),
  };
}

describe("training cases", () => {
  const trained = (units: readonly Unit[], measured: Readonly<Record<string, UtilitiesNote>>) =>
    trainBinary({ task: "t", labels: ["x", "y"], units, utilities: new Map(Object.entries(measured)), embedder });

  test("are all events of the past, those of the best subset positive where it is worth something", async () => {
    const positives = async (best: number | null, scored: Record<string, number>) =>
      (await trained([unit("u", ["q", "unmeasured"])], { q: utilities("u", scored, best) })).evaluated.map(
        ({ positive: is }) => is,
      );
    expect(await positives(0.5, { e1: 0.2, "e1+e3": 0.5, e3: 0.1 })).toEqual([true, false, true]);
    expect(await positives(0.2, { e1: 0.2, e3: 0.1 })).toEqual([true, false, false]);
    expect(await positives(null, { e1: 0.2 })).toEqual([false, false, false]);
    expect(await positives(0, { e1: 0, e3: -1 })).toEqual([false, false, false]);
  });

  test("have no positive where the best subset is below the run's threshold; a question tagged as not personal that reaches it is noise", async () => {
    const evaluated = async (threshold: number, personal?: string) => {
      const one = unit("u", ["q"]);
      const facts = personal === undefined ? {} : { facts: { tags: { personal } } };
      const examples = one.examples.map((example) => ({ ...example, ...facts }));
      const note = { ...utilities("u", { e1: 0.2, "e1+e3": 0.5 }, 0.5), threshold };
      return (await trained([{ ...one, examples }], { q: note })).evaluated.map(({ positive: is }) => is);
    };
    expect(await evaluated(0.5)).toEqual([true, false, true]);
    expect(await evaluated(0.51)).toEqual([false, false, false]);
    expect(await evaluated(0.29, "no")).toEqual([]);
    expect(await evaluated(0.51, "no")).toEqual([false, false, false]);
    expect(await evaluated(0.29, "yes")).toEqual([true, false, true]);
  });

  test("come of users with a past and measured questions; every fifth of them, by name, is held out of fit and priors", async () => {
    const names = ["f", "b", "e", "a", "d", "c", "k", "j", "i", "h", "g"];
    const units = [...names.map((name) => unit(name, [`q-${name}`])), unit("none", ["q-x"]), unit("new", ["q-a"], [])];
    const known = Object.fromEntries(names.map((name) => [`q-${name}`, utilities(name, { e1: 1 }, 1)]));
    const { file, users, heldOut, evaluated } = await trained(units, known);
    expect([users, heldOut, evaluated.length, file.trainedOn.pairs]).toEqual([11, 2, 6, 33]);
    const marked = units.map((one) =>
      ["e", "j"].includes(one.id)
        ? { ...one, user: { ...one.user, history: one.user.history.map((past) => ({ ...past, label: "x" })) } }
        : one,
    );
    expect((await trained(marked, known)).file.priors).toEqual(file.priors);
  });
});

describe("the gap between a set and its items (RUMS, table 5)", () => {
  const note = (scored: Record<string, number>, best: number | null) => utilities("u", scored, best);
  const pair = note({ e1: 0.2, e3: 0.1, "e1+e3": 0.5 }, 0.5);

  test("is that of the utility and that of each item behind the first, as means over the chosen sets", () => {
    expect(gapsOf([pair])).toEqual({ subset: expect.closeTo(0.4, 9), sequential: expect.closeTo(0.2, 9), sets: 1 });
    const less = note({ e1: 0.4, e2: 0.3, e3: 0.1, "e1+e2": 0.5, "e1+e2+e3": 0.6 }, 0.6);
    expect(gapsOf([less])).toEqual({ subset: expect.closeTo(-1 / 3, 9), sequential: expect.closeTo(-0.1, 9), sets: 1 });
    expect(gapsOf([pair, less])).toMatchObject({ subset: expect.closeTo((0.4 - 1 / 3) / 2, 9), sets: 2 });
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
      subset: expect.closeTo(-0.15 / 0.55, 9),
      sequential: expect.closeTo(-(0.1 + 0.05) / 2, 9), // e3, then e2 (-.1), then e1 (-.05)
      sets: 1,
    });
  });
});
