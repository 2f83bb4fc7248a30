import { winRates } from "../../results/judge-scores.js";
import { groupBy, mean } from "../../results/samples.js";
import { agreementOf, type Choice, gapsOf, selectionMeans, setScores } from "../../results/selections.js";
import { separationOf } from "../../results/utilities.js";
import { jaccard, medianOf, wordSetsOf } from "../../text/jaccard.js";
import { isArm, type OwnArm } from "./own-arm.js";
import type { ArmFilter } from "./schema.js";

/** Of the arms that fit an arm, mostly the first; `all`: every arm of the runs. */
type SelectionValue = (arms: readonly OwnArm[], filter: ArmFilter, all: readonly OwnArm[]) => number | undefined;

/** The data set of questions that users asked; those of the others are made. */
const REAL = "WildChat";

/** Thousand dollars a month of one token a question: .01 per 1,000 tokens, a million questions a day, 30 days (RUMS A.7). */
const MONTHLY = (0.01 / 1000) * 1_000_000 * 30 * 0.001;

/** Jaccard similarity of the word sets of personas that counts as unlike (PersonaAgent, appendix I). */
const isUnlike = (similarity: number): boolean => similarity <= 0.4;

/** Of the choices of the first arm; undefined where it made none. */
const ofChoices =
  (value: (choices: readonly Choice[], filter: ArmFilter) => number | undefined): SelectionValue =>
  ([arm], filter) => {
    const choices = picked(arm, filter);
    return choices.length === 0 ? undefined : value(choices, filter);
  };

const ofMeans = (value: (means: ReturnType<typeof selectionMeans>) => number | undefined): SelectionValue =>
  ofChoices((choices) => value(selectionMeans(choices)));

const ofUtilities = (
  value: (found: NonNullable<ReturnType<typeof separationOf>>) => number | undefined,
): SelectionValue =>
  ofChoices((choices, { profiles }) => {
    const found = separationOf(ofFirstProfiles(choices, profiles));
    return found === undefined ? undefined : value(found);
  });

/** By question, of sets of items that the first arm chose against those that utilities chose. */
const ofUtilityItems =
  (part: "precision" | "recall" | "f1"): SelectionValue =>
  ([arm], filter, all) => {
    const wanted = utilityItems(all);
    const scores = picked(arm, filter).flatMap(({ question, events }) => {
      const items = wanted.get(askedOf(question));
      const chosen = events.map((id) => attributeOf(id, question));
      return items === undefined ? [] : [setScores(chosen, items)[part]];
    });
    return mean(scores);
  };

