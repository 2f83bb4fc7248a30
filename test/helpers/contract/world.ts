import { seeded } from "../../../src/random/seeded.js";
import type { Dataset, RawItem, RawQuery, Task, UserData } from "../../../src/types/index.js";

/** The user whose questions are asked; all others are there to be looked at. */
export const ASKER = "asker";

/** Days on which the asker is asked, one question each. */
export const askedOn = [5, 9, 13] as const;

/** How a world differs from the first one. Nothing given: not at all. */
export interface Exchange {
  /** Everything dated later than this day, of everybody, is another thing under another id, and there is more of it. */
  readonly laterThan?: number;
  /** Indexes of the questions whose gold is another one; so is the label of every copy of the question. */
  readonly golds?: readonly number[];
  /** Past items of the asker, by id, whose label is another one. */
  readonly labels?: readonly string[];
}

/**
 * A made-up data set of any task, small, with everything in it that could leak: past items before, on and after the day of each
 * question; the question itself, its text under another id and in another user's past, all with the gold as their label;
 * another test user with questions of the same days; training users, the asker among them.
 */
export function worldOf(task: Task, exchange: Exchange = {}): Dataset {
  const make = makerOf(task);
  const last = exchange.laterThan ?? Number.POSITIVE_INFINITY;
  const isLater = (day: number): boolean => day > last;
  const past = (owner: string, days: readonly number[]): RawItem[] => {
    return [...days, ...(last < MORE ? [MORE] : [])].map((day, index) => {
      const key = `${owner}-past-${index}`;
      const label = day > last || exchange.labels?.includes(key) === true ? 1 : 0;
      return make.item(key, { day, text: day > last ? 1 : 0, label });
    });
  };
  const questions = askedOn.map((day, index): Asked => {
    const text = isLater(day) ? 1 : 0;
    const label = isLater(day) || exchange.golds?.includes(index) === true ? 1 : 0;
    return { key: `question-${index}`, version: { day, text, label } };
  });
  const queries = questions.map(({ key, version }) => make.question(key, version));
  const copyFor = (whose: string, { key, version }: Asked, date: string): RawItem[] =>
    make.posable ? [{ ...make.item(key, version), id: `${whose} copy of ${key}`, date }] : [];
  const copies = questions.flatMap((asked) => [
    make.item(asked.key, asked.version),
    ...copyFor("own", asked, dateOf(asked.version.day)),
  ]);
  const others: UserData[] = [
    { id: "trained-1", profile: past("trained-1", [2, 5, 8, 13, 14]), queries: [] },
    {
      id: "trained-2",
      profile: byDay([
        ...past("trained-2", [1, 6, 9, 12]),
        ...questions.flatMap((asked) => copyFor("other's", asked, dateOf(4))),
      ]),
      queries: [],
    },
    { id: ASKER, profile: byDay(past(ASKER, ASKER_DAYS)), queries: [] },
  ];
  return {
    name: "made-up",
    task: task.name,
    users: [
      { id: ASKER, profile: byDay([...past(ASKER, ASKER_DAYS), ...copies]), queries },
      {
        id: "second",
        profile: past("second", [2, 6, 9, 14]),
        queries: [9, 14].map((day) => second(day, make, last)),
      },
    ],
    others,
    files: [],
    ordered: true,
    facts: {},
  };
}

const ASKER_DAYS = [1, 3, 5, 7, 9, 11, 13, 15, 17];
/** Day of what there is more of in an exchanged world. */
const MORE = 20;

/** Which text and which label of a thing is meant; 0: the first. */
interface Version {
  readonly day: number;
  readonly text: number;
  readonly label: number;
}

interface Asked {
  readonly key: string;
  readonly version: Version;
}

interface Maker {
  /** Whether a past item can be a question: then a copy of the question has the gold as its label. */
  readonly posable: boolean;
  item(key: string, version: Version): RawItem;
  question(key: string, version: Version): RawQuery;
}

function second(day: number, make: Maker, lastDay: number): RawQuery {
  const version = day > lastDay ? 1 : 0;
  return make.question(`second-question-${day}`, { day, text: version, label: version });
}

/** What the data layer builds for items of a two-title task. */
const CHOICE_FIELDS = ["option1", "option2", "label"];

/** Makes items with the task's own fields. Which of them bear the label is found by trying. */
function makerOf(task: Task): Maker {
  const fields = [...task.requiredFields, ...(task.parseCitation === undefined ? [] : CHOICE_FIELDS)];
  const [one = "one", two = "two"] = task.labels;
  const plain = Object.fromEntries(fields.map((field) => [field, one]));
  const labelOf = (changes: Readonly<Record<string, string>>) =>
    task.event({ id: "probe", ...plain, ...changes }).label;
  const bearing = new Set(fields.filter((field) => labelOf({ [field]: two }) !== labelOf({})));

  const item = (key: string, { day, text, label }: Version): RawItem => {
    const values = fields.map((field) => [
      field,
      bearing.has(field) ? labelText(`${key} ${field}`, label, task) : words(`${key} ${field}`, text),
    ]);
    return { ...Object.fromEntries(values), id: idOf(key, text), date: dateOf(day) };
  };
  const sample = task.event(item("sample", { day: 1, text: 0, label: 0 }));
  return {
    posable: task.pose(sample) !== undefined,
    item,
    question(key, version) {
      const event = task.event(item(key, version));
      const input = task.pose(event)?.text ?? words(`${key} asked`, version.text);
      const gold = event.label ?? labelText(key, version.label, task);
      return { id: event.id, input, gold, date: dateOf(version.day) };
    },
  };
}

const idOf = (key: string, version: number): string => (version === 0 ? key : `another ${key}`);

const labelText = (key: string, version: number, { labels }: Task): string =>
  labels.length === 0
    ? words(`${key} label`, version)
    : labels[(seeded(key).below(labels.length) + version) % labels.length]!;

const TOPICS = [
  ["Harbour", "Lantern", "Winter"],
  ["Orchard", "Violin", "Letters"],
  ["Desert", "Falcon", "Market"],
  ["Glacier", "Captain", "Mutiny"],
  ["Castle", "Garden", "Rivals"],
  ["Rocket", "Planet", "Signal"],
];

/** A sentence of one of a few topics, with a word that no other text has. */
function words(key: string, version: number): string {
  const random = seeded(`${key}/${version}`);
  const topic = TOPICS[random.below(TOPICS.length)]!;
  const serial = random
    .below(36 ** 6)
    .toString(36)
    .padStart(6, "0");
  return `a story of ${topic.join(" and the ")} with Film${serial}`;
}

const dateOf = (day: number): string => `2020-01-${String(day).padStart(2, "0")}`;

const byDay = (items: readonly RawItem[]): RawItem[] =>
  [...items].sort((a, b) => ((a.date ?? "") < (b.date ?? "") ? -1 : (a.date ?? "") > (b.date ?? "") ? 1 : 0));
