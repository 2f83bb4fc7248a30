import type { PageAnswer, PageArm, PageQuestion, PageRun } from "../data.js";

/** What an answer is shown as; `score`: texts are more or less alike; `none`: the arm has no answer. */
export type Mark = "right" | "wrong" | "unparsed" | "failed" | "score" | "none";

export const answerOf = (question: PageQuestion, arm: number): PageAnswer | undefined =>
  question.answers.find((answer) => answer.arm === arm);

export function markOf(run: PageRun, answer: PageAnswer | undefined): Mark {
  if (answer === undefined) return "none";
  if (answer.kind !== "answered") return answer.kind;
  const { metric } = run.arms[answer.arm]!; // answers are of arms of the run
  if (metric?.exact !== true || answer.value === undefined) return "score";
  return answer.value === (metric.better === "lower" ? 0 : 1) ? "right" : "wrong";
}

/** Returns whether an answer scores as wrong: an unparsed reply does. */
const isWrong = (run: PageRun, answer: PageAnswer | undefined): boolean =>
  ["wrong", "unparsed"].includes(markOf(run, answer));

const signs: Readonly<Partial<Record<Mark, string>>> = { right: "✓", wrong: "✗", unparsed: "?", failed: "!" };

/** Returns what stands for an answer: a sign; the error of a rating, the score of a text. */
export function signText(run: PageRun, answer: PageAnswer): string {
  const outcome = markOf(run, answer);
  if (outcome === "score") return scoreText(answer.value).slice(0, 3);
  const isError = outcome === "wrong" && run.arms[answer.arm]?.metric?.better === "lower";
  return isError ? `±${answer.value}` : (signs[outcome] ?? "");
}

/** As in the tables: `.513`. */
export const scoreText = (value: number | undefined): string => value?.toFixed(3).replace(/^(-?)0\./, "$1.") ?? "–";

/** What the address says: `q`, `r`, `m`, `vs` of an answer; `t`, `show`, `a`, `b`, `text` of the list. */
export type Address = Partial<Record<"q" | "r" | "m" | "vs" | "t" | "show" | "a" | "b" | "text", string>>;

/** One task's part of the run, with the number of each arm in the run. */
export interface TaskView {
  readonly run: PageRun;
  readonly questions: readonly PageQuestion[];
  readonly arms: readonly (PageArm & { readonly number: number })[];
}

export function viewOf(run: PageRun, { t }: Address): TaskView {
  const task = Math.max(0, t === undefined ? 0 : run.tasks.indexOf(t));
  return {
    run,
    questions: run.questions.filter((question) => question.task === task),
    arms: run.arms.map((arm, number) => ({ ...arm, number })).filter((arm) => arm.task === task),
  };
}

/** Returns the outcomes that a method can be filtered by: ratings are right or wrong, and more or less wrong. */
export function outcomesOf({ arms: [arm] }: TaskView): readonly string[] {
  const isExact = arm?.metric?.exact === true;
  const isGraded = !isExact || arm.metric?.better === "lower";
  const marks = [...(isExact ? ["right", "wrong"] : []), ...(isGraded ? ["better", "worse"] : [])];
  return [...marks, "unparsed", "failed"];
}

/** One side of a filter: `rag:right` of the address. */
export interface Side {
  readonly arm: number;
  readonly label: string;
  readonly outcome: string;
}

/** Returns undefined where the text names no method of the task. */
export function sideOf({ arms }: TaskView, text = ""): Side | undefined {
  const end = text.lastIndexOf(":");
  const arm = arms.find(({ label }) => label === text.slice(0, end));
  return arm && { arm: arm.number, label: arm.label, outcome: text.slice(end + 1) };
}

/** Sets of questions, by the name in the address. */
export const questionSets: Readonly<Record<string, (run: PageRun, question: PageQuestion) => boolean>> = {
  "": () => true,
  differ: (_, question) => spreadOf(question) > 0,
  "all right": (run, { answers }) => answers.every((answer) => markOf(run, answer) === "right"),
  "all wrong": (run, { answers }) => answers.every((answer) => isWrong(run, answer)),
  unparsed: (_, { answers }) => answers.some(({ kind }) => kind === "unparsed"),
  failed: (_, { answers }) => answers.some(({ kind }) => kind === "failed"),
};

/** Returns the questions of the list, those on which the methods differ most first. */
export function filterQuestions(view: TaskView, address: Address): PageQuestion[] {
  const { run, questions } = view;
  const [a, b] = [sideOf(view, address.a), sideOf(view, address.b)];
  const isInSet = questionSets[address.show ?? ""] ?? (() => true);
  const needle = (address.text ?? "").trim().toLowerCase();
  const holds = (text: string | undefined): boolean => text?.toLowerCase().includes(needle) === true;
  const spreads = new Map(questions.map((question) => [question, spreadOf(question)]));
  return questions
    .filter((question) => isInSet(run, question) && passes(run, question, a, b) && passes(run, question, b, a))
    .filter(({ id, user, asked, gold, answers }) =>
      [id, user, asked, gold, ...answers.map(({ text }) => text)].some(holds),
    )
    .sort((first, second) => spreads.get(second)! - spreads.get(first)!);
}

/** Returns whether the answer of a side is as the filter says; better and worse are meant against the other side. */
function passes(run: PageRun, question: PageQuestion, side: Side | undefined, other: Side | undefined): boolean {
  if (side === undefined) return true;
  const answer = answerOf(question, side.arm);
  if (side.outcome === "wrong") return isWrong(run, answer);
  if (side.outcome !== "better" && side.outcome !== "worse") return markOf(run, answer) === side.outcome;
  const gain = other && advantage(run, answer, answerOf(question, other.arm));
  return gain !== undefined && (side.outcome === "better" ? gain > 0 : gain < 0);
}

/** Returns how much better one answer is than another; undefined where one has no score. */
export function advantage(run: PageRun, a: PageAnswer | undefined, b: PageAnswer | undefined): number | undefined {
  if (a?.value === undefined || b?.value === undefined) return undefined;
  const isLower = run.arms[a.arm]?.metric?.better === "lower";
  return isLower ? b.value - a.value : a.value - b.value;
}

/** Returns the variance of the values of a question's answers; -1 without any. */
function spreadOf({ answers }: PageQuestion): number {
  const values = answers.flatMap(({ value }) => value ?? []);
  if (values.length === 0) return -1;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}