/** Numbers of what was chosen, by the name that a published table has for them. */
export const selectionValues: Readonly<Record<string, SelectionValue>> = {
  items: ofMeans(({ chosen }) => chosen),
  "items-difference": ofChoices((choices) => {
    const chosenFor = (personal: boolean): number =>
      selectionMeans(choices.filter(({ label }) => label.personal === personal)).chosen;
    return chosenFor(true) - chosenFor(false);
  }),
  "extra-tokens": ofMeans(({ extraTokens }) => extraTokens),
  "monthly-cost": ofMeans(({ extraTokens }) => (extraTokens === undefined ? undefined : extraTokens * MONTHLY)),
  "select-tokens": ofMeans(({ selectTokens }) => selectTokens),
  "select-seconds": ([arm], filter, all) => {
    const isNothing = ({ choices = [] }: OwnArm) =>
      choices.length > 0 && choices.every((one) => one.events.length === 0);
    const secondsOf = (one: OwnArm | undefined) => mean(picked(one, filter).flatMap(({ seconds }) => seconds ?? []));
    const [own, plain] = [secondsOf(arm), secondsOf(all.find(isNothing))];
    return own === undefined || plain === undefined ? undefined : Math.max(0, own - plain); // less is noise of the clock
  },
  ...Object.fromEntries(
    (["precision", "recall", "f1"] as const).flatMap((part) => [
      [`items-${part}`, ofMeans(({ items }) => items?.[part])],
      [`filter-${part}`, ofMeans(({ filtered }) => filtered?.[part])],
      [`utility-${part}`, ofUtilityItems(part)],
    ]),
  ),
  ...Object.fromEntries(
    (["recall", "specificity", "agreement", "f1"] as const).map((part) => [
      `decided-${part}`,
      ofChoices((choices, filter) => decisions(choices, filter)[part]),
    ]),
  ),
  "utility-personal": ofUtilities(({ personal }) => personal.mean),
  "utility-other": ofUtilities(({ others }) => others.mean),
  "deviation-personal": ofUtilities(({ personal }) => personal.deviation),
  "deviation-other": ofUtilities(({ others }) => others.deviation),
  divergence: ofUtilities(({ divergence }) => divergence?.nats),
  kolmogorov: ofUtilities(({ test }) => test?.statistic),
  "gap-subset": ofChoices((choices) => gapsOf(utilitiesOf(choices))?.subset),
  "gap-sequential": ofChoices((choices) => gapsOf(utilitiesOf(choices))?.sequential),
  /** Personas that differ from each other, and that alignment changed; pairs with a Jaccard similarity of .4 or below. */
  "personas-different": ([arm]) => share(new Set(arm?.personas.map(({ text }) => text)).size, arm?.personas.length),
  "personas-changed": ([arm]) =>
    share(arm?.personas.filter(({ text, initial }) => text !== initial).length, arm?.personas.length),
  ...Object.fromEntries(
    ["", "-bare"].flatMap((words) => [
      [`personas-unlike${words}`, ofPairs(words, (pairs) => share(pairs.filter(isUnlike).length, pairs.length))],
      [`personas-mean${words}`, ofPairs(words, mean)],
      [`personas-median${words}`, ofPairs(words, medianOf)],
      [`personas-largest${words}`, ofPairs(words, (pairs) => Math.max(...pairs))],
    ]),
  ),
  incidents: ([arm], { incidents = [] }) =>
    share(arm?.rows.filter((row) => incidents.every((name) => row.incidents[name])).length, arm?.rows.length),
  /** The `select.above` whose decisions agree best with the labels; the lowest of equal ones (RUMS, table 23). */
  "best-above": (arms, filter) => {
    const tried = arms.flatMap((arm) => {
      const [above, choices] = [Number(arm.spec.options["select.above"]), picked(arm, filter)];
      return choices.length === 0 ? [] : [{ above, agreement: decisions(choices, {}).agreement }];
    });
    tried.sort((one, other) => other.agreement - one.agreement || one.above - other.above);
    return tried.length < 2 ? undefined : tried[0]?.above;
  },
  win: ([arm], filter) => mean(winsIn(arm, filter).map(({ published }) => published ?? 0)),
  "utility-included": (...given) => mean(singleUtilities(...given).map(({ included }) => included)),
  "utility-excluded": (...given) => mean(singleUtilities(...given).map(({ excluded }) => excluded)),
  "utility-apart": (...given) => mean(singleUtilities(...given).map(({ included, excluded }) => included - excluded)),
};

/** The verdicts or other cases behind a value, where a reader must know them. */
export const selectionCounts: Readonly<Record<string, SelectionValue>> = {
  win: ([arm], filter) => winsIn(arm, filter).reduce((sum, { kept }) => sum + kept, 0),
};

/** Win rates by kind of question. Where a table names none, its value is the mean of both kinds' rates (RUMS: table 2 is that of 20 and 21). */
function winsIn(arm: OwnArm | undefined, { data, against = {} }: ArmFilter) {
  const labels = new Map(arm?.choices?.map(({ question, label }) => [question, label]));
  const { verdicts = [] } = arm?.verdicts?.find((one) => isArm(against, one.against)) ?? {};
  return (data?.personal === undefined ? [true, false] : [data.personal])
    .map((personal) => winRates(verdicts.filter(({ question }) => fits(labels.get(question), { ...data, personal }))))
    .filter(({ kept }) => kept > 0);
}

const share = (part = 0, whole = 0): number | undefined => (whole === 0 ? undefined : part / whole);

const picked = (arm: OwnArm | undefined, { data }: ArmFilter): readonly Choice[] =>
  arm?.choices?.filter(({ label }) => fits(label, data)) ?? [];

const fits = (label: Choice["label"] | undefined, { real, personal }: ArmFilter["data"] = {}): boolean =>
  label !== undefined &&
  (personal === undefined || label.personal === personal) &&
  (real === undefined || (label.dataset?.startsWith(REAL) ?? false) === real);

/** `q12` of `q12@p3`. */
const askedOf = (question: string): string => question.split("@")[0] ?? question;

