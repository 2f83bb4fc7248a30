import { describe, expect, test } from "vitest";
import { tasks } from "../../../src/tasks/index.js";
import { eventsOf, movieQuestion, replyTo } from "./requests.js";

const movies = eventsOf(tasks.get("lamp2m"), [
  { description: "A ferry waits for the tide.", tag: "psychology" },
  { description: "A ferry misses the tide.", tag: "psychology" },
  { description: "A baker burns the rye.", tag: "comedy" },
]);

describe("summaries", () => {
  test.each(["lamp2m", "lamp2n", "lamp3"])("the form that %s asks for is kept, and holds what is computed", (name) => {
    const task = tasks.get(name);
    const items: Record<string, Record<string, string>[]> = {
      lamp2m: [
        { description: "A ferry waits.", tag: "comedy" },
        { description: "A tide comes.", tag: "dark comedy" },
        { description: "A tide goes.", tag: "dark comedy" },
      ],
      lamp2n: [
        { text: "Soup is on.", title: "x", category: "food & drink" },
        { text: "Soup is off.", title: "y", category: "food & drink" },
      ],
      lamp3: [
        { text: "Fine work.", score: "5" },
        { text: "It broke down.", score: "2" },
        { text: "Very fine.", score: "5" },
      ],
    };
    const events = eventsOf(task, items[name] ?? []);
    const history = `${task.summary.instruction} User History:\n${events.map(task.show).join("\n")}\nAnswer:`;
    expect(replyTo(history).text).toBe(task.summary.exact?.(events));
    const oppu = task.styles.oppu?.profile?.(events, 200);
    expect(oppu).toBeDefined();
    expect(replyTo(oppu ?? "").text).toContain(task.summary.exact?.(events));
  });

  test("a free summary states counts and typical words that the model itself can use", () => {
    const history = movies.map(tasks.get("lamp2m").show).join("\n");
    const summary = replyTo(`${history}\n\nDescribe this user's preferences. Write only the description.`).text;
    expect(summary).toContain("psychology 2");
    expect(summary).toMatch(/typical words of "psychology": .*ferry/);
    expect(replyTo(movieQuestion("The ferry and the tide."), { system: summary }).text).toBe("psychology");
  });

  test("titles are summarized by their shape", () => {
    const task = tasks.get("lamp4");
    const events = eventsOf(task, [
      { text: "It opens on Friday.", title: "Bridge Opens At Last On Friday" },
      { text: "It closes on Monday.", title: "Bridge Closes At Last On Monday" },
    ]);
    const { text } = replyTo(`${task.summary.instruction} User History:\n${events.map(task.show).join("\n")}\nAnswer:`);
    expect(text).toMatch(/about 6 words, most words capitalized/);
  });

  test("an empty history is said to be empty", () => {
    expect(replyTo("Describe this user's preferences.").text).not.toBe("");
  });
});

test("a summary of summaries repeats the user's words, not the frames around them", () => {
  const empty = replyTo(
    "At 2019, the user showed: Nothing is known of this user yet.\n\nAbove are descriptions of the user's preferences.",
  );
  expect(empty.text).toBe("Nothing is known of this user yet.");
  const material = ["2019", "2020"].map((year) => `At ${year}, the events were: Main interests: ferries, tides.`);
  const { text } = replyTo(`${material.join("\n\n")}\n\nAbove are summaries of the user's past, oldest first.`);
  expect(text).toBe("Main interests: ferries, tides.");
  const titles = "2009 | paper title: Drawing Graphs\n\nAbove is what the user did (2009), one event per line.";
  expect(replyTo(titles).text).toBe("Main interests: drawing, graphs.");
});

describe("alignment", () => {
  const judged = (response: string): string =>
    [
      "You are a meticulous critic of personalized agents. Give feedback on the system prompt.",
      `Question: ${movieQuestion("A ferry {waits} for the tide.")}`,
      "Expected Answer: psychology",
      `Agent Response: ${response}`,
      "",
      "Be concise.",
    ].join("\n");

  test("a critique names the user's answer and the words that go with it, not the list of options", () => {
    const { text } = replyTo(judged("comedy"));
    expect(text).toMatch(/When the text mentions .*ferry.* the user would answer "psychology"\./);
    expect(text).not.toContain("dystopia");
    expect(replyTo(judged("psychology")).text).toMatch(/keep/);
  });

  test("a rewrite keeps the persona and merges the feedback, so that later answers change", () => {
    const persona = "You are a helpful personalized assistant.\nUser summary: likes {braces} and `ticks`.";
    const ask = (current: string): string =>
      `Improve the persona.\nCurrent system prompt:\n${current}\n\nFeedback:\n1. ${replyTo(judged("comedy")).text}\n\nWrite the updated system prompt.`;
    const revised = replyTo(ask(persona)).text;
    expect(revised.startsWith(persona)).toBe(true);
    expect(revised).toContain('would answer "psychology"');
    expect(replyTo(ask(revised)).text).toBe(revised);
    expect(replyTo(movieQuestion("A ferry waits for the tide."), { system: revised }).text).toBe("psychology");
  });
});
