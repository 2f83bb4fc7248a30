import { UsageError } from "../../errors.js";
import { contentId } from "../../text/content-id.js";
import { type Answers, type PairedQuestion, pairAnswers, type Replies } from "../paired.js";
import { refuseOtherFiles } from "../same-files.js";
import type { BaselineArm } from "./baseline.js";

export interface GatedArm {
  readonly baseline: BaselineArm;
  readonly candidate: BaselineArm;
  readonly questions: readonly PairedQuestion[];
  /** The worst value in every bound, not in the printed scores. */
  readonly lost: readonly PairedQuestion[];
  readonly leftOut: ReturnType<typeof pairAnswers>["leftOut"];
  /** Share of the candidate's answers to the baseline's questions that failed or are absent. */
  readonly failedShare: number;
}

/**
 * Puts baseline and candidate side by side by question id. `gold` knows the candidate's gold answers by question,
 * and those that a task's labels tell by their content id.
 * Throws UsageError naming both where they are of different data, or where no question is scored in both.
 */
export function pairWithBaseline(
  baseline: BaselineArm,
  candidate: BaselineArm,
  gold: (question: string, id: string | undefined) => string | undefined,
  names: { readonly baseline: string; readonly candidate: string },
): GatedArm {
  const filesOf = (run: string, { dataset, data }: BaselineArm) => ({ run, dataset, files: data.files });
  refuseOtherFiles(
    baseline.task,
    filesOf(names.baseline, baseline),
    filesOf(names.candidate, candidate),
    "gate runs of the same files, or write a new baseline",
  );
  const side = (arm: BaselineArm): Answers[] =>
    arm.questions.map((asked) => {
      const { id, user, gold: goldId } = asked;
      const truth = gold(id, goldId);
      const replies = truth === undefined ? [] : repliesOf(asked, arm.repeats, truth);
      return { id, user, gold: goldId, answered: asked.replies.length > 0, replies };
    });
  const { lost, ...paired } = pairAnswers(
    side(baseline),
    side(candidate),
    (old, now) => new UsageError(otherQuestion(old, now, names)),
  );
  const fresh = new Map(candidate.questions.map(({ id, failed }) => [id, failed]));
  const failed = baseline.questions.reduce((sum, { id }) => sum + (fresh.get(id) ?? candidate.repeats), 0);
  const silent = Array.from({ length: candidate.repeats }, () => undefined);
  return {
    baseline,
    candidate,
    ...paired,
    lost: lost.map((question) => ({ ...question, candidate: silent })),
    failedShare: failed / Math.max(1, baseline.questions.length * candidate.repeats),
  };
}

/** What a baseline alone knows, for planning: every question with an answer and a known gold, with itself as its run. */
export function baselineQuestions(
  arm: BaselineArm,
  gold: (question: string) => string | undefined,
): readonly PairedQuestion[] {
  return arm.questions.flatMap((asked) => {
    const truth = gold(asked.id);
    if (truth === undefined || asked.replies.length === 0) return [];
    const replies = repliesOf(asked, arm.repeats, truth);
    return [{ id: asked.id, user: asked.user, baseline: replies, candidate: replies }];
  });
}

function repliesOf({ replies, at }: Asked, repeats: number, gold: string): Replies {
  const repeatNumbers = at ?? replies.map((_, r) => r);
  return Array.from({ length: repeats }, (_, r) => {
    const prediction = replies[repeatNumbers.indexOf(r)];
    return prediction === undefined ? undefined : { prediction, gold };
  });
}

type Asked = BaselineArm["questions"][number];

function otherQuestion(old: Answers, now: Answers, names: { baseline: string; candidate: string }): string {
  const what = old.user === now.user ? "gold answer" : "user";
  return `question ${old.id}: its ${what} is another in ${names.candidate} than in ${names.baseline}: different data; gate runs of the same files, or write a new baseline`;
}

/** Whether baseline and candidate asked one model the same requests and read the same answers: then nothing was sampled anew. */
export function isIdentical({ baseline, candidate, questions, leftOut }: GatedArm): boolean {
  const known = [baseline, candidate].every(
    ({ requests, repeats }) => requests.length === repeats && !requests.includes(NOTHING_ASKED),
  );
  return (
    known &&
    leftOut.onlyA === 0 &&
    leftOut.failed === 0 &&
    baseline.model === candidate.model &&
    baseline.repeats === candidate.repeats &&
    baseline.requests.every((id, r) => id === candidate.requests[r]) &&
    questions.length > 0 &&
    questions.every(sameReadings)
  );
}

/** Repeat by repeat. */
const sameReadings = ({ baseline, candidate }: PairedQuestion): boolean =>
  baseline.length === candidate.length && baseline.every((pair, r) => pair?.prediction === candidate[r]?.prediction);

/** The id of no request at all: imported predictions and programs that ask nothing. */
const NOTHING_ASKED = contentId([]);
