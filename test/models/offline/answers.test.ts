import { describe, expect, test } from "vitest";
import { tasks } from "../../../src/tasks/index.js";
import { eventsOf, movieQuestion, replyTo } from "./requests.js";

const noBudget = { maxTokens: 0 };

describe("movie tags", () => {
  test.each([
    ["A spaceship crew finds alien machines on a dead planet.", "sci-fi"],
    ["A wizard and a dragon guard the enchanted kingdom.", "fantasy"],
    ["Two lovers meet again at a wedding and fall in love.", "romance"],
    ["A totalitarian regime rules the survivors after the apocalypse.", "dystopia"],
  ])("general words speak where nothing is shown: %s", (plot, tag) => {
    expect(replyTo(movieQuestion(plot)).text).toBe(tag);
  });

  test("shown examples outvote general words", () => {
    const plot = "A spaceship crew finds alien machines.";
    const shown = `the tag for the movie: "A spaceship crew loses alien machines" is "classic" , and the tag for the movie: "Alien machines and a crew" is "classic" . `;
    expect(replyTo(shown + movieQuestion(plot)).text).toBe("classic");
  });

  test("dark comedy is not comedy", () => {
    const shown = `the tag for the movie: "Clerks and a vault" is "dark comedy" . `;
    expect(replyTo(shown + movieQuestion("Clerks open a vault.")).text).toBe("dark comedy");
  });

  test("a stated profile decides where nothing else speaks", () => {
    expect(replyTo(`most popular tag: true story\n${movieQuestion("Zzz.")}`).text).toBe("true story");
    expect(replyTo(`tag counts over 9 movies: violence 7, comedy 2\n${movieQuestion("Zzz.")}`).text).toBe("violence");
  });

  test("a persona's rules in the system prompt count", () => {
    const system = 'You help one user.\nWhen the text mentions tide, ferry the user would answer "psychology".';
    expect(replyTo(movieQuestion("A ferry waits for the tide."), { system }).text).toBe("psychology");
  });
});

describe("ratings", () => {
  const question = (review: string): string =>
    `What is the score of the following review on a scale of 1 to 5? just answer with 1, 2, 3, 4, or 5 without further explanation. review: ${review}`;

  test("praise and blame are told apart without any history", () => {
    expect(Number(replyTo(question("Wonderful, amazing, I loved it, perfect.")).text)).toBeGreaterThanOrEqual(4);
    expect(Number(replyTo(question("Terrible waste, broken, awful, worst ever.")).text)).toBeLessThanOrEqual(2);
    expect(Number(replyTo(question("Not good and not useful.")).text)).toBeLessThanOrEqual(3);
  });

  test("a severe user's own scale is followed", () => {
    const severe = `3 is the score for "Wonderful, amazing" , and 3 is the score for "I loved it, perfect" . `;
    expect(replyTo(severe + question("Wonderful and perfect.")).text).toBe("3");
  });

  test("the common negative score speaks to negative reviews only", () => {
    const profile = "most common positive score: 5, most common negative score: 2\n";
    expect(replyTo(profile + question("Terrible, awful, broken.")).text).toBe("2");
    expect(replyTo(profile + question("Wonderful, loved it.")).text).toBe("5");
  });
});

describe("references", () => {
  const question = (first: string, second: string): string =>
    `For an author who has written the paper with the title "Tides in shallow harbors", which reference is related? Just answer with [1] or [2] without explanation. [1]: "${first}" [2]: "${second}"`;

  test("the paper closer to the author's title is chosen, on either side", () => {
    expect(replyTo(question("A model of harbors and tides", "Auctions with budgets")).text).toBe("[1]");
    expect(replyTo(question("Auctions with budgets", "A model of harbors and tides")).text).toBe("[2]");
  });

  test("inserted titles of the author decide where the title says nothing", () => {
    const task = tasks.get("lamp1");
    const input = question("Auctions with budgets", "Sparse codes");
    const events = eventsOf(task, [{ title: "Budgets in auctions", abstract: "x" }]);
    const prompt = task.styles.lamp?.assemble(task.question({ id: "q", input }), events, noBudget) ?? "";
    expect(replyTo(prompt).text).toBe("[1]");
  });
});

describe("titles", () => {
  const abstract =
    "Ferries are late. In this paper we study tidal delays of night ferries in shallow harbors and what causes them, over many years and ports.";
  const question = `Generate a title for the following abstract of a paper: ${abstract}`;

  test("a title is cut out of the text", () => {
    const { text } = replyTo(question);
    expect(text.length).toBeGreaterThan(10);
    expect(abstract.toLowerCase()).toContain(text.toLowerCase());
  });

  test("shown titles give length and case", () => {
    const shown = `"Late Ferries, Again Today" is a title for "Ferries are late." , and "Tides And Night Ports" is a title for "Ports at night." . Following the given patterns `;
    const { text } = replyTo(shown + question);
    expect(text.split(" ").length).toBeLessThanOrEqual(5);
    expect(text.split(" ").every((word) => /^[^a-z]/.test(word))).toBe(true);
  });
});
