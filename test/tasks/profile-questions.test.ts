import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tasks } from "../../src/tasks/index.js";

const task = tasks.get("profile-questions");
const file = (name: string) =>
  JSON.parse(
    readFileSync(fileURLToPath(new URL(`../../datasets/demo/profile-questions/${name}`, import.meta.url)), "utf8"),
  );

test("an attribute is an event without a label, shown as it is known; nothing known is the plain question", () => {
  const event = task.event({ id: "a", attribute: "pets", value: "a cat" });
  expect([event.label, task.formatEvent(event), task.pose(event)]).toEqual([undefined, "pets: a cat", undefined]);
  const question = task.question({ id: "q", input: "What now?" });
  expect([task.nameForSelection!(event), question.text, question.query]).toEqual(["pets", "What now?", "What now?"]);
  const settings = { maxTokens: 0 };
  expect(task.styles.lamp!.assemble(question, [], settings)).toBe(question.text);
  expect(task.styles.lamp!.assemble(question, [event], settings)).toContain("pets: a cat\n");
});

test("the own sample has 33 questions that gain and 33 others for each of 5 profiles, six in the kind of WildChat, and labels that name attributes of the profile", () => {
  const users = file("users.json") as { profile: { id: string }[]; query: { id: string; gold?: string }[] }[];
  const labels = file("people.json") as Record<string, { personal: boolean; items: string[]; dataset: string }>;
  expect(users).toHaveLength(5);
  for (const { profile, query } of users) {
    const known = new Set(profile.map(({ id }) => id));
    expect(query.map(({ id }) => labels[id]!.personal).filter(Boolean)).toHaveLength(33);
    expect(query.filter(({ id }) => labels[id]!.dataset.startsWith("WildChat"))).toHaveLength(6);
    expect(query.filter(({ gold }) => gold !== undefined)).toHaveLength(30);
    for (const { id } of query)
      for (const item of labels[id]!.items) expect(known.has(item), `${id} ${item}`).toBe(true);
  }
});
