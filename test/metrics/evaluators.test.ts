import { describe, expect, it } from "vitest";
import { ScoreError, UsageError } from "../../src/errors.js";
import type { ScoredTask } from "../../src/metrics/evaluators/index.js";
import { CITATION_LABELS, evaluators, MOVIE_LABELS, NEWS_LABELS, officialRouge } from "../../src/metrics/index.js";
import { registry } from "../../src/registry.js";

const known: readonly ScoredTask[] = [
  { name: "lamp1", official: "LaMP_1", kind: "label", labels: CITATION_LABELS },
  { name: "lamp2m", official: "LaMP_2M", kind: "label", labels: MOVIE_LABELS },
  { name: "lamp2n", official: "LaMP_2N", kind: "label", labels: NEWS_LABELS },
  { name: "lamp3", official: "LaMP_3", kind: "rating", labels: ["1", "2", "3", "4", "5"] },
  { name: "lamp4", official: "LaMP_4", kind: "text", labels: [] },
];
const tasks = registry("task", known, ({ name, official }) => (name === "lamp2m" ? [official, "LaMP_2"] : [official]));

type Outputs = readonly (readonly [id: unknown, output: unknown])[];
const file = (task: unknown, outputs: Outputs) => ({ task, golds: outputs.map(([id, output]) => ({ id, output })) });

function score(evaluator: string, taskName: string, predictions: unknown, golds: unknown, bootstrapSeed?: number) {
  return evaluators.get(evaluator).score({
    taskName,
    predictions: { name: "p.json", json: predictions },
    golds: { name: "g.json", json: golds },
    resolve: tasks.get,
    tasks: known,
    bootstrapSeed,
  });
}

describe.each(["lamp", "oppu"])("the %s script", (evaluator) => {
  it("takes the last of duplicates and scores it once", () => {
    const predictions = file("LaMP_1", [
      ["1", "[2]"],
      ["1", "[1]"],
    ]);
    expect(score(evaluator, "LaMP_1", predictions, file("LaMP_1", [["1", "[1]"]]))).toMatchObject({
      scores: { accuracy: 1, f1: 0.5 },
      count: 1,
    });
  });

  it("compares ids with their type, but not numbers with each other's spelling", () => {
    const golds = (id: unknown) => file("LaMP_3", [[id, "5"]]);
    expect(() => score(evaluator, "LaMP_3", golds(10), golds("10"))).toThrow(ScoreError);
    expect(score(evaluator, "LaMP_3", golds(10), golds(10)).scores).toEqual({ MAE: 0, RMSE: 0 });
  });

  it("takes no alias", () => {
    const answers = file("LaMP-1", [["1", "[1]"]]);
    expect(() => score(evaluator, "LaMP_1", answers, file("LaMP_1", [["1", "[1]"]]))).toThrow("LaMP-1");
    expect(score(evaluator, "LaMP-1", answers, answers).scores).toHaveProperty("rouge-1");
  });

  it("scores names it does not know as ROUGE, names of object members too", () => {
    const answers = file("constructor", [["1", "a b"]]);
    expect(score(evaluator, "constructor", answers, answers).scores).toEqual({ "rouge-1": 1, "rouge-L": 1 });
  });

  it("stops on null texts, empty files, missing fields and golds of another task", () => {
    const text = file("LaMP_4", [["1", "a"]]);
    expect(() => score(evaluator, "LaMP_4", file("LaMP_4", [["1", null]]), text)).toThrow(ScoreError);
    expect(() => score(evaluator, "LaMP_4", file("LaMP_4", []), file("LaMP_4", []))).toThrow(ScoreError);
    expect(() => score(evaluator, "LaMP_4", { golds: [] }, text)).toThrow(ScoreError);
    expect(() => score(evaluator, "LaMP_4", { task: "LaMP_4", golds: [{ id: "1" }] }, text)).toThrow('lacks "id" or');
    expect(() => score(evaluator, "LaMP_4", text, file("LaMP_5", [["1", "a"]]))).toThrow(ScoreError);
  });

  it("counts what it could not read, while scoring it as wrong", () => {
    const result = score(
      evaluator,
      "LaMP_3",
      file("LaMP_3", [
        ["1", "good"],
        ["2", "4"],
      ]),
      file("LaMP_3", [
        ["1", "5"],
        ["2", "4"],
      ]),
    );
    expect(result).toEqual({ scores: { MAE: 2, RMSE: Math.sqrt(8) }, count: 2, unparsed: 1, unscored: 0 });
  });
});

it("lamp knows LaMP_2 as movies, oppu knows LaMP_2M and LaMP_2N; the other name is ROUGE there", () => {
  const keys = (evaluator: string, task: string) => {
    const answers = file(task, [["1", "comedy"]]);
    return Object.keys(score(evaluator, task, answers, answers).scores);
  };
  expect(keys("lamp", "LaMP_2")).toEqual(["accuracy", "f1"]);
  expect(keys("oppu", "LaMP_2")).toEqual(["rouge-1", "rouge-L"]);
  expect(keys("lamp", "LaMP_2M")).toEqual(["rouge-1", "rouge-L"]);
  expect(keys("oppu", "LaMP_2M")).toEqual(["accuracy", "f1"]);
});

