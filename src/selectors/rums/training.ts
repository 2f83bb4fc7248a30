import type { UtilitiesNote } from "../../notes/note.js";
import { seeded } from "../../random/seeded.js";
import { pySplit } from "../../text/python.js";
import type { Embedder, Event, Unit } from "../../types/index.js";
import { type BinaryFile, type MultiFile, questionHash, userHash } from "./classifier-file.js";
import { attributeOf } from "./classifiers.js";
import { baseFeatureNames, labelPriors, openCases, productNames } from "./features.js";
import { bestCutoff, fitLogistic, predictProbability, standardized } from "./logistic.js";
import { principalComponents, projected } from "./principal.js";
import { isWorth } from "./search.js";

/** Training data: users with their histories, and the measured utilities of their questions. */
export interface Training {
  readonly task: string;
  readonly labels: readonly string[];
  readonly units: Iterable<Unit>;
  /** Utilities by question id. */
  readonly utilities: ReadonlyMap<string, UtilitiesNote>;
  readonly embedder: Embedder;
}

/** Principal components (METHODS 9.4). */
const COMPONENTS = 16;

/** Returns whether the n-th user or question, by name, is left out of the fit and sets the cut-off. */
const isHeldOut = (at: number): boolean => at % 5 === 4;

/** An event of a question's history, or a question. `positive`: one truth value a target. */
export interface TrainingCase {
  readonly vector: ArrayLike<number>;
  readonly baseFeatures: readonly number[];
  readonly heldOut: boolean;
  readonly positive: readonly boolean[];
}

/** A trained rums-binary, and the scores of its evaluation cases. */
interface Binary {
  readonly file: BinaryFile;
  /** Evaluation cases: those of held-out users; all where nobody was held out. */
  readonly evaluated: readonly { readonly positive: boolean; readonly probability: number; readonly bm25: number }[];
  readonly users: number;
  readonly heldOut: number;
}

/**
 * Trains the classifier of METHODS 9.4. Every event of a measured question's history is a case; those of the best subset, where it is
 * worth the threshold, are positive (RUMS 3.4, F.5).
 */
export async function trainBinary({ task, labels, units, utilities, embedder }: Training): Promise<Binary> {
  const all = [...units];
  const measured = all.filter(
    ({ user, examples }) => user.history.length > 0 && examples.some(({ question }) => utilities.has(question.id)),
  );
  const users = [...new Set(measured.map(({ user }) => user.id))].sort();
  const heldOut = new Set(users.filter((_, at) => isHeldOut(at)));
  const fittedUsers = all.filter(({ user: { id } }) => users.includes(id) && !heldOut.has(id));
  const priors = labelPriors(
    fittedUsers.map(({ user }) => user.history),
    labels,
  );
  const cases: TrainingCase[] = [];
  for (const unit of measured) {
    const { user } = unit;
    const ask = await openCases(
      user.history,
      priors,
      { document: ({ document: text }: Event) => ({ text }), tokenize: pySplit },
      { embedder, random: seeded("rums-binary") },
    );
    for (const { query, chosen } of labelledIn(unit, utilities)) {
      const rows = await ask(query);
      for (const [at, { id }] of user.history.entries()) {
        const { baseFeatures, product } = rows[at]!; // a row an event
        const positive = [chosen.includes(id)];
        cases.push({ baseFeatures, vector: product, heldOut: heldOut.has(user.id), positive });
      }
    }
  }
  const { models, f1, evaluated, probabilities, projection, ...fit } = fitModels(cases, 1);
  const features = [...baseFeatureNames, ...productNames(projection.components.length)];
  const chosen = cases.filter(({ positive: [isPositive] }) => isPositive).length;
  const trainedOn = { task, embedder: embedder.id, f1, pairs: cases.length, chosen, users: users.map(userHash) };
  const bm25 = baseFeatureNames.indexOf("bm25");
  return {
    file: { kind: "rums-binary", features, ...models[0]!, ...fit, priors, projection, trainedOn },
    evaluated: evaluated.map(({ positive: [positive], baseFeatures }, at) => ({
      positive: positive!,
      probability: probabilities[at]![0]!,
      bm25: baseFeatures[bm25]!,
    })),
    users: users.length,
    heldOut: heldOut.size,
  };
}

/**
 * Trains one logistic regression an attribute, on components of the questions' vectors. A question has the attributes that are
 * in the best subset of any of its users (RUMS F.5). Undefined where events have no attributes.
 */
