import { seeded } from "../../random/seeded.js";
import { deviation, meanOf } from "../../results/quantile.js";
import { type BinaryFile, type MultiFile, questionHash } from "../../selectors/rums/classifier-file.js";
import { attributeOf } from "../../selectors/rums/classifiers.js";
import { type EventCase, openCases, type Priors, plainNames, productNames } from "../../selectors/rums/features.js";
import { bestCutoff, fitLogistic, shareOf, standardized } from "../../selectors/rums/logistic.js";
import { type Projection, principalComponents, projected } from "../../selectors/rums/principal.js";
import { pySplit } from "../../text/python.js";
import type { Embedder, Unit } from "../../types/index.js";
import type { Measured } from "./material.js";

/** An event of a question's past, and whether it is in the best subset. */
export interface Candidate extends EventCase {
  readonly user: string;
  readonly is: boolean;
}

/** Those of METHODS 9.4. */
const COMPONENTS = 16;

/** The users of these units that have candidates; every fifth of them is held out of the fit. */
export function splitUsers(
  units: Iterable<Unit>,
  measured: ReadonlyMap<string, Measured>,
): { readonly users: string[]; readonly heldOut: ReadonlySet<string> } {
  const users: string[] = [];
  for (const unit of units) if (isMeasured(unit, measured)) users.push(unit.user.id);
  const sorted = [...new Set(users)].sort();
  return { users: sorted, heldOut: new Set(sorted.filter((_, at) => isFifth(at))) };
}

/** The labels' shares in the pasts of the users that are fitted. */
export function* fittedPasts(units: Iterable<Unit>, users: readonly string[], heldOut: ReadonlySet<string>) {
  for (const { user } of units) if (users.includes(user.id) && !heldOut.has(user.id)) yield user.history;
}

/**
 * One case for each event of the past of each measured question, as each is judged when the classifier chooses (RUMS F.5): what a filter
 * left out was not chosen either.
 */
export async function casesOf(
  unit: Unit,
  measured: ReadonlyMap<string, Measured>,
  priors: Priors,
  embedder: Embedder,
): Promise<Candidate[]> {
  if (!isMeasured(unit, measured)) return [];
  const { user, examples } = unit;
  const document = ({ document: text }: Unit["user"]["history"][number]) => ({ text });
  const kit = { embedder, random: seeded("rums-binary") };
  const openedCases = await openCases(user.history, priors, { document, tokenize: pySplit }, kit);
  const cases: Candidate[] = [];
  for (const { question } of examples) {
    const utilities = measured.get(question.id)?.utilities;
    if (utilities === undefined) continue;
    const rows = await openedCases(question.query);
    const chosen = chosenIn(utilities);
    for (const [at, { id }] of user.history.entries())
      cases.push({ ...rows[at]!, user: user.id, is: chosen.includes(id) });
  }
  return cases;
}

/** What a fit gives, and the share of every candidate that tries it: the held-out ones, or all where none is. */
interface Fitted extends Pick<BinaryFile, "features" | "bias" | "weights">, Omit<Fit<Candidate>, "models" | "tried"> {
  readonly tried: readonly { readonly candidate: Candidate; readonly share: number }[];
}

/** Fits on the users that are not held out; the cut-off has the best F1 on those that are. */
export function fitted(cases: readonly Candidate[], heldOut: ReadonlySet<string>): Fitted {
  const { models, tried, ...fit } = fitOf(cases, {
    vector: ({ product }) => product,
    plain: ({ plain }) => plain,
    isHeldOut: ({ user }) => heldOut.has(user),
    labels: [({ is }) => is],
  });
  const features = [...plainNames, ...productNames(fit.projection.components.length)];
  const shares = tried.map(({ item, shares: [share] }) => ({ candidate: item, share: share! })); // one model
  return { features, ...models[0]!, ...fit, tried: shares };
}

/** What a fit of questions gives; undefined where events have no attributes. */
type FittedMulti = Omit<MultiFile, "kind" | "trainedOn"> & {
  readonly f1: number;
  readonly questions: string[];
};

/** A question and the attributes that were in the best subset of any of its users (RUMS F.5). */
interface AskedOnce {
  readonly query: string;
  readonly wanted: Set<string>;
}

