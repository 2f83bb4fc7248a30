import { UsageError } from "../../errors.js";
import { contentId } from "../../text/content-id.js";
import type { Pair } from "../../types.js";
import { refuseOtherFiles } from "../same-files.js";
import type { BaselineArm } from "./baseline.js";

/** One entry for each repeat; undefined where that repeat failed. */
export type GatedReplies = readonly (Pair | undefined)[];

/** A question that baseline and candidate both answered. */
export interface GatedQuestion {
  readonly id: string;
  readonly user: string;
  readonly baseline: GatedReplies;
  readonly candidate: GatedReplies;
}

export interface GatedArm {
  readonly baseline: BaselineArm;
  readonly candidate: BaselineArm;
  readonly questions: readonly GatedQuestion[];
  /**
   * Questions that the baseline answered and the run failed in every repeat, or lacks: the worst value in every bound, not in the
   * printed scores. `baseline` is empty where the gold of an absent question is not known.
   */
  readonly lost: readonly GatedQuestion[];
  /** Questions left out, by reason. `absent`: not in the candidate; `failed`: in neither or one of them answered. */
  readonly leftOut: {
    readonly absent: number;
    readonly added: number;
    readonly failed: number;
    readonly noGold: number;
  };
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
  const fresh = new Map(candidate.questions.map((question) => [question.id, question]));
  const questions: GatedQuestion[] = [];
  const lostQuestions: GatedQuestion[] = [];
  const leftOut = { absent: 0, added: 0, failed: 0, noGold: 0 };
  let lost = 0;
  for (const old of baseline.questions) {
    const now = fresh.get(old.id);
    if (now !== undefined && (now.user !== old.user || now.gold !== old.gold))
      throw new UsageError(otherQuestion(old, now, names));
    lost += now === undefined ? candidate.repeats : now.failed;
    const truth = gold(old.id, old.gold);
    const question = {
      id: old.id,
      user: old.user,
      baseline: truth === undefined ? [] : pairsOf(old, baseline.repeats, truth),
      candidate: now === undefined || truth === undefined ? failed(candidate) : pairsOf(now, candidate.repeats, truth),
    };
    if (now === undefined) leftOut.absent += 1;
    else if (truth === undefined) leftOut.noGold += 1;
    else if (old.replies.length === 0 || now.replies.length === 0) leftOut.failed += 1;
    else questions.push(question);
    const isLost = now === undefined ? old.gold !== undefined : truth !== undefined && now.replies.length === 0;
    if (isLost && old.replies.length > 0) lostQuestions.push(question);
  }
  const known = new Set(baseline.questions.map(({ id }) => id));
  leftOut.added = candidate.questions.filter(({ id }) => !known.has(id)).length;
  const failedShare = lost / Math.max(1, baseline.questions.length * candidate.repeats);
  return { baseline, candidate, questions, lost: lostQuestions, leftOut, failedShare };
}

/** The pairs of each repeat: none of a repeat that failed everywhere. */
export function byRepeat(replies: readonly GatedReplies[]): Pair[][] {
  const repeats = replies.reduce((most, { length }) => Math.max(most, length), 0);
  return Array.from({ length: repeats }, (_, r) => replies.flatMap((ofQuestion) => ofQuestion[r] ?? []));
}

/** What a baseline alone knows, for planning: every question with an answer and a known gold, with itself as its run. */
export function baselineQuestions(
  arm: BaselineArm,
  gold: (question: string) => string | undefined,
): readonly GatedQuestion[] {
  return arm.questions.flatMap((asked) => {
    const truth = gold(asked.id);
    if (truth === undefined || asked.replies.length === 0) return [];
    const replies = pairsOf(asked, arm.repeats, truth);
    return [{ id: asked.id, user: asked.user, baseline: replies, candidate: replies }];
  });
}

function pairsOf({ replies, at, given }: Asked, repeats: number, gold: string): GatedReplies {
  const repeatNumbers = at ?? replies.map((_, r) => r);
  return Array.from({ length: repeats }, (_, r) => {
    const place = repeatNumbers.indexOf(r);
    const prediction = replies[place];
    if (prediction === undefined) return undefined;
    return given === undefined ? { prediction, gold } : { prediction, gold, given: given[place] };
  });
}

/** No answer in any repeat. */
const failed = ({ repeats }: BaselineArm): GatedReplies => Array.from({ length: repeats }, () => undefined);

type Asked = BaselineArm["questions"][number];

function otherQuestion(old: Asked, now: Asked, names: { baseline: string; candidate: string }): string {
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
    leftOut.absent === 0 &&
    leftOut.failed === 0 &&
    baseline.model === candidate.model &&
    baseline.repeats === candidate.repeats &&
    baseline.requests.every((id, r) => id === candidate.requests[r]) &&
    questions.length > 0 &&
    questions.every(sameReadings)
  );
}

/** Repeat by repeat. */
const sameReadings = ({ baseline, candidate }: GatedQuestion): boolean =>
  baseline.length === candidate.length && baseline.every((pair, r) => pair?.prediction === candidate[r]?.prediction);

/** The id of no request at all: imported predictions and programs that ask nothing. */
const NOTHING_ASKED = contentId([]);
