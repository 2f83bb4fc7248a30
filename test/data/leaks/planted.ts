import type { LeakKind } from "../../../src/data/audit.js";

/** A data set with one leak in it. */
export interface Planted {
  readonly what: string;
  readonly task: string;
  readonly users: readonly User[];
  readonly training?: readonly User[];
  /** What the audit must find, and nothing else that is graver than a suspicion. */
  readonly kind: LeakKind;
  /** The item to look for in what a run shows: in the asker's past, or in the pool of other users. Absent: the question gives it away. */
  readonly item?: { readonly where: "past" | "pool"; readonly id: string };
}

interface User {
  readonly user_id: string;
  readonly profile: readonly Record<string, string>[];
  readonly query: readonly Record<string, string>[];
}

const PLOT =
  "A retired lighthouse keeper in Marseille finds a wounded sailor on the rocks, hides him from the harbour police & slowly learns that the man carries a letter for the keeper's own lost daughter.";

const PAST = [
  movie("p1", "Three cousins inherit a hotel that no guest has ever left.", "2019-01-01", "psychology"),
  movie("p2", "An astronaut teaches chess to the machine that will replace her.", "2019-02-01", "sci-fi"),
  movie("p3", "The village drummer falls in love with silence.", "2019-03-01", "romance"),
];

/** Every kind that is planted, in the order of the grades' tables. */
export const planted: readonly Planted[] = [
  past("the question itself, by id", "own", {
    id: "q",
    description: "Two brothers open a bakery in a town without bread.",
  }),
  past("its text under another id", "sameText", { description: PLOT }),
  past("its text in other case and spacing", "sameText", { description: PLOT.toUpperCase().replaceAll(" ", "  ") }),
  past("its text in full-width letters", "sameText", { description: fullWidth(PLOT) }),
  past("an item dated after the question", "later", {
    description: "Nobody expected the circus to stay.",
    date: "2021-05-01",
  }),
  {
    ...movies("a test user among the training users"),
    training: [movieUser("u", [movie("planted", "A baker counts his sheep at night and loses one.")])],
    kind: "testUserInTraining",
    item: { where: "pool", id: "planted" },
  },
  inPool("its text with a training user", "poolText", PLOT, "training"),
  inPool("its text in another test user's past", "poolText", PLOT, "test"),
  headline("the gold headline as an own past title", "goldAsPastLabel", "Why The Old Harbour Stays Open"),
  asked("the tag named in the question", "goldNamed", `${PLOT} Tag: comedy`),
  {
    ...movies("an undated question before later events"),
    users: [
      {
        user_id: "u",
        profile: [...PAST, movie("planted", "The choir sings one last time before the dam breaks.", "2020-06-01")],
        query: [ask("q", PLOT), ask("r", "A clockmaker wakes up in a city where it is always noon.", "2020-01-01")],
      },
    ],
    kind: "laterThanNext",
    item: { where: "past", id: "planted" },
  },
  {
    ...movies("an item dated by the question's year alone"),
    users: [
      {
        user_id: "u",
        profile: [movie("planted", "The choir sings one last time before the dam breaks.", "2020"), ...PAST],
        query: [ask("q", PLOT, "2020-06-01")],
      },
    ],
    kind: "shorterDate",
    item: { where: "past", id: "planted" },
  },
  {
    ...movies("two questions with the same text"),
    users: [
      {
        user_id: "u",
        profile: PAST,
        query: [ask("q", PLOT, "2020-01-01"), ask("r", PLOT, "2020-02-01")],
      },
    ],
    kind: "repeatedQuestion",
  },
];

function movie(id: string, description: string, date = "2019-06-01", tag = "comedy") {
  return { id, description, tag, date };
}

function ask(id: string, description: string, date?: string): Record<string, string> {
  const input = `Which tag does this movie relate to among the following tags? Just answer with the tag name without further explanation. tags: [comedy, action] description: ${description}`;
  return { id, input, gold: "comedy", ...(date === undefined ? {} : { date }) };
}

function movieUser(
  user_id: string,
  profile: readonly Record<string, string>[],
  query: readonly Record<string, string>[] = [],
): User {
  return { user_id, profile, query };
}

/** The clean data set: one user with a past and a question. */
function movies(what: string) {
  return { what, task: "lamp2m", users: [movieUser("u", PAST, [ask("q", PLOT, "2020-01-01")])] } as const;
}

function past(what: string, kind: LeakKind, item: Partial<ReturnType<typeof movie>>): Planted {
  const leak = { ...movie("planted", ""), ...item };
  return {
    ...movies(what),
    users: [movieUser("u", [...PAST, leak], [ask("q", PLOT, "2020-01-01")])],
    kind,
    item: { where: "past", id: leak.id },
  };
}

function inPool(what: string, kind: LeakKind, description: string, whose: "training" | "test"): Planted {
  const leak = movie("planted", description);
  const base = { ...movies(what), kind, item: { where: "pool", id: "planted" } } as const;
  if (whose === "training")
    return { ...base, training: [movieUser("t", [leak, movie("t1", "A goat runs for mayor.")])] };
  const other = movieUser(
    "v",
    [leak],
    [ask("w", "A clockmaker wakes up in a city where it is always noon.", "2020-01-01")],
  );
  return { ...base, users: [...base.users, other] };
}

function asked(what: string, kind: LeakKind, description: string): Planted {
  return { ...movies(what), users: [movieUser("u", PAST, [ask("q", description, "2020-01-01")])], kind };
}

function headline(what: string, kind: LeakKind, gold: string): Planted {
  const item = (id: string, title: string, text: string) => ({ id, title, text, date: "2019-01-01" });
  const input =
    "Generate a headline for the following article: The council voted last night to keep the ferries running for one more year.";
  return {
    what,
    task: "lamp4",
    users: [
      {
        user_id: "u",
        profile: [
          item(
            "p1",
            "A Bridge Too Many",
            "Engineers warned of it for years, and nobody on the board wanted to listen.",
          ),
          item("planted", gold, "Fishermen gathered at dawn to protest against the new tolls at the gate."),
        ],
        query: [{ id: "q", input, gold, date: "2020-01-01" }],
      },
    ],
    kind,
    item: { where: "past", id: "planted" },
  };
}

function fullWidth(text: string): string {
  return text.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));
}