const byQuestion = (choices: readonly Choice[]) => [...groupBy(choices, ({ question }) => askedOf(question))];

/** `pets` of `p3-pets`, of a question asked for p3. */
function attributeOf(id: string, question: string): string {
  const profile = `${question.split("@")[1]}-`;
  return id.startsWith(profile) ? id.slice(profile.length) : id;
}

/** The first so many users of each question; none where no question was asked for so many. */
function ofFirstProfiles(choices: readonly Choice[], most = 0): readonly Choice[] {
  if (most === 0) return choices;
  const asked = byQuestion(choices).map(([, of]) => of);
  return asked.some(({ length }) => length >= most) ? asked.flatMap((of) => of.slice(0, most)) : [];
}

const utilitiesOf = (choices: readonly Choice[]) => choices.flatMap(({ utilities }) => utilities ?? []);

/** Scores decisions to personalize a question: by mean utility over users, else by whether anything was chosen. */
function decisions(choices: readonly Choice[], { threshold }: ArmFilter) {
  const known = choices.filter(({ utilities }) => typeof utilities?.best === "number");
  const means = byQuestion(known).map(([, of]): Choice => {
    const best = mean(of.map(({ utilities }) => utilities?.best ?? 0)) ?? 0;
    const least = threshold ?? of[0]?.utilities?.threshold ?? 0;
    return { ...of[0]!, events: best >= least ? ["decided"] : [] }; // no group is empty
  });
  const asked = known.length === 0 ? choices : means;
  const count = (isOf: (choice: Choice) => boolean): number => asked.filter(isOf).length;
  const hits = count(({ label, events }) => label.personal && events.length > 0);
  const [predicted, actual] = [count(({ events }) => events.length > 0), count(({ label }) => label.personal)];
  return {
    ...agreementOf(asked),
    agreement: count(({ label, events }) => label.personal === events.length > 0) / asked.length,
    f1: hits === 0 ? 0 : (2 * hits) / (predicted + actual),
  };
}

/** By question, the attributes that utilities chose for most of the profiles that it was asked for. */
function utilityItems(all: readonly OwnArm[]): ReadonlyMap<string, readonly string[]> {
  return new Map(
    byQuestion(measuredBy(all)).map(([question, asked]) => {
      const lists = asked.map((choice) => choice.events.map((id) => attributeOf(id, choice.question)));
      const items = [...new Set(lists.flat())];
      return [question, items.filter((item) => 2 * lists.filter((list) => list.includes(item)).length > lists.length)];
    }),
  );
}

/** Of each question where both can be told: mean utility of single items that the arm chose, and of those that it did not. */
function singleUtilities([arm]: readonly OwnArm[], filter: ArmFilter, all: readonly OwnArm[]) {
  const measured = new Map(measuredBy(all).map(({ question, utilities }) => [question, utilities?.scored ?? []]));
  return picked(arm, filter).flatMap(({ question, events }) => {
    const singles = (measured.get(question) ?? []).filter((one) => one.events.length === 1);
    const of = (chosen: boolean) =>
      mean(singles.flatMap((one) => (events.includes(one.events[0] ?? "") === chosen ? [one.utility] : [])));
    const [included, excluded] = [of(true), of(false)];
    return included === undefined || excluded === undefined ? [] : [{ included, excluded }];
  });
}

/** Returns the choices of the first arm that measured utilities. */
const measuredBy = (all: readonly OwnArm[]): readonly Choice[] =>
  all.find(({ choices = [] }) => utilitiesOf(choices).length > 0)?.choices ?? [];

/**
 * A statistic of the Jaccard similarities of each two final personas; undefined below two. `-bare`: without the words that all first
 * personas share, those of the template.
 */
function ofPairs(words: string, value: (similarities: readonly number[]) => number | undefined): SelectionValue {
  return ([arm]) => {
    const { personas = [] } = arm ?? {};
    const [first, ...others] = wordSetsOf(personas.map(({ initial }) => initial));
    const template = new Set([...(first ?? [])].filter((word) => others.every((other) => other.has(word))));
    const sets = wordSetsOf(personas.map(({ text }) => text)).map(
      (own) => new Set([...own].filter((word) => words === "" || !template.has(word))),
    );
    const pairs = sets.flatMap((one, at) => sets.slice(0, at).map((other) => jaccard(one, other)));
    return pairs.length === 0 ? undefined : value(pairs);
  };
}
