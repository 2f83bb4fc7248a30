import { describe, expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";

describe("the task registry", () => {
  test.each([
    ["lamp2m", "lamp2m"],
    ["LaMP-2M", "lamp2m"],
    ["LaMP_2M", "lamp2m"],
    ["lamp_2m", "lamp2m"],
    ["LaMP_2", "lamp2m"],
    ["LaMP_8", "lamp2m"],
    ["movie_tagging", "lamp2m"],
    ["LaMP-2N", "lamp2n"],
    ["LaMP-2-old", "lamp2n"],
    ["LaMP_1", "lamp1"],
    ["lamp-3", "lamp3"],
    ["news_headline", "lamp4"],
    ["LaMP_5", "lamp5"],
    ["LaMP-7", "lamp7"],
  ])("reads %s as %s", (typed, name) => {
    expect(tasks.get(typed).name).toBe(name);
  });

  test.each(tasks.all.map((task) => [task.name, task] as const))("%s has what every task needs", (_name, task) => {
    expect(Object.keys(task.styles)).toEqual(task.official.startsWith("LaMP_") ? ["lamp", "oppu"] : ["lamp"]);
    const least = { "lamp-qa": 0 }[task.name] ?? (task.official.startsWith("LaMP_") ? 2 : 1); // judges score it
    expect(task.metrics.length).toBeGreaterThanOrEqual(least);
    expect(task.labels.length === 0).toBe(task.kind === "text");
    expect(task.summary.instruction.length).toBeGreaterThan(40);
    expect(task.source).not.toBe("");
    expect(task.requiredFields.length).toBeGreaterThan(0);
  });

  test("scores labels by accuracy first, then macro F1, precision and recall", () => {
    expect(tasks.get("lamp2n").metrics.map(({ name }) => name)).toEqual(["accuracy", "f1", "precision", "recall"]);
    expect(tasks.get("lamp3").metrics.map(({ name }) => name)).toEqual(["mae", "rmse"]);
    expect(tasks.get("lamp4").metrics.map(({ name }) => name)).toEqual(["rouge-1", "rouge-l"]);
  });
});
