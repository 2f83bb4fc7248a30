import type { PackedAnswer, PackedArm, PackedQuestion, PackedRun } from "../packed.js";

/** The fields of the filter's form, by name. An empty text means any. */
export type Filter = Readonly<Record<"task" | "text" | "show" | "against" | "method" | "order", string>>;

/** Whether answers are shown by how they differ from another method's. */
export const isComparing = ({ show }: Filter): boolean => ["other", "better", "worse"].includes(show);

export const armOf = (run: PackedRun, answer: PackedAnswer): PackedArm | undefined => run.arms[answer.arm];

/** `right`, `wrong`, `unparsed`, `failed`, or a dash where answers are texts or there is no gold. */
export function markOf(run: PackedRun, { kind, value, arm }: PackedAnswer): string {
  const metric = run.arms[arm]?.metric;
  if (kind !== "answered") return kind;
  if (metric?.exact !== true || value === undefined) return "–";
  return value === (metric.better === "lower" ? 0 : 1) ? "right" : "wrong";
}

/** As in the tables: `.513`. */
export const scoreText = (value: number | undefined): string => value?.toFixed(3).replace(/^(-?)0\./, "$1.") ?? "–";

/** The value counted upwards; undefined without one. */
function goodnessOf(run: PackedRun, answer: PackedAnswer): number | undefined {
  if (answer.value === undefined) return undefined;
  return armOf(run, answer)?.metric?.better === "lower" ? -answer.value : answer.value;
}

/** The questions of a task of which an answer passes the filter, in the order asked for. */
export function filterQuestions(run: PackedRun, filter: Filter): PackedQuestion[] {
  const task = Math.max(0, run.tasks.indexOf(filter.task));
  const needle = filter.text.trim().toLowerCase();
  const holds = (...texts: readonly (string | undefined)[]): boolean =>
    texts.some((text) => text?.toLowerCase().includes(needle));
  const isOfMethod = (answer: PackedAnswer): boolean =>
    filter.method === "" || armOf(run, answer)?.label === filter.method;
  const found = run.questions.filter((question) => {
    if (question.task !== task) return false;
    const { id, user, asked, gold, answers } = question;
    const isAsked = holds(id, user, asked, gold);
    const other = answers.find((answer) => armOf(run, answer)?.label === filter.against);
    return answers.some(
      (answer) =>
        isOfMethod(answer) &&
        (isAsked || holds(answer.text, answer.reading)) &&
        isShown(run, answer, filter.show, other),
    );
  });
  if (filter.order === "run") return found;
  const keyOf = ({ answers }: PackedQuestion): number => {
    const isWorst = filter.order === "worst";
    const values = answers.filter((one) => !isWorst || isOfMethod(one)).flatMap((one) => goodnessOf(run, one) ?? []);
    const middle = meanOf(values);
    return isWorst ? middle : -meanOf(values.map((value) => (value - middle) ** 2));
  };
  const keys = new Map(found.map((question) => [question, keyOf(question)]));
  const isScored = (question: PackedQuestion): boolean => !Number.isNaN(keys.get(question));
  const scored = found.filter(isScored).sort((a, b) => keys.get(a)! - keys.get(b)!);
  return [...scored, ...found.filter((question) => !isScored(question))];
}

/** NaN of no values. */
const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function isShown(run: PackedRun, answer: PackedAnswer, show: string, against: PackedAnswer | undefined): boolean {
  if (show === "all") return true;
  if (show === "unparsed" || show === "failed") return answer.kind === show;
  const mark = markOf(run, answer);
  if (show === "right") return mark === "right";
  if (show === "wrong") return mark === "wrong" || mark === "unparsed";
  const [mine, theirs] = [goodnessOf(run, answer), against && goodnessOf(run, against)];
  if (mine === undefined || theirs === undefined || mine === theirs) return false;
  return show === "other" || mine > theirs === (show === "better");
}

/** The answer that stands beside one that was opened: the first method's; beside that, the first that scored otherwise, or the next. */
export function besideOf({ answers }: PackedQuestion, answer: PackedAnswer): PackedAnswer | undefined {
  if (answers[0] !== answer) return answers[0];
  return answers.find((other) => other.value !== answer.value) ?? answers[1];
}

/** `cell/question`: the same in every report of the run. */
export const addressOf = ({ id }: PackedQuestion, { cell }: PackedAnswer): string =>
  [cell, id].map(encodeURIComponent).join("/");
