import { UsageError } from "../errors.js";
import { seeded } from "../random/seeded.js";
import { normalized } from "../text/words.js";
import type { Random, RawItem, RawQuery, Sequence, Task, UserData } from "../types/index.js";
import { dateOrder } from "./dates.js";
import { mapped } from "./sequence.js";

/** `lamp1.labels` (METHODS 0.2). */
export type LabelSource = "auto" | "citation" | "user-train-questions" | "own-title-proxy" | "none";

interface LabelRequest {
  readonly users: Sequence<UserData>;
  readonly others: readonly UserData[] | undefined;
  /** Training questions by user, with gold. */
  readonly training: ReadonlyMap<string, readonly RawQuery[]>;
  readonly parseCitation: NonNullable<Task["parseCitation"]>;
  readonly source: LabelSource;
  readonly seed: number;
  /** Named in errors. */
  readonly dataset: string;
}

interface Labelled {
  readonly users: Sequence<UserData>;
  readonly others: readonly UserData[] | undefined;
  readonly source: Exclude<LabelSource, "auto">;
  readonly labelledItems: number;
}

/**
 * Gives past items of a two-title task what they need to be questions with answers: `option1`, `option2`, `label`.
 * The same item gets the same options in every profile of its user. Throws UsageError where the wanted source is not there.
 */
export function withCitationLabels(request: LabelRequest): Labelled {
  const source = sourceOf(request);
  const build = builders[source](request);
  const label = (owner: UserData, profile: readonly RawItem[]): readonly RawItem[] =>
    profile.map((item, index) => {
      const { option1: _first, option2: _second, label: _label, ...bare } = item;
      return { ...bare, id: item.id, ...build(item, owner, profile.slice(0, index)) };
    });
  const all = (user: UserData): UserData => ({
    id: user.id,
    profile: label(user, user.profile),
    queries: user.queries.map((query) =>
      query.profile === undefined ? query : { ...query, profile: label(user, query.profile) },
    ),
  });
  const [users, others] = [mapped(request.users, all), request.others?.map(all)];
  let labelledItems = 0;
  for (const pool of [users, others ?? []])
    for (const user of pool) for (const item of itemsOf(user)) if (item.label !== undefined) labelledItems += 1;
  return { users, others, source, labelledItems };
}

/** Makes a past item of a training question: for users whose questions are not papers of their own profile. */
export function itemOfQuestion(
  query: RawQuery,
  parseCitation: NonNullable<Task["parseCitation"]>,
): RawItem | undefined {
  const asked = parseCitation(query.input);
  if (asked === undefined || query.gold === undefined) return undefined;
  const [option1, option2] = asked.options;
  const date = query.date === undefined ? {} : { date: query.date };
  return { id: query.id, title: asked.title, abstract: "", option1, option2, label: query.gold, ...date };
}

const itemsOf = ({ profile, queries }: UserData): readonly RawItem[] => [
  ...profile,
  ...queries.flatMap((query) => query.profile ?? []),
];

type Choice = Readonly<Record<"option1" | "option2" | "label", string>>;

type Builder = (item: RawItem, owner: UserData, earlier: readonly RawItem[]) => Choice | undefined;

const builders: Readonly<Record<Labelled["source"], (request: LabelRequest) => Builder>> = {
  none: () => () => undefined,
  citation: (request) => {
    const negatives = titlesOf(request, (item) => item.citation);
    return (item, owner) =>
      choiceOf(item) ?? pair(item.citation, negatives(item), owner, drawFor(request, owner, item));
  },
  "own-title-proxy": (request) => {
    const negatives = titlesOf(request, (item) => item.title);
    return (item, owner, earlier) => {
      const random = drawFor(request, owner, item);
      const [cited] = random.fork("own").sample(earlier, 1);
      return pair(cited?.title, negatives(item), owner, random);
    };
  },
  "user-train-questions": ({ training, parseCitation }) => {
    const keyOf = (user: string, title = ""): string => `${user}\n${normalized(title)}`;
    const asked = new Map<string, Choice>();
    for (const [user, queries] of training)
      for (const query of queries) {
        const item = itemOfQuestion(query, parseCitation);
        if (item !== undefined) asked.set(keyOf(user, item.title), choiceOf(item)!);
      }
    return (item, owner) => choiceOf(item) ?? asked.get(keyOf(owner.id, item.title));
  },
};

