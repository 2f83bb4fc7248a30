import { seeded } from "../../src/random/seeded.js";
import type { Random } from "../../src/types/index.js";

/** One item that a made-up user has written or judged: the fields of a profile item, and the question it would be. */
interface Made {
  readonly item: Readonly<Record<string, string | number>>;
  readonly input: string;
  readonly gold: string;
  /** What a question about it asks about: never twice in a task, so that nothing leaks. */
  readonly content: string;
}

/** Where in a person's life online something is written. */
export interface Moment {
  /** Among the latest past items, or a question. */
  readonly late: boolean;
  /** The last question. */
  readonly last: boolean;
}

/** What is made for one task. */
export interface DemoTask {
  /** As typed on the command line; the folder's name. */
  readonly name: string;
  /** The name in official files. */
  readonly official: string;
  /** Bare years instead of days, as LaMP-1 and LaMP-5 have. */
  readonly yearsOnly: boolean;
  /** A person's habits, drawn once; then one item after the other. */
  person(random: Random): (random: Random, moment: Moment) => Made;
}

export interface DemoUser {
  readonly user_id: string;
  readonly profile: readonly Readonly<Record<string, string | number>>[];
  readonly query: readonly Readonly<Record<string, string | number | Readonly<Record<string, string>>>>[];
}

const TEST_USERS = 24;
const TRAINING_USERS = 12;
/** Past items that are late: as many as an agent rehearses with by default. */
const LATE = 3;

/** The users of a task: `u01`.. are asked, `t01`.. are training users. Depends on nothing but the task. */
export function demoUsers(task: DemoTask): { readonly users: DemoUser[]; readonly others: DemoUser[] } {
  const number = (i: number): string => String(i + 1).padStart(2, "0");
  const used = new Set<string>();
  return {
    users: Array.from({ length: TEST_USERS }, (_, i) => demoUser(task, `u${number(i)}`, used)),
    others: Array.from({ length: TRAINING_USERS }, (_, i) => demoUser(task, `t${number(i)}`, used)),
  };
}

function demoUser(task: DemoTask, id: string, used: Set<string>): DemoUser {
  const random = seeded(`demo data/${task.name}/${id}`);
  const make = task.person(random.fork("habits"));
  const past = 12 + random.below(29);
  const asked = 3 + random.below(2);
  const dates = timeline(random, past + asked, task.yearsOnly);
  const momentOf = (i: number): Moment => ({ late: i >= past - LATE, last: i === past + asked - 1 });
  const made = dates.map((date, i) => {
    const draw = (attempt: Random): Made => make(attempt, momentOf(i));
    return { date, ...fresh(draw, random.fork(`item ${i}`), used) };
  });
  const stamp = (date: string): string | number => (task.yearsOnly ? Number(date) : date);
  return {
    user_id: id,
    profile: made.slice(0, past).map(({ item, date }, i) => ({
      id: `${id}-${String(i + 1).padStart(2, "0")}`,
      ...item,
      date: stamp(date),
    })),
    query: made.slice(past).map(({ input, gold, date }, i) => ({
      id: `${id}-q${i + 1}`,
      input,
      gold,
      date: stamp(date),
    })),
  };
}

/** Makes items until one is new. */
function fresh(make: (random: Random) => Made, random: Random, used: Set<string>): Made {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const made = make(random.fork(`attempt ${attempt}`));
    const key = made.content.toLowerCase();
    if (used.has(key)) continue;
    used.add(key);
    return made;
  }
  throw new Error("the grammar is too small for so many items");
}

/** Dates of a life online, oldest first. */
function timeline(random: Random, count: number, yearsOnly: boolean): string[] {
  if (yearsOnly) {
    const first = 2006 + random.below(5);
    return Array.from({ length: count }, (_, i) => String(first + Math.floor((i * 13) / count)));
  }
  let day = random.below(300);
  return Array.from({ length: count }, () => {
    day += 1 + random.below(45);
    const year = 2017 + Math.floor(day / 336);
    const month = Math.floor((day % 336) / 28) + 1; // months of 28 days keep every date valid
    const two = (n: number): string => String(n).padStart(2, "0");
    return `${year}-${two(month)}-${two((day % 28) + 1)}`;
  });
}
