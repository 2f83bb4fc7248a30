import { UsageError } from "../errors.js";
import { seeded } from "../random/seeded.js";
import { normalized } from "../text/normalized.js";
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
  readonly choice: NonNullable<Task["choice"]>;
  readonly source: LabelSource;
  readonly seed: number;
  /** Titles of others that stand against an own one: of papers dated no later than it (default), or all. */
  readonly wrongOptions?: "earlier" | "all" | undefined;
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
  const source = resolve(request);
  const build = builders[source](request);
  const label = (owner: UserData, profile: readonly RawItem[]): readonly RawItem[] =>
    profile.map((item, index) => {
      const made = build(item, owner, profile.slice(0, index));
      return made === undefined ? bare(item) : { ...bare(item), ...made };
    });
  const all = (user: UserData): UserData => ({
    id: user.id,
    profile: label(user, user.profile),
    queries: user.queries.map((query) =>
      query.profile === undefined ? query : { ...query, profile: label(user, query.profile) },
    ),
  });
  const [users, others] = [mapped(request.users, all), request.others?.map(all)];
  return { users, others, source, labelledItems: labelledItems([users, others ?? []]) };
}

/** A past item made of a training question: for users whose questions are not papers of their own profile. */
export function itemOfQuestion(query: RawQuery, choice: NonNullable<Task["choice"]>): RawItem | undefined {
  const asked = choice(query.input);
  if (asked === undefined || query.gold === undefined) return undefined;
  const [option1, option2] = asked.options;
  const date = query.date === undefined ? {} : { date: query.date };
  return { id: query.id, title: asked.title, abstract: "", option1, option2, label: query.gold, ...date };
}

function labelledItems(groups: readonly Sequence<UserData>[]): number {
  let count = 0;
  for (const users of groups)
    for (const user of users) for (const { label } of itemsOf(user)) if (label !== undefined) count += 1;
  return count;
}

interface Choice {
  readonly option1: string;
  readonly option2: string;
  readonly label: string;
}

type Builder = (item: RawItem, owner: UserData, earlier: readonly RawItem[]) => Choice | undefined;

const builders: Readonly<Record<Exclude<LabelSource, "auto">, (request: LabelRequest) => Builder>> = {
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
  "user-train-questions": (request) => {
    const asked = new Map<string, Choice>();
    for (const [user, queries] of request.training)
      for (const query of queries) {
        const item = itemOfQuestion(query, request.choice);
        if (item !== undefined) asked.set(keyOf(user, item.title ?? ""), choiceOf(item)!);
      }
    return (item, owner) => choiceOf(item) ?? asked.get(keyOf(owner.id, item.title ?? ""));
  },
};

function resolve(request: LabelRequest): Exclude<LabelSource, "auto"> {
  const has = (test: (item: RawItem) => boolean): boolean => {
    for (const users of [request.users, request.others ?? []])
      for (const user of users) if (itemsOf(user).some(test)) return true;
    return false;
  };
  const cited = has((item) => (item.citation ?? "") !== "");
  const asked = request.training.size > 0 || has((item) => choiceOf(item) !== undefined);
  if (request.source === "auto") return cited ? "citation" : asked ? "user-train-questions" : "none";
  if (request.source === "citation" && !cited)
    throw new UsageError(
      `lamp1.labels=citation: no profile item of ${request.dataset} has a field "citation"; use lamp1.labels=auto`,
    );
  if (request.source === "user-train-questions" && !asked)
    throw new UsageError(
      `lamp1.labels=user-train-questions: ${request.dataset} has no training questions of these users (train_questions.json of the time split); use lamp1.labels=auto`,
    );
  return request.source;
}

const itemsOf = (user: UserData): readonly RawItem[] => [
  ...user.profile,
  ...user.queries.flatMap(({ profile }) => profile ?? []),
];

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
 * Titles that can stand against a user's own: those of training users where there are any, else those of other users. What a
 * later paper cites is not known yet when a paper is written; undated papers are never later.
 */
function titlesOf(request: LabelRequest, title: (item: RawItem) => string | undefined): (item: RawItem) => Titles {
  const pool = request.others !== undefined && request.others.length > 0 ? request.others : request.users;
  const all: Title[] = [];
  for (const user of pool)
    for (const item of itemsOf(user)) {
      const text = title(item) ?? "";
      if (text !== "") all.push({ owner: user.id, text, order: dateOrder(item.date) ?? -1 });
    }
  if (all.every(({ order }) => order < 0)) return () => ({ all, count: all.length });
  const inTime = all.toSorted((a, b) => a.order - b.order); // stable
  return ({ date }) => ({ all: inTime, count: notLater(inTime, dateOrder(date)) });
}

/** How many of the titles, which are in order of time, are of papers no later than this date. */
function notLater(titles: readonly Title[], date: number | undefined): number {
  if (date === undefined) return titles.length;
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
    const first = random.next() < 0.5;
    return first
      ? { option1: positive, option2: negative.text, label: "[1]" }
      : { option1: negative.text, option2: positive, label: "[2]" };
  }
  return undefined;
}

const drawFor = (request: LabelRequest, owner: UserData, item: RawItem): Random =>
  seeded(`lamp1.labels/${request.seed}/${owner.id}/${item.id}`);

const keyOf = (user: string, title: string): string => `${user}\n${normalized(title)}`;

function choiceOf({ option1, option2, label }: RawItem): Choice | undefined {
  return option1 === undefined || option2 === undefined || label === undefined
    ? undefined
    : { option1, option2, label };
}

function bare(item: RawItem): RawItem {
  const { option1: _first, option2: _second, label: _label, ...rest } = item;
  return { ...rest, id: item.id };
}
