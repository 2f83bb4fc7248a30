import type { UtilitiesNote } from "../notes/note.js";
import { deviation, groupBy, meanOf } from "./samples.js";
import type { Choice } from "./selections.js";
import { type Cut, cutAt, type Divergence, jensenShannon, type Kolmogorov, kolmogorovSmirnov } from "./separation.js";

/** Utilities of distinct questions of one kind. */
interface Utilities {
  readonly questions: number;
  /** NaN, in JSON null, without questions. */
  readonly mean: number;
  /** Absent below two questions. */
  readonly deviation?: number;
}

/** H1 of RUMS: how far the largest utilities of questions lie apart, each the mean over the users that it was asked for. */
export interface UtilitySeparation {
  readonly personal: Utilities;
  readonly others: Utilities;
  /** Absent, as the test, where one of the two kinds is missing. */
  readonly divergence?: Divergence;
  readonly test?: Kolmogorov;
  /** H1' as the paper takes it: questions whose mean reaches the run's threshold. Absent where each question was asked for one user alone. */
  readonly decided?: Cut;
  /** Questions as asked for a user whose utility could not be measured; they are left out. */
  readonly unmeasured: number;
}

/** Undefined where no utility was measured. */
export function separationOf(choices: readonly Choice[]): UtilitySeparation | undefined {
  const measured = choices.filter(isMeasured);
  const [first] = measured;
  if (first === undefined) return undefined;
  const meansOf = (personal: boolean): number[] =>
    meansByQuestion(measured.filter(({ label }) => label.personal === personal));
  const samples = { high: meansOf(true), low: meansOf(false) };
  const [divergence, test] = [jensenShannon(samples), kolmogorovSmirnov(samples)];
  const isAskedForSeveral = samples.high.length + samples.low.length < measured.length;
  const { threshold } = first.utilities;
  return {
    personal: utilitiesOf(samples.high),
    others: utilitiesOf(samples.low),
    ...(divergence === undefined ? {} : { divergence }),
    ...(test === undefined ? {} : { test }),
    ...(isAskedForSeveral ? { decided: cutAt(samples, threshold) } : {}),
    unmeasured: choices.filter(({ utilities }) => utilities?.best === null).length,
  };
}

type MeasuredChoice = Choice & { readonly utilities: UtilitiesNote & { readonly best: number } };

const isMeasured = (one: Choice): one is MeasuredChoice => typeof one.utilities?.best === "number";

/** A question asked for a profile is named `q12@p3`. */
const meansByQuestion = (measured: readonly MeasuredChoice[]): number[] =>
  [...groupBy(measured, ({ question }) => question.split("@")[0] ?? question).values()].map((of) =>
    meanOf(of.map(({ utilities }) => utilities.best)),
  );

function utilitiesOf(means: readonly number[]): Utilities {
  const spread = deviation(means);
  return { questions: means.length, mean: meanOf(means), ...(spread === undefined ? {} : { deviation: spread }) };
}
