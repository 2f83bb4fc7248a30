import { seeded } from "../../random/seeded.js";
import { type BinaryFile, type MultiFile, questionHash } from "../../selectors/rums/classifier-file.js";
import { attributeOf } from "../../selectors/rums/classifiers.js";
import {
  type EventCase,
  featuresOf,
  openCases,
  type Priors,
  plainNames,
  productNames,
} from "../../selectors/rums/features.js";
import {
  bestCutoff,
  fitLogistic,
  type LabelledCase,
  type LogisticModel,
  shareOf,
  standardized,
} from "../../selectors/rums/logistic.js";
import { type Projection, principalComponents, projected } from "../../selectors/rums/principal.js";
import { deviation } from "../../statistics/quantile.js";
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
  return { users: sorted, heldOut: new Set(sorted.filter((_, at) => at % FOLDS === FOLDS - 1)) };
}

/** The labels' shares in the pasts of the users that are fitted. */
export function* fittedPasts(units: Iterable<Unit>, users: readonly string[], heldOut: ReadonlySet<string>) {
  for (const { user } of units) if (users.includes(user.id) && !heldOut.has(user.id)) yield user.history;
}

/**
 * One case for each event of the past of each measured question, as each is judged when the classifier chooses (RUMS F.5): what a filter
 * left out was not chosen either. `threshold`: the utility from which the best subset counts as chosen.
 */
export async function casesOf(
  unit: Unit,
  measured: ReadonlyMap<string, Measured>,
  priors: Priors,
  embedder: Embedder,
  threshold: number,
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
    const chosen = chosenIn(utilities, threshold);
    for (const [at, { id }] of user.history.entries())
      cases.push({ ...rows[at]!, user: user.id, is: chosen.includes(id) });
  }
  return cases;
}

/** What a fit gives, and the share of every candidate that tries it: the held-out ones, or all where none is. */
interface Fitted extends Pick<BinaryFile, "features" | "means" | "deviations" | "bias" | "weights" | "cutoff"> {
  readonly projection: Projection;
  readonly f1: number;
  readonly tried: readonly { readonly candidate: Candidate; readonly share: number }[];
}

/** Fits on the users that are not held out; the cut-off has the best F1 on those that are. */
export function fitted(cases: readonly Candidate[], heldOut: ReadonlySet<string>): Fitted {
  const training = cases.filter(({ user }) => !heldOut.has(user));
  const projection = short(
    principalComponents(
      training.map(({ product }) => product),
      COMPONENTS,
    ),
  );
  const rowOf = (one: Candidate): LabelledCase => ({ features: featuresOf(one, projection), is: one.is });
  const rows = training.map(rowOf);
  const features = [...plainNames, ...productNames(projection.components.length)];
  const scale = scaleOf(rows, features.length);
  const standard = ({ features: row, is }: LabelledCase): LabelledCase => ({ features: standardized(row, scale), is });
  const model: LogisticModel = fitLogistic(rows.map(standard));
  const tried = (heldOut.size === 0 ? cases : cases.filter(({ user }) => heldOut.has(user))).map((candidate) => ({
    candidate,
    share: shareOf(model, standard(rowOf(candidate)).features),
  }));
  const { cutoff, f1 } = bestCutoff(tried.map(({ candidate: { is }, share }) => ({ is, share })));
  return { features, ...scale, bias: model.bias, weights: [...model.weights], cutoff, projection, f1, tried };
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
  threshold: number,
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
      for (const id of chosenIn(utilities, threshold)) wanted.add(names.get(id) ?? "");
      asked.set(query, { query, wanted });
    }
  }
  if (attributes.size === 0) return undefined;
  const questions = [...asked.values()].sort((a, b) => (a.query < b.query ? -1 : 1));
  const vectors = await embedder.embed(questions.map(({ query }) => query));
  const isHeldOut = (at: number): boolean => questions.length >= FOLDS && at % FOLDS === FOLDS - 1;
  const projection = short(
    principalComponents(
      vectors.filter((_, at) => !isHeldOut(at)),
      COMPONENTS,
    ),
  );
  const rows = vectors.map((vector) => projected(vector, projection));
  const fitted = rows.flatMap((features, at) => (isHeldOut(at) ? [] : [{ features, is: false }]));
  const scale = scaleOf(fitted, projection.components.length, 0);
  const names = [...attributes].sort();
  const models = names.map((name) => {
    const { bias, weights } = fitLogistic(
      rows.flatMap((row, at) =>
        isHeldOut(at) ? [] : [{ features: standardized(row, scale), is: questions[at]!.wanted.has(name) }],
      ),
    );
    return { bias, weights: [...weights] };
  });
  const tried = rows.flatMap((row, at) =>
    questions.length >= FOLDS && !isHeldOut(at)
      ? []
      : names.map((name, n) => ({
          is: questions[at]!.wanted.has(name),
          share: shareOf(models[n]!, standardized(row, scale)),
        })),
  );
  const { cutoff, f1 } = bestCutoff(tried);
  const hashes = questions.map(({ query }) => questionHash(query));
  return { attributes: names, projection, ...scale, models, cutoff, f1, questions: hashes };
}

/** The best subset, where it is worth the threshold. */
function chosenIn({ scored, best }: Measured["utilities"], threshold: number): readonly string[] {
  const isChosen = best !== null && best > 0 && best >= threshold;
  return (isChosen ? scored.find(({ utility }) => utility === best)?.events : undefined) ?? [];
}

const FOLDS = 5;

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
  cases: readonly LabelledCase[],
  width: number,
  plain: number = plainNames.length,
): { readonly means: number[]; readonly deviations: number[] } {
  const columns = Array.from({ length: width }, (_, at) => cases.map(({ features }) => features[at]!));
  const means = columns.map((values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length));
  const deviations = columns.map((values) => deviation(values) || 1);
  const first = deviations[plain] ?? 1;
  return { means, deviations: deviations.map((one, at) => (at < plain ? one : first)) };
}
