import type { CallRange, Example, Unit } from "../../types/index.js";
import { answeredBy, filling } from "../outside/pretended.js";
import type { Arm } from "../plan/types.js";
import { both, callsPerQuestion, fewestOf, type PhaseEstimate, phasesOf } from "./bounds.js";
import { type Counts, type EstimateMeans, executed, type Load, NOTHING, plus, type Times, times } from "./execute.js";

export interface Estimate {
  /** The phases of each arm, in the order of the arms. Equal requests are counted each time, calls that are answered never. */
  readonly arms: readonly (readonly PhaseEstimate[])[];
  /** Of all arms; equal requests are counted once. Fewest: calls by the plans, a fifth fewer tokens a prompt, replies of one token. */
  readonly low: Load;
  readonly expected: Load;
  readonly high: Load;
  /** Calls whose replies are at hand. */
  readonly atHand: number;
}

/** Users that are executed for what is expected, and unanswered questions of each. */
const SAMPLE = { users: 12, questions: 4 };

/**
 * Executes arms with models that send nothing: all users with replies that are filled to their limit, for the bounds, then some users
 * with replies of usual length. Throws what would end the run, such as a request that a model cannot take.
 */
export async function estimateArms(arms: readonly Arm[], means: EstimateMeans): Promise<Estimate> {
  const whole = await executed(arms, means, {
    model: (id, { loaded }) => filling({ ...means.model(id), id }, loaded.task.labels),
    byHistory: true,
  });
  const surveys = arms.map((arm) => survey(arm, whole.get(arm.cell.id)!)); // counted above, as below
  const some = await executed(
    surveys.map(({ sample }) => sample),
    means,
    {
      model: (id) => answeredBy(means.answers, { ...means.model(id), id }, means.bytesPerToken(id)),
      tokensOut: ({ cell }, phase) => whole.get(cell.id)!.replyTokens(phase),
      byHistory: false,
    },
  );
  let [fewest, again, expected, most] = [NOTHING, NOTHING, NOTHING, NOTHING];
  let lowest = 0;
  const phases = arms.map((arm, at) => {
    const counts = { whole: whole.get(arm.cell.id)!, some: some.get(arm.cell.id)! };
    const ofArm = phasesOf(arm, counts, surveys[at]!, means.price);
    const repeated = counts.whole.sum("repeated");
    again = plus(again, repeated);
    expected = plus(expected, counts.some.sum("sent", surveys[at]!.times));
    most = ofArm.reduce((sum, phase) => plus(sum, phase.most), most);
    fewest = ofArm.reduce((sum, phase) => plus(sum, fewestOf(phase, arm, means.price)), fewest);
    lowest += Math.max(0, ofArm.reduce((sum, { low }) => sum + low, 0) - repeated.calls);
    return ofArm;
  });
  const high = plus(most, times(again, -1));
  expected = times(expected, Math.min(1, high.calls / (expected.calls || 1)));
  const low = times(fewest, Math.min(lowest, Math.floor(expected.calls)) / (fewest.calls || 1));
  const atHand = [...whole.values()].reduce((sum, counts) => sum + counts.atHand, 0);
  return { arms: phases, low, expected, high, atHand };
}

/** What is left to ask of an arm. */
interface Survey {
  /** Calls by the method's plan. */
  readonly planned: CallRange;
  /** The arm with some users, from small to large. */
  readonly sample: Arm;
  /** How many times what the sample asks all users ask. */
  readonly times: Times;
}

function survey(arm: Arm, counts: Counts): Survey {
  const { loaded, method, options, cell } = arm;
  const plan = method.plan(options);
  const isOpen = ({ id }: Unit, { question }: Example): boolean => counts.isAnswered(id, question.id) !== true;
  let planned: CallRange = {};
  const left = Array.from(loaded.units, (unit, at) => {
    const open = unit.examples.filter((example) => isOpen(unit, example));
    const isPrepared = counts.isAnswered(unit.id) ?? open.length < unit.examples.length;
    if (!isPrepared) planned = both(planned, plan.perUnit(unit.user.history));
    for (const { before = [] } of open)
      planned = both(planned, callsPerQuestion(plan, loaded.task, cell.options.online === true, before.length));
    return { at, size: sizeOf(unit), questions: open.length, isLeft: open.length > 0 || !isPrepared };
  }).filter(({ isLeft }) => isLeft);
  const ranked = left.sort((a, b) => a.size - b.size || a.at - b.at);
  const { users, questions } = SAMPLE;
  const drawn =
    ranked.length <= users
      ? ranked
      : Array.from({ length: users }, (_, k) => ranked[Math.floor(((k + 0.5) * ranked.length) / users)]!);
  const units = drawn.map(({ at }): Unit => {
    const unit = loaded.units.at(at)!; // it was there above
    const last = unit.examples
      .filter((one) => isOpen(unit, one))
      .slice(0, questions)
      .at(-1);
    return last === undefined ? unit : { ...unit, examples: unit.examples.slice(0, unit.examples.indexOf(last) + 1) };
  });
  const sum = (of: typeof left, what: "size" | "questions", most = Infinity): number =>
    of.reduce((total, one) => total + Math.min(one[what], most), 0);
  return {
    planned,
    sample: { ...arm, loaded: { ...loaded, units } },
    times: {
      shared: 1,
      user: sum(left, "size") / (sum(drawn, "size") || 1),
      question: sum(left, "questions") / (sum(drawn, "questions", questions) || 1),
    },
  };
}

/** As much as preparations grow with: the history, and some characters that are the same for all. */
const sizeOf = ({ user }: Unit): number => user.history.reduce((sum, { document }) => sum + document.length, 200);