function sourceOf({ users, others = [], training, source, dataset }: LabelRequest): Labelled["source"] {
  const has = (test: (item: RawItem) => boolean): boolean => {
    for (const pool of [users, others]) for (const user of pool) if (itemsOf(user).some(test)) return true;
    return false;
  };
  const cited = has((item) => (item.citation ?? "") !== "");
  const asked = [...training.values()].some(({ length }) => length > 0) || has((item) => choiceOf(item) !== undefined);
  if (source === "auto") return cited ? "citation" : asked ? "user-train-questions" : "none";
  if (source === "citation" && !cited)
    throw new UsageError(
      `lamp1.labels=citation: no profile item of ${dataset} has a field "citation"; use lamp1.labels=auto`,
    );
  if (source === "user-train-questions" && !asked)
    throw new UsageError(
      `lamp1.labels=user-train-questions: ${dataset} has no training questions of these users (train_questions.json of the time split); use lamp1.labels=auto`,
    );
  return source;
}

interface Title {
  readonly owner: string;
  readonly text: string;
  /** Of its paper; -1 where that is undated. */
  readonly order: number;
}

/** The titles that can be drawn for a past paper: the first `count`. */
interface Titles {
  readonly all: readonly Title[];
  readonly count: number;
}

/**
 * Returns titles that can stand against a user's own: those of training users where there are any, else those of other users. What a
 * later paper cites is not known yet when a paper is written; undated papers are never later.
 */
function titlesOf(request: LabelRequest, title: (item: RawItem) => string | undefined): (item: RawItem) => Titles {
  const pool = request.others !== undefined && request.others.length > 0 ? request.others : request.users;
  const titles: Title[] = [];
  for (const user of pool)
    for (const item of itemsOf(user)) {
      const text = title(item) ?? "";
      if (text !== "") titles.push({ owner: user.id, text, order: dateOrder(item.date) ?? -1 });
    }
  const all = titles.sort((a, b) => a.order - b.order); // stable
  return ({ date }) => ({ all, count: notLater(all, dateOrder(date) ?? Number.POSITIVE_INFINITY) });
}

/** Counts the titles, which are in order of time, of papers no later than this date. */
function notLater(titles: readonly Title[], date: number): number {
  let [low, high] = [0, titles.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (titles[middle]!.order <= date) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A draw may give the user's own titles; after so many of those in a row, the list is taken to hold no others. */
const MOST_DRAWS = 200;

function pair(
  positive: string | undefined,
  { all, count }: Titles,
  owner: UserData,
  random: Random,
): Choice | undefined {
  if (positive === undefined || positive === "" || count === 0) return undefined;
  for (let draw = 0; draw < MOST_DRAWS; draw++) {
    const negative = all[random.below(count)]!;
    if (negative.owner === owner.id || normalized(negative.text) === normalized(positive)) continue;
    return random.next() < 0.5
      ? { option1: positive, option2: negative.text, label: "[1]" }
      : { option1: negative.text, option2: positive, label: "[2]" };
  }
  return undefined;
}

const drawFor = (request: LabelRequest, owner: UserData, item: RawItem): Random =>
  seeded(`lamp1.labels/${request.seed}/${owner.id}/${item.id}`);

const choiceOf = ({ option1, option2, label }: RawItem): Choice | undefined =>
  option1 === undefined || option2 === undefined || label === undefined ? undefined : { option1, option2, label };
