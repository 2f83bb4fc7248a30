import { expect, test } from "vitest";
import { dayOfCommands, fillProfile } from "../../../src/models/providers/offline/summarize.js";

const day = (lines: string): string | undefined =>
  dayOfCommands(`${lines}\n\nAbove is what the user did (2024-01-03), one event per line. Say what it shows.`);

test("a day of commands and feedback shows what was asked for and what was turned down; other days are read as before", () => {
  expect(day("2024-01-03 | command: play jazz\n2024-01-03 | feedback: not folk, please")).toBe(
    "Asks for: play jazz. Turns down: not folk, please.",
  );
  expect(day("feedback: too bright")).toBe("Turns down: too bright.");
  expect(day("2024-01-03 | command: play jazz\n2024-01-03 | movie: a heist | tag: action")).toBeUndefined();
  expect(dayOfCommands("2024-01-03 | command: play jazz")).toBeUndefined();
});

test("a profile of such days holds each of both once, in the fields for them; what is not known is said", () => {
  const material = [
    "At 2024-01-03, the user's preferences are: Asks for: play jazz; lock the door.",
    "At 2024-01-04, the user's preferences are: Asks for: play jazz. Turns down: not folk.",
  ].join("\n\n");
  const filled = fillProfile(
    `${material}\n\nAbove are the preferences. Reply with one JSON object and nothing else, with the fields "liked", "disliked", "habits". Write it.`,
  );
  expect(JSON.parse(filled ?? "")).toEqual({
    liked: ["play jazz", "lock the door"],
    disliked: ["not folk"],
    habits: "no information",
  });
});
