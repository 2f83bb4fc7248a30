import { describe, expect, test } from "vitest";
import { eventsVisibleAt } from "../../src/methods/persona-agent/simulate.js";
import { event } from "./event-case.js";

const history = [
  event("a", "2020-01-01", "A heist goes wrong."),
  event("b", "2020-01-02", "a HEIST  goes wrong."),
  event("c", "2020-01-02", "Two robots fall in love."),
  event("d", "2020-01-02", "A quiet village."),
  event("e", "2020-01-03", "Two robots fall in love."),
];
const visible = (id: string, cutoff: Parameters<typeof eventsVisibleAt>[2]) =>
  eventsVisibleAt(history, history.find((candidate) => candidate.id === id)!, cutoff)
    .map((seen) => seen.id)
    .join("");

describe("what may be remembered while an event is simulated", () => {
  test("before-event: only what came before, in the history's own order", () => {
    expect(visible("d", "before-event")).toBe("abc");
    expect(visible("a", "before-event")).toBe("");
  });

  test("exclude-self: everything else", () => expect(visible("d", "exclude-self")).toBe("abce"));

  test("events of the same content are never remembered", () => {
    expect(visible("b", "before-event")).toBe("");
    expect(visible("c", "exclude-self")).toBe("abd");
    expect(visible("e", "before-event")).toBe("abd");
  });

  test("none leaves the event in its own memory (the leak that the guard is for)", () => {
    expect(visible("c", "none")).toBe("abcde");
  });
});