/** One logistic regression an attribute, on components of the questions' vectors; every fifth question sets the cut-off. */
export async function fittedMulti(
  units: Iterable<Unit>,
  measured: ReadonlyMap<string, Measured>,
  embedder: Embedder,
): Promise<FittedMulti | undefined> {
  const [asked, attributes] = [new Map<string, AskedOnce>(), new Set<string>()];
  for (const { user, examples } of units) {
    const names = new Map(user.history.map((event) => [event.id, attributeOf(event)]));
    for (const { question } of examples) {
      const utilities = measured.get(question.id)?.utilities;
      if (utilities === undefined) continue;
      for (const name of names.values()) if (name !== undefined) attributes.add(name);
      const { query } = question;
      const { wanted } = asked.get(query) ?? { wanted: new Set<string>() };
      for (const id of chosenIn(utilities)) wanted.add(names.get(id) ?? "");
      asked.set(query, { query, wanted });
    }
  }
  if (attributes.size === 0) return undefined;
  const questions = [...asked.values()].sort((a, b) => (a.query < b.query ? -1 : 1));
  const vectors = await embedder.embed(questions.map(({ query }) => query));
  const names = [...attributes].sort();
  const { tried: _, ...fit } = fitOf(
    questions.map(({ wanted }, at) => ({ at, wanted })),
    {
      vector: ({ at }) => vectors[at]!, // one for each question
      plain: () => [],
      isHeldOut: ({ at }) => isFifth(at),
      labels: names.map(
        (name) =>
          ({ wanted }) =>
            wanted.has(name),
      ),
    },
  );
  return { attributes: names, ...fit, questions: questions.map(({ query }) => questionHash(query)) };
}

/** What is known of an item, and which of the labels it has. */
interface Fitting<T> {
  vector(item: T): ArrayLike<number>;
  plain(item: T): readonly number[];
  isHeldOut(item: T): boolean;
  readonly labels: readonly ((item: T) => boolean)[];
}

interface Fit<T> extends Pick<MultiFile, "means" | "deviations" | "models" | "cutoff"> {
  readonly projection: Projection;
  readonly f1: number;
  /** The held-out items, or all where none is, with a share a label. */
  readonly tried: readonly { readonly item: T; readonly shares: readonly number[] }[];
}

/** One logistic regression a label over plain features and components of vectors; the held-out items set the cut-off. */
function fitOf<T>(items: readonly T[], { vector, plain, isHeldOut, labels }: Fitting<T>): Fit<T> {
  const training = items.filter((item) => !isHeldOut(item));
  const projection = short(principalComponents(training.map(vector), COMPONENTS));
  const rowOf = (item: T): number[] => [...plain(item), ...projected(vector(item), projection)];
  const rows = training.map(rowOf);
  const scale = scaleOf(rows, training[0] === undefined ? 0 : plain(training[0]).length);
  const models = labels.map((is) => {
    const { bias, weights } = fitLogistic(
      rows.map((row, at) => ({ features: standardized(row, scale), is: is(training[at]!) })), // a row an item
    );
    return { bias, weights: [...weights] };
  });
  const heldOut = items.filter(isHeldOut);
  const tried = (heldOut.length === 0 ? items : heldOut).map((item) => {
    const row = standardized(rowOf(item), scale);
    return { item, shares: models.map((model) => shareOf(model, row)) };
  });
  const scored = tried.flatMap(({ item, shares }) => shares.map((share, n) => ({ share, is: labels[n]!(item) })));
  return { projection, ...scale, models, ...bestCutoff(scored), tried };
}

/** The best subset, where it is worth something. */
function chosenIn({ scored, best }: Measured["utilities"]): readonly string[] {
  const isChosen = best !== null && best > 0;
  return (isChosen ? scored.find(({ utility }) => utility === best)?.events : undefined) ?? [];
}

const isFifth = (at: number): boolean => at % 5 === 4;

const isMeasured = ({ user, examples }: Unit, measured: ReadonlyMap<string, Measured>): boolean =>
  user.history.length > 0 && examples.some(({ question }) => measured.has(question.id));

/** Numbers of six digits: the file stays below 1 MB whatever the embedder. The fit sees them as the file holds them. */
const short = ({ mean, components }: Projection): Projection => {
  const rounded = (values: readonly number[]): number[] => values.map((value) => Number(value.toPrecision(6)));
  return { mean: rounded(mean), components: components.map(rounded) };
};

/**
 * Means and deviations; a feature that never varies is left as it is. Scores of components all go by the deviation of the first: by
 * their own, directions in which training hardly varies would decide on users who are new.
 */
function scaleOf(
  rows: readonly (readonly number[])[],
  plain: number,
): { readonly means: number[]; readonly deviations: number[] } {
  const columns = (rows[0] ?? []).map((_, at) => rows.map((row) => row[at]!)); // rows are of one width
  const means = columns.map(meanOf);
  const deviations = columns.map((values) => deviation(values) || 1);
  const first = deviations[plain] ?? 1;
  return { means, deviations: deviations.map((one, at) => (at < plain ? one : first)) };
}
