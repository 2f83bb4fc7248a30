import type { PackedArm, PackedRun } from "../packed.js";

/** The answers of the page with what is asked of them again and again. */
export interface Run extends PackedRun {
  /** First answer of each question, and the end. */
  readonly starts: readonly number[];
}

export function runOf(packed: PackedRun): Run {
  const starts = packed.questions.map(() => 0);
  for (let a = packed.question.length - 1; a >= 0; a--) starts[packed.question[a]!] = a;
  return { ...packed, starts: [...starts, packed.question.length] };
}

export const answersOf = ({ starts }: Run, question: number): number[] => {
  const [from, to] = [starts[question] ?? 0, starts[question + 1] ?? 0];
  return Array.from({ length: to - from }, (_, a) => from + a);
};

export const placeOf = (run: Run, answer: number): number => run.cells[run.cell[answer] ?? -1]?.arm ?? -1;

export const armOf = (run: Run, answer: number): PackedArm | undefined => run.arms[placeOf(run, answer)];

export const answerBy = (run: Run, question: number, label: string): number | undefined =>
  answersOf(run, question).find((answer) => armOf(run, answer)?.label === label);

/**
 * The answer that stands beside one that was chosen: the first method's; beside the first method's own, the first that scored
 * otherwise, or the next.
 */
export function besideOf(run: Run, answer: number): number | undefined {
  const answers = answersOf(run, run.question[answer]!);
  if (answers[0] !== answer) return answers[0];
  return answers.find((other) => run.value[other] !== run.value[answer]) ?? answers[1];
}

/** The value counted upwards; undefined without one. */
export function goodnessOf(run: Run, answer: number): number | undefined {
  const value = run.value[answer];
  if (typeof value !== "number") return undefined;
  return armOf(run, answer)?.metric?.better === "lower" ? -value : value;
}

/** Whether the answer is the right one; undefined where it has no score, or answers are texts, more or less alike. */
export function isRight(run: Run, answer: number): boolean | undefined {
  const value = run.value[answer];
  const metric = armOf(run, answer)?.metric;
  if (metric?.exact !== true || typeof value !== "number") return undefined;
  return value === (metric.better === "lower" ? 0 : 1);
}

/** `right`, `wrong`, `unparsed`, `failed`, or a dash where answers are texts or there is no gold. */
export function markOf(run: Run, answer: number): string {
  if (run.kind[answer] === "f") return "failed";
  if (run.kind[answer] === "u") return "unparsed";
  const right = isRight(run, answer);
  return right === undefined ? "–" : right ? "right" : "wrong";
}

/** As in the tables: `.513`. */
export const scoreText = (value: number | null | undefined): string =>
  typeof value === "number" ? value.toFixed(3).replace(/^(-?)0\./, "$1.") : "–";

/** `cell/question`: the same in every report of the run. */
export const answerId = (run: Run, answer: number): string =>
  [run.cells[run.cell[answer]!]?.id, run.questions[run.question[answer]!]?.id]
    .map((id) => encodeURIComponent(id ?? ""))
    .join("/");

export function answerOf(run: Run, id: string): number | undefined {
  const [cell, question] = id.split("/").map(decodeURIComponent);
  const found = run.cell.findIndex(
    (c, a) => run.cells[c]?.id === cell && run.questions[run.question[a]!]?.id === question,
  );
  return found === -1 ? undefined : found;
}
