import { expect, test } from "vitest";
import { mergedByUser } from "../../src/data/units.js";
import { tasks } from "../../src/tasks/index.js";
import { eventOfAnswer } from "../../src/tasks/prequential.js";
import type { Event, Unit } from "../../src/types/index.js";

const event = (id: string): Event => ({ id, fields: { id, text: id }, content: id, document: id, label: "comedy" });
const example = (id: string, date: string) => ({
  question: { id, text: id, content: id, query: id, date },
  gold: "comedy",
});

test("a stream starts from what every question may see and follows time", () => {
  const units: Unit[] = [
    {
      id: "u",
      user: { id: "u", history: [event("a"), event("b")] },
      examples: [example("q3", "2020-03-01"), example("q1", "2020-01-01")],
    },
    { id: "u#2", user: { id: "u", history: [event("b"), event("c")] }, examples: [example("q2", "2020-02-01")] },
  ];
  const [stream, ...more] = mergedByUser(units);
  expect(more).toEqual([]);
  expect(stream?.user.history.map(({ id }) => id)).toEqual(["b"]);
  expect(stream?.examples.map(({ question }) => question.id)).toEqual(["q1", "q2", "q3"]);
});

// LaMP-7's items are texts without a source, and profile-questions has attributes of a person: neither can be posed.
const posable = tasks.all.filter(
  ({ name, requiredFields: fields }) => fields.length > 1 && name !== "profile-questions",
);

test.each(posable.map((task) => [task.name, task] as const))(
  "an answered question of %s can be shown and posed again",
  (_, task) => {
    const content = "A title";
    const text =
      task.parseCitation === undefined
        ? content
        : 'For an author who has written the paper with the title "A title", which reference is related? Just answer with [1] or [2] without explanation. [1]: "B" [2]: "C"';
    const asked = task.question({ id: "q", input: text });
    const gold = task.labels[0] ?? "An answer";
    const past = eventOfAnswer(task, asked, gold);
    expect(past.label).toBe(gold);
    if (task.labels.length > 0) expect(task.formatEvent(past)).toContain(gold);
    expect(task.pose(past, asked)?.content).toBe(asked.content);
  },
);
