import type { Judge } from "../types/index.js";
import { firstObject } from "./case-and-verdict.js";

interface Rubric {
  /** How the user explained the question. */
  readonly narrative: string;
  readonly aspects: readonly { readonly aspect: string; readonly reason?: string; readonly evidence?: string }[];
}

const MOST = 2;

/**
 * LaMP-QA: one call for each aspect that a good answer covers, 0, 1 or 2; a question's value is their sum over the largest one. The
 * aspect comes last, so that the calls about one answer begin alike. Own wording: the repository has no licence.
 */
export const aspects: Judge = {
  name: "aspects",
  summary: "the share of a question's aspects that a reply covers, one call an aspect; needs a rubric (lamp-qa)",
  source: "LaMP-QA, section 3.3; evaluation/evaluator.py @504410d (T 0, each further try .1 hotter), own wording",
  shows: 1,
  range: [0, 1],
  retryStep: 0.1,
  split: ({ rubric, ...shown }) => {
    const { narrative = "", aspects: all = [] } = (rubric ?? {}) as Partial<Rubric>;
    return all.map((aspect) => ({ ...shown, rubric: { narrative, aspects: [{ ...aspect }] } }));
  },
  request({ question, predictions: [reply], rubric }) {
    const {
      narrative,
      aspects: [one],
    } = rubric as unknown as Rubric; // of `split`
    const shown = [
      `Question:\n${question}`,
      `What the person wrote to explain it:\n${narrative}`,
      `The reply:\n${reply}`,
    ];
    const aspect = [
      `Aspect: ${one?.aspect}`,
      ...(one?.reason ? [`Why it matters to the person: ${one.reason}`] : []),
      ...(one?.evidence ? [`Where the person says so: ${one.evidence}`] : []),
    ];
    return {
      system: "You judge fairly and exactly how far a reply covers one aspect that matters to the person who asked.",
      messages: [{ role: "user", content: [...shown, aspect.join("\n"), DEMAND].join("\n\n") }],
      maxTokens: 4096,
    };
  },
  read(reply) {
    const score = firstObject(reply)?.match_score;
    if (typeof score !== "number" || !Number.isInteger(score) || score < 0 || score > MOST) return undefined;
    return { value: score / MOST, why: "" };
  },
};

const DEMAND =
  'How far does the reply cover this aspect, from 0 to 2? 0: not at all; 1: in part; 2: very well. Reply with a JSON object and nothing else: {"match_score": NUMBER}';
