import { describe, expect, it } from "vitest";
import { UsageError } from "../../../src/errors.js";
import type { ScoredTask } from "../../../src/metrics/evaluators/index.js";
import { evaluators } from "../../../src/metrics/evaluators/index.js";
import { MOVIE_LABELS, NEWS_LABELS } from "../../../src/metrics/official-labels.js";
import { file, score } from "./scored-files.js";

/** A file of ratings, each "ID RATING". */
const ratings = (...lines: readonly string[]) =>
  file(
    "LaMP_3",
    lines.map((line) => line.split(" ") as [string, string]),
  );

describe("strict", () => {
  const golds = ratings("010 5", "011 1");
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

  it("suggests a task only where all golds are its labels, and one of labels, never of ratings", () => {
    const news = file("LaMP_2", [
      ["1", NEWS_LABELS[0]],
      ["2", "drama of kings"],
    ]);
    expect(refuses(news, news, "lamp2m")).toContain(`its labels: ${MOVIE_LABELS[0]}`);
    const first = file("LaMP_2", [["1", NEWS_LABELS[0]]]);
    expect(refuses(first, first, "lamp2m")).toContain("these are labels of --task lamp2n");
    const stars = file("LaMP_1", [["1", "5"]]);
    expect(refuses(stars, stars, "lamp1")).toContain("its labels: [1], [2]");
  });

  it("takes a name without the variant's letter for labels only: they alone show which task is meant", () => {
    const citations = file("LaMP_1", [["1", "comedy"]]);
    expect(refuses(citations, citations, "lamp2m")).toContain('its task is "LaMP_1" (lamp1), but --task says lamp2m');
    const own: ScoredTask = { name: "own", official: "OWN_1B", kind: "text", labels: [] };
    const resolve = (name: string) => (name === "OWN_1" ? { ...own, name: "another" } : own);
    const answers = { name: "p.json", json: file("OWN_1", [["1", "a"]]) };
    const request = { taskName: "own", predictions: answers, golds: answers, resolve, tasks: [own] };
    expect(() => evaluators.get("strict").score(request)).toThrow("(another)");
  });

  it("leaves null golds out and counts them", () => {
    const withNull = file("LaMP_3", [
      ["010", "5"],
      ["011", null],
    ]);
    expect(score("strict", "lamp3", ratings("010 5"), withNull)).toEqual({
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

  it("refuses other ids, says how many, and sees ids written as numbers", () => {
    expect(refuses(ratings("010 5"))).toContain('1 of 2 golds has no prediction, first "011"');
    expect(refuses(ratings("010 5", "011 1", "012 1"))).toContain('not in g.json, first "012"');
    const numbers = file("LaMP_3", [[10, "5"]]);
    expect(refuses(numbers, ratings("10 5"))).toContain('write "10", not 10');
    const mixed = file("LaMP_3", [
      [10, "5"],
      ["x", "5"],
    ]);
    expect(refuses(mixed, ratings("10 5"))).toContain('write "10", not 10');
  });

  it("names the id and the value on which the script would crash", () => {
    expect(refuses(ratings("010 5", "011 nan"))).toMatch(/id "011": rating "nan" is not a finite/);
    expect(refuses(golds, ratings("010 5", "011 one"))).toMatch(/id "011": gold "one" is not a number/);
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
    expect(refuses(file("LaMP_3", [[["010"], "5"]]))).toContain('"id" is a list');
  });

  it.each([
    [null, "null"],
    ["LaMP_3", '"LaMP_3"'],
    [[], "a list"],
    [3, "3"],
  ])("says what it found in place of an object: %j", (json, found) => {
    expect(refuses(json)).toContain(`"output": "..."}]}, found ${found}`);
    expect(refuses({ task: "LaMP_3", golds: [json] })).toContain(`golds[0]: expected {"id", "output"}, found ${found}`);
  });
});

describe.each(["strict", "lamp", "oppu"])("%s tells how many predictions are empty texts", (evaluator) => {
  const answers = (task: string, ...outputs: string[]) =>
    file(
      task,
      outputs.map((output, id) => [`${id}`, output]),
    );

  it("of texts, blanks alone among them, and says nothing where none is", () => {
    const golds = answers("LaMP_4", "a", "b", "c");
    expect(score(evaluator, "LaMP_4", answers("LaMP_4", "", "b", " \n"), golds)).toMatchObject({
      empty: 2,
      unparsed: 0,
    });
    expect(score(evaluator, "LaMP_4", golds, golds)).not.toHaveProperty("empty");
  });

  it("and not of labels or ratings, where they are unreadable", () => {
    const result = score(evaluator, "LaMP_3", answers("LaMP_3", ""), answers("LaMP_3", "5"));
    expect(result.unparsed).toBe(1);
    expect(result).not.toHaveProperty("empty");
  });
});