it("a bootstrap seed replaces the mean of ROUGE by the official median, in the order of the golds", () => {
  const outputs = ["a b", "c", "a c", "b"].map((output, i) => [String(i), output] as const);
  const golds = outputs.map(([id]) => [id, "a b c"] as const);
  const { scores } = score("strict", "lamp4", file("LaMP_4", outputs.toReversed()), file("LaMP_4", golds), 5);
  expect(scores).toEqual(
    officialRouge(
      outputs.map(([, prediction]) => ({ prediction, gold: "a b c" })),
      5,
    ),
  );
});

describe("strict", () => {
  const golds = file("LaMP_3", [
    ["010", "5"],
    ["011", "1"],
  ]);
  const refuses = (predictions: unknown, other: unknown = golds, task = "lamp3") => {
    try {
      score("strict", task, predictions, other);
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      const { message } = error as UsageError;
      expect(message).not.toContain("\n");
      return message;
    }
    throw new Error("not refused");
  };

  it("accepts aliases in all three places", () => {
    const predictions = file("lamp-3", [
      ["011", "1"],
      ["010", 4],
    ]);
    expect(score("strict", "LaMP-3", predictions, golds)).toMatchObject({ scores: { MAE: 0.5 }, count: 2 });
  });

  it("accepts news files of 2023, which call the task LaMP_2, and refuses to score them as movies", () => {
    const news = file("LaMP_2", [["112", "politics"]]);
    expect(score("strict", "lamp2n", news, news).scores).toEqual({ accuracy: 1, f1: 1 / 15 });
    expect(refuses(news, news, "LaMP_2")).toContain("these are labels of --task lamp2n");
    const movies = file("LaMP_2", [["112", "comedy"]]);
    expect(refuses(movies, movies, "lamp2n")).toContain("these are labels of --task lamp2m");
  });

  it("leaves null golds out and counts them", () => {
    const withNull = file("LaMP_3", [
      ["010", "5"],
      ["011", null],
    ]);
    expect(score("strict", "lamp3", file("LaMP_3", [["010", "5"]]), withNull)).toEqual({
      scores: { MAE: 0, RMSE: 0 },
      count: 1,
      unparsed: 0,
      unscored: 1,
    });
    expect(
      refuses(
        golds,
        file("LaMP_3", [
          ["010", null],
          ["011", null],
        ]),
      ),
    ).toContain("every gold is null");
  });

  it("refuses duplicate ids by place", () => {
    expect(
      refuses(
        file("LaMP_3", [
          ["010", "5"],
          ["011", "1"],
          ["010", "4"],
        ]),
      ),
    ).toContain('p.json: id "010" stands twice (golds[0] and golds[2])');
  });

  it("refuses other ids, says how many, and sees ids written as numbers", () => {
    expect(refuses(file("LaMP_3", [["010", "5"]]))).toContain('1 of 2 golds have no prediction, first "011"');
    expect(
      refuses(
        file("LaMP_3", [
          ["010", "5"],
          ["011", "1"],
          ["012", "1"],
        ]),
      ),
    ).toContain('not in g.json, first "012"');
    const numbers = file("LaMP_3", [[10, "5"]]);
    expect(refuses(numbers, file("LaMP_3", [["10", "5"]]))).toContain('write "10", not 10');
  });

  it("names the id and the value on which the script would crash", () => {
    expect(
      refuses(
        file("LaMP_3", [
          ["010", "5"],
          ["011", "nan"],
        ]),
      ),
    ).toMatch(/id "011": rating "nan" is not a finite/);
    expect(
      refuses(
        golds,
        file("LaMP_3", [
          ["010", "5"],
          ["011", "one"],
        ]),
      ),
    ).toMatch(/id "011": gold "one" is not a number/);
    expect(
      refuses(
        file("LaMP_3", [
          ["010", "5"],
          ["011", null],
        ]),
      ),
    ).toContain('id "011": "output" is missing or null');
    const headline = file("LaMP_4", [["1", "a"]]);
    expect(refuses(file("LaMP_4", [["1", 5]]), headline, "lamp4")).toContain('id "1": "output" is 5');
  });

  it("refuses files of another task and other shapes", () => {
    expect(
      refuses(
        file("LaMP_4", [
          ["010", "5"],
          ["011", "1"],
        ]),
      ),
    ).toContain('p.json: its task is "LaMP_4" (lamp4)');
    expect(
      refuses(
        file("LaMP_9", [
          ["010", "5"],
          ["011", "1"],
        ]),
      ),
    ).toContain('unknown task "LaMP_9"');
    expect(refuses([])).toContain("found a list");
    expect(refuses({ golds: [] })).toContain('no "task"');
    expect(refuses({ task: "LaMP_3" })).toContain('"golds" is missing');
    expect(refuses(file("LaMP_3", []))).toContain("empty");
    expect(refuses({ task: "LaMP_3", golds: ["5"] })).toContain("golds[0]");
    expect(refuses(file("LaMP_3", [[["010"], "5"]]))).toContain('"id" is a list');
  });
});
