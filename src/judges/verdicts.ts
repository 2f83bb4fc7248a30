import { UNPARSED } from "../tasks/reply-reading.js";
import type { AskRequest, Judge, Method, Question, Reading, Task, Verdict } from "../types/index.js";
import { judgeOptions } from "./options.js";

/**
 * The task of a judge's run: every question is the prompt of one case, the reply is the verdict as JSON, or, where none could be read,
 * a JSON list of the replies. It has no gold. Users do not name it: `judge` brings it.
 */
export const judgeTask: Task = {
  name: "judge",
  official: "judge",
  aliases: [],
  title: "Verdicts of a judge",
  source: "lamp-eval judge",
  kind: "text",
  labels: [],
  answerNoun: "verdict",
  itemNoun: "reply",
  maxAnswerTokens: 250,
  requiredFields: [],
  styles: {},
  metrics: [],
  summary: { instruction: "", profileFields: [] },
  formatEvent: ({ content }) => content,
  pose: () => undefined,
  event: (fields) => ({ id: fields.id, fields, content: "", document: "" }),
  question: ({ id, input }) => questionOf(id, JSON.parse(input)),
  strict: (reply): Reading => (verdictIn(reply) === undefined ? UNPARSED : { kind: "answer", answer: reply }),
  lenient: () => UNPARSED,
};

/** Returns the question that asks for a verdict. */
export function questionOf(id: string, request: AskRequest): Question {
  const content = JSON.stringify(request);
  return { id, text: content, content, query: "" };
}

/** Returns the verdict in the reply of a row; undefined where the judge gave none that can be read. */
export function verdictIn(reply: string): Verdict | undefined {
  const said: Verdict | readonly string[] = JSON.parse(reply);
  return "value" in said ? said : undefined;
}

/** Returns the replies in a row without a verdict. */
export const repliesIn = (reply: string): readonly string[] => JSON.parse(reply);

const { "judge.onParseFail": _rule, "judge.history": _shown, ...options } = judgeOptions;

/** Returns the method of a judge's run: it asks for each verdict until a reply is one. */
export const judgeMethod = (judge: Judge): Method<typeof options> => ({
  name: judge.name,
  summary: judge.summary,
  source: judge.source,
  options,
  plan: ({ "judge.tries": high }) => ({ perUnit: () => ({}), perQuestion: () => ({ judge: { low: 1, high } }) }),
  personalize:
    async (_user, { "judge.temperature": temperature, "judge.tries": tries }) =>
    async (question, kit) => {
      const isSent = kit.model.capabilities.temperature && temperature !== undefined;
      const request = JSON.parse(question.content) as AskRequest;
      const replies: string[] = [];
      for (let draw = 0; draw < tries; draw += 1) {
        const heat = isSent ? { temperature: hotter(temperature, judge, draw) } : {};
        const { text, stop } = await kit.ask("judge", { ...heat, ...request, draw });
        replies.push(text);
        const verdict = stop === "refusal" ? undefined : judge.read(text);
        if (verdict !== undefined && isWithin(verdict.value, judge.range)) return JSON.stringify(verdict);
      }
      return JSON.stringify(replies);
    },
});

/** Returns the temperature of a further try; rounded, since it stands in the request. */
const hotter = (first: number, { retryStep = 0 }: Judge, draw: number): number =>
  Math.max(first, Math.min(1, Number((first + draw * retryStep).toFixed(2))));

const isWithin = (value: number, [least, most]: Judge["range"]): boolean =>
  Number.isFinite(value) && value >= least && value <= most;