export async function trainMulti({ task, units, utilities, embedder }: Training): Promise<MultiFile | undefined> {
  const [wanted, known] = [new Map<string, Set<string>>(), new Set<string>()];
  for (const unit of units) {
    const { user } = unit;
    const attributes = new Map(user.history.map((event) => [event.id, attributeOf(event)]));
    for (const { query, chosen } of labelledIn(unit, utilities)) {
      for (const name of attributes.values()) if (name !== undefined) known.add(name);
      const ofQuestion = wanted.get(query) ?? new Set<string>();
      for (const id of chosen) ofQuestion.add(attributes.get(id) ?? "");
      wanted.set(query, ofQuestion);
    }
  }
  if (known.size === 0) return undefined;
  const attributes = [...known].sort();
  const questions = [...wanted.keys()].sort();
  const vectors = await embedder.embed(questions);
  const cases = questions.map((query, at): TrainingCase => {
    const positive = attributes.map((name) => wanted.get(query)!.has(name));
    return { vector: vectors[at]!, baseFeatures: [], heldOut: isHeldOut(at), positive };
  });
  const { evaluated: _, probabilities: __, f1, ...fit } = fitModels(cases, attributes.length);
  const trainedOn = { task, embedder: embedder.id, f1, questions: questions.map(questionHash) };
  return { kind: "rums-multi", attributes, ...fit, trainedOn };
}

/**
 * Returns the measured questions of a user, each with the events of its best subset. Questions tagged `personal: no` whose best subset is
 * worth the threshold are left out as noise (RUMS F.5).
 */
const labelledIn = ({ examples }: Unit, utilities: Training["utilities"]) =>
  examples.flatMap(({ question: { id, query }, facts }) => {
    const found = utilities.get(id);
    const chosen = found === undefined ? [] : bestOf(found);
    const isNoise = facts?.tags?.personal === "no" && chosen.length > 0;
    return found === undefined || isNoise ? [] : [{ query, chosen }];
  });

/** Returns the events of the best subset where it is worth the threshold that the run had, else none. */
function bestOf({ scored, best, threshold }: UtilitiesNote): readonly string[] {
  if (best === null || !isWorth(best, threshold)) return [];
  return scored.find(({ utility }) => utility === best)?.events ?? [];
}

/** Fits one logistic regression a label over plain features and components of vectors. The held-out cases set the cut-off. */
export function fitModels(cases: readonly TrainingCase[], labelCount: number) {
  const training = cases.filter(({ heldOut }) => !heldOut);
  const { mean, components } = principalComponents(
    training.map(({ vector }) => vector),
    COMPONENTS,
  );
  const projection = { mean: sixDigits(mean), components: components.map(sixDigits) };
  const rowOf = ({ baseFeatures, vector }: TrainingCase) => [...baseFeatures, ...projected(vector, projection)];
  const rows = training.map(rowOf);
  const scale = scaleOf(rows, training[0]?.baseFeatures.length ?? 0);
  const scaled = rows.map((row) => standardized(row, scale));
  const models = Array.from({ length: labelCount }, (_, label) => {
    const { bias, weights } = fitLogistic(
      training.map((one, at) => ({ features: scaled[at]!, positive: one.positive[label]! })),
    );
    return { bias, weights: [...weights] };
  });
  const heldOut = cases.filter((one) => one.heldOut);
  const evaluated = heldOut.length === 0 ? cases : heldOut;
  const probabilities = evaluated.map((one) => {
    const row = standardized(rowOf(one), scale);
    return models.map((model) => predictProbability(model, row));
  });
  const pairs = evaluated.flatMap(({ positive }, at) =>
    probabilities[at]!.map((probability, n) => ({ probability, positive: positive[n]! })),
  );
  return { projection, ...scale, models, ...bestCutoff(pairs), evaluated, probabilities };
}

/** Rounds to what the file holds (it stays below 1 MB): the fit uses the stored numbers. */
const sixDigits = (values: readonly number[]): number[] => values.map((value) => Number(value.toPrecision(6)));

/**
 * Returns means and sample deviations of columns; a column that never varies has 1. All components go by the deviation of the
 * first: directions in which training hardly varies would else decide on new users.
 */
function scaleOf(rows: readonly (readonly number[])[], baseFeatureCount: number) {
  const [means, deviations]: [number[], number[]] = [[], []];
  for (const at of (rows[0] ?? []).keys()) {
    const mean = rows.reduce((sum, row) => sum + row[at]!, 0) / rows.length;
    const squares = rows.reduce((sum, row) => sum + (row[at]! - mean) ** 2, 0);
    means.push(mean);
    deviations.push((rows.length < 2 ? 0 : Math.sqrt(squares / (rows.length - 1))) || 1);
  }
  const first = deviations[baseFeatureCount] ?? 1;
  return { means, deviations: deviations.map((one, at) => (at < baseFeatureCount ? one : first)) };
}
