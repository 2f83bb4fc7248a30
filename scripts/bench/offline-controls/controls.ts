import { seeded } from "../../../src/random/seeded.js";
import type { Event, Task, Unit } from "../../../src/types.js";

/** Changes what stands in every user's history; questions and golds stay. */
export type Control = (units: readonly Unit[], task: Task) => Unit[];

export const untouched: Control = (units) => [...units];

/** (a) Every label replaced through one seeded derangement of the label set per user: equally regular, always wrong. */
export const deranged: Control = (units, task) =>
  units.map((unit) => {
    const shuffled = derangement(task.labels, unit.id);
    const other = new Map(task.labels.map((label, i) => [label, shuffled[i] ?? label]));
    return withHistory(
      unit,
      unit.user.history.map((event) => labelled(event, other.get(event.label ?? ""))),
    );
  });

/** (b) The next user's history in place of the own one. */
export const exchanged: Control = (units) =>
  units.map((unit, i) => withHistory(unit, units[(i + 1) % units.length]?.user.history ?? []));

/** (c) The user's own labels dealt out anew among the events. */
export const shuffled: Control = (units) =>
  units.map((unit) => {
    const { history } = unit.user;
    const dealt = seeded(`shuffled/${unit.id}`).sample(history, history.length);
    return withHistory(
      unit,
      history.map((event, i) => labelled(event, dealt[i]?.label)),
    );
  });

function derangement(labels: readonly string[], seed: string): string[] {
  const random = seeded(`deranged/${seed}`);
  for (;;) {
    const drawn = random.sample(labels, labels.length);
    if (drawn.every((label, i) => label !== labels[i])) return drawn;
  }
}

const labelled = (event: Event, label: string | undefined): Event =>
  label === undefined ? event : { ...event, label };

const withHistory = (unit: Unit, history: readonly Event[]): Unit => ({ ...unit, user: { ...unit.user, history } });
