import { seeded } from "../random/seeded.js";
import { choice } from "../registry/options.js";
import type { Event, Kit, Method, OptionTable, OthersPool, PoolEvent, Task, Unit, User } from "../types/index.js";

/** What a method is given for the user's history. */
export const controls = ["right", "other-user", "shuffled", "deranged", "none", "reversed"] as const;

export type Control = (typeof controls)[number];

/** Part of an arm only where it is given: arms of runs without controls keep their names. */
export const controlOptions = {
  "history.control": choice({
    default: "right",
    of: controls,
    help: "the history that methods get: the user's own; another user's of like length; own texts with own labels dealt out anew; with every label replaced by another; none; in reversed order (lamp-eval sweep controls)",
  }),
} as const;

/** What a task's data must show of themselves. */
interface ControlledData {
  readonly task: Task;
  readonly units: Iterable<Unit>;
  readonly others: Pick<OthersPool, "isEmpty">;
}

/** Returns why a control means nothing on these data; undefined where it means something. */
export function undefinedControl(control: Control, { task, units, others }: ControlledData): string | undefined {
  if (control === "other-user") return others.isEmpty ? "there is no other user" : undefined;
  if (control !== "shuffled" && control !== "deranged") return undefined;
  if (control === "deranged" && task.labels.length < 2) return "the answers are no closed list";
  for (const { user } of units)
    for (const event of user.history)
      if (event.label !== undefined) return event.label === event.content ? "the label is the text itself" : undefined;
  return "no history item has a label";
}

/**
 * Returns the method over another history. Questions and golds stay, and so does what `--online` learns, except where the history is to
 * be empty. `seed` is that of the run: all its methods and repeats get the same history.
 */
export function controlled<T extends OptionTable>(
  method: Method<T>,
  control: Control,
  { task, seed }: { readonly task: Task; readonly seed: number },
): Method<T> {
  if (control === "right") return method;
  return {
    ...method,
    async personalize(user, options, kit) {
      const history = histories[control](user, { task, kit, seed: `history.control/${seed}/${task.name}/${user.id}` });
      const answerer = await method.personalize({ ...user, history }, options, kit);
      return control === "none" ? (question, handed) => answerer(question, handed) : answerer; // drops `learn`: the history stays empty
    },
    ...(control === "other-user" ? { usesOthers: () => true } : {}),
  };
}

interface Sources {
  readonly task: Task;
  readonly kit: Kit;
  readonly seed: string;
}

const histories: Readonly<Record<Exclude<Control, "right">, (user: User, sources: Sources) => readonly Event[]>> = {
  none: () => [],
  reversed: ({ history }) => history.map((event, index) => dated(history[history.length - 1 - index]!, event.date)),
  shuffled: ({ history }, { task, seed }) => {
    const dealt = seeded(seed).sample(history, history.length);
    return history.map((event, index) => labelled(event, dealt[index]?.label, task));
  },
  deranged: ({ history }, { task, seed }) => {
    const others = derangement(task.labels, seed);
    return history.map((event) => labelled(event, others.get(event.label ?? ""), task));
  },
  "other-user": ({ id, history }, { kit, seed }) => {
    const last = history.at(-1)?.date;
    const other = nearestInLength(kit.others.eventsFor(id, last), history.length, seed);
    if (other.length < history.length) kit.count("control-shorter-history");
    return other.slice(Math.max(0, other.length - history.length));
  },
};

/** Returns another user's history of the wanted length, else the shortest longer one, else the longest shorter one; of several one at random. */
function nearestInLength(events: readonly PoolEvent[], wanted: number, seed: string): readonly Event[] {
  const byOwner = new Map<string, Event[]>();
  for (const { owner, event } of events) {
    const ofOwner = byOwner.get(owner) ?? [];
    byOwner.set(owner, ofOwner);
    ofOwner.push(event);
  }
  const all = [...byOwner.values()];
  const distance = ({ length }: Event[]): number => (length >= wanted ? length - wanted : 1e9 + wanted - length); // longer ones first
  const least = Math.min(...all.map(distance));
  const nearest = all.filter((history) => distance(history) === least);
  return seeded(seed).sample(nearest, 1)[0] ?? [];
}

/** Each label's other one: a seeded permutation without a fixed label. */
function derangement(labels: readonly string[], seed: string): ReadonlyMap<string, string> {
  const random = seeded(seed);
  for (;;) {
    const drawn = random.sample(labels, labels.length);
    if (drawn.every((label, index) => label !== labels[index]))
      return new Map(labels.map((label, index) => [label, drawn[index]!]));
  }
}

/** The event with another label, in its fields and its retrieval document too where it stands there. */
function labelled(event: Event, label: string | undefined, task: Task): Event {
  if (label === undefined || event.label === undefined || label === event.label) return event;
  const fields = Object.fromEntries(
    Object.entries(event.fields).map(([name, value]) => [name, name !== "id" && value === event.label ? label : value]),
  );
  const made = task.event({ ...fields, id: event.id });
  return made.label === label && made.content === event.content ? made : { ...event, label };
}

function dated(event: Event, date: string | undefined): Event {
  const { date: _own, ...rest } = event;
  const { date: _field, ...fields } = event.fields;
  return date === undefined
    ? { ...rest, fields: { ...fields, id: event.id } }
    : { ...rest, date, fields: { ...fields, id: event.id, date } };
}
