import type { PageAnswer, PageArm, PageQuestion, PageRun } from "../data.js";

/** The fields of the filter's form, by name. An empty text means any. */
export type Filter = Readonly<Record<"task" | "text" | "show" | "method", string>>;

export const armOf = (run: PageRun, answer: PageAnswer): PageArm | undefined => run.arms[answer.arm];

/** `right`, `wrong`, `unparsed`, `failed`, or a dash where answers are texts or there is no gold. */
export function markOf(run: PageRun, answer: PageAnswer): string {
  const { kind, value } = answer;
  const metric = armOf(run, answer)?.metric;
  if (kind !== "answered") return kind;
  if (metric?.exact !== true || value === undefined) return "–";
  return value === (metric.better === "lower" ? 0 : 1) ? "right" : "wrong";
}

/** As in the tables: `.513`. */
export const scoreText = (value: number | undefined): string => value?.toFixed(3).replace(/^(-?)0\./, "$1.") ?? "–";

/** Returns the questions of which an answer passes the filter, those on which the methods differ most first. */
export function filterQuestions(run: PageRun, filter: Filter): PageQuestion[] {
  const needle = filter.text.trim().toLowerCase();
  const holds = (...texts: readonly (string | undefined)[]): boolean =>
    texts.some((text) => text?.toLowerCase().includes(needle));
  const spreads = new Map(run.questions.map((question) => [question, spreadOf(question)]));
  const isShown = (answer: PageAnswer): boolean => {
    const mark = markOf(run, answer);
    return filter.show === "" || mark === filter.show || (filter.show === "wrong" && mark === "unparsed");
  };
  const found = run.questions.filter((question) => {
    const { id, task, user, asked, gold, answers } = question;
    if (run.tasks[task] !== filter.task) return false;
    const isAsked = holds(id, user, asked, gold);
    return answers.some(
      (answer) =>
        (filter.method === "" || armOf(run, answer)?.label === filter.method) &&
        (isAsked || holds(answer.text, answer.reading)) &&
        (filter.show === "differ" ? spreads.get(question)! > 0 : isShown(answer)),
    );
  });
  return found.sort((a, b) => spreads.get(b)! - spreads.get(a)!);
}

/** The variance of the values of a question's answers; -1 without any. */
function spreadOf({ answers }: PageQuestion): number {
  const values = answers.flatMap(({ value }) => value ?? []);
  if (values.length === 0) return -1;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}

/** Returns the answer shown beside an opened one: the first; beside the first, one with another score, else the second. */
export function besideOf({ answers }: PageQuestion, answer: PageAnswer): PageAnswer | undefined {
  if (answers[0] !== answer) return answers[0];
  return answers.find((other) => other.value !== answer.value) ?? answers[1];
}
