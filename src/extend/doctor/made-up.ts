import { join } from "node:path";
import { writeWhole } from "../../disk/whole-file.js";
import type { RawItem, Task } from "../../types/index.js";

/** Days of a user's history; the user is asked between the third and the fourth. */
const DAYS = [1, 3, 5, 8, 9];
const ASKED = 6;

/**
 * Writes made-up data of a task, in its own fields: users with a question each and history before and after it, and training users.
 * `exchanged`: all that a question must not know, its gold and what is dated later, is another text; all else is the same.
 */
export function writeTestData(folder: string, task: Task, exchanged: boolean): string {
  const maker = makerOf(task);
  const user = (id: string, asks: boolean): object => ({
    user_id: id,
    profile: DAYS.map((day) => maker.item(`${id} ${day}`, day, exchanged && day > ASKED)),
    query: asks ? [maker.question(`${id} asked`, exchanged)] : [],
  });
  const [asked, training] = [
    ["ann", "ben", "cem"].map((id) => user(id, true)),
    ["dee", "eva"].map((id) => user(id, false)),
  ];
  writeWhole(join(folder, "users.json"), JSON.stringify(asked));
  writeWhole(join(folder, "user_others.json"), JSON.stringify(training));
  return folder;
}

/** Makes items of a task. Which of its fields bear the label is found by trying. */
function makerOf(task: Task) {
  const [one = "one", two = "two"] = task.labels;
  const plain = Object.fromEntries(task.requiredFields.map((field) => [field, one]));
  const labelOf = (changes: Readonly<Record<string, string>>) =>
    task.event({ id: "probe", ...plain, ...changes }).label;
  const bearing = new Set(task.requiredFields.filter((field) => labelOf({ [field]: two }) !== labelOf({})));
  const label = (key: string, exchanged: boolean): string =>
    task.labels.length === 0
      ? text(`${key} label`, exchanged)
      : task.labels[(key.length + (exchanged ? 1 : 0)) % task.labels.length]!;
  const item = (key: string, day: number, exchanged: boolean, exchangesLabel = exchanged): RawItem => ({
    ...Object.fromEntries(
      task.requiredFields.map((field) => [
        field,
        bearing.has(field) ? label(`${key} ${field}`, exchangesLabel) : text(`${key} ${field}`, exchanged),
      ]),
    ),
    id: key.replaceAll(" ", "-"),
    date: `2020-01-0${day}`,
  });
  return {
    item,
    /** The text of a question stays what it is: its gold alone is another. */
    question(key: string, exchanged: boolean) {
      const event = task.event(item(key, ASKED, false, exchanged));
      const input = task.pose(event)?.text ?? text(key, false);
      return { id: event.id, input, gold: event.label ?? label(key, exchanged), date: event.date ?? "" };
    },
  };
}

/** A sentence with a word that no other has. */
const text = (key: string, exchanged: boolean): string =>
  `a story of the harbour ${exchanged ? "Zeta" : "Alpha"}${key.replaceAll(" ", "")}`;
