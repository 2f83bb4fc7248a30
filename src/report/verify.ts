import { readReply } from "../tasks/reply-reading.js";
import { nounOf } from "../text/count.js";
import type { Cell, Question, Row, Task } from "../types/index.js";

/** A record, and where it stands: `rows.jsonl line 12`. */
export interface Placed<T> {
  readonly record: T;
  readonly where: string;
}

/** What the data say of a question. */
export interface KnownQuestion {
  readonly question: Question;
  readonly user: string;
  readonly gold?: string;
}

export interface RowMaterial {
  /** Name of the file that holds the rows. */
  readonly file: string;
  readonly cells: readonly Cell[];
  readonly task: (name: string) => Task;
  readonly rows: readonly Placed<Row>[];
  /** Questions of a task's data by id; undefined where the data are not at hand. */
  readonly questions: (task: string) => ReadonlyMap<string, KnownQuestion> | undefined;
  /** How many questions the plan counts for a task; undefined where it does not say. */
  readonly planned: (task: string) => number | undefined;
  readonly finished: boolean;
}

/** Rows against the plan, the data, the readings of their replies, and the mark of the embedded model. */
export const checkRows = (material: RowMaterial, simulated: boolean): Check[] => [
  checkCompleteness(material),
  checkGolds(material),
  checkReadings(material),
  eachRow("marks", material, {
    flaw: (row) => (row.simulated === true && !simulated ? "SIMULATED, but the manifest says no" : undefined),
    said: () => (simulated ? "the run is marked SIMULATED" : "no SIMULATED row"),
  }),
];

interface RowCheck {
  /** What is wrong with a row; undefined: nothing. */
  flaw(row: Row, where: string): string | undefined;
  /** What was looked at. */
  said(): string;
}

function eachRow(name: string, { rows }: Pick<RowMaterial, "rows">, { flaw, said }: RowCheck): Check {
  const problems = rows.flatMap(({ record, where }) => {
    const found = flaw(record, where);
    return found === undefined ? [] : [`${where}: question ${record.question}: ${found}`];
  });
  return passedOr(name, problems, said());
}

/** Every row is of a planned cell, and every planned question has one row in every cell of its task. */
function checkCompleteness(material: RowMaterial): Check {
  const { cells, rows, finished } = material;
  const planned = new Set(cells.map(({ id }) => id));
  const places = new Map<string, string>();
  const check = eachRow("completeness", material, {
    flaw(row, where) {
      const key = `${row.cell}\t${row.question}`;
      const earlier = places.get(key);
      places.set(key, where);
      if (!planned.has(row.cell)) return `no cell ${row.cell} in the plan`;
      return earlier === undefined ? undefined : `stands there twice (also ${earlier})`;
    },
    said: () =>
      `${rows.length} ${nounOf(rows.length, "row")}, each planned question once in each of ${cells.length} ${nounOf(cells.length, "cell")}`,
  });
  if (!finished && check.state === "ok")
    return unchecked(check.name, "the run has not ended; the same command finishes it");
  const missing = finished ? missingRows(material, places) : [];
  return passedOr(check.name, [...check.problems, ...missing], check.said);
}

/** Questions that have no row in a cell although another cell of their task, or the data, has them. */
function missingRows({ cells, file, questions, planned }: RowMaterial, places: ReadonlyMap<string, string>): string[] {
  const asked = new Map<string, Set<string>>();
  const taskOf = new Map(cells.map(({ id, task }) => [id, task]));
  for (const [cell = "", question = ""] of [...places.keys()].map((key) => key.split("\t"))) {
    const task = taskOf.get(cell) ?? "";
    asked.set(task, (asked.get(task) ?? new Set()).add(question));
  }
  return cells.flatMap(({ id, task, method, repeat }) => {
    const wanted = [...(questions(task)?.keys() ?? asked.get(task) ?? [])];
    const of = `${file}: ${task} ${method}${repeat === 0 ? "" : ` #${repeat + 1}`}`;
    const missing = wanted.filter((question) => !places.has(`${id}\t${question}`));
    const count = planned(task) ?? wanted.length;
    if (missing.length > 0 || wanted.length === count)
      return missing.map((question) => `${of}: no row for question ${question}`);
    return [`${of}: ${wanted.length} ${nounOf(wanted.length, "question")}, the plan counts ${count}`];
  });
}

/** Every outcome is what the reply reads as, by today's rules. */
function checkReadings(material: RowMaterial): Check {
  const unread = new Set<string>();
  const taskOf = new Map(material.cells.map((cell) => [cell.id, material.task(cell.task)]));
  let read = 0;
  return eachRow("readings", material, {
    flaw({ cell, question: id, outcome }) {
      const task = taskOf.get(cell);
      if (task === undefined || outcome.kind === "failed") return undefined;
      const question = questionFor(id, task, material.questions(task.name));
      if (question === undefined) unread.add(task.name);
      const fresh = readReply(task, question ?? blank(id), outcome.reply);
      read += 1;
      if (fresh.kind !== outcome.kind) return `stored as ${outcome.kind}, its reply reads as ${fresh.kind}`;
      if (question === undefined || fresh.lenient === outcome.lenient) return undefined;
      return `stored lenient reading ${shown(outcome.lenient)}, its reply reads as ${shown(fresh.lenient)}`;
    },
    said: () =>
      `${read} ${nounOf(read, "reply", "replies")} read again${unread.size === 0 ? "" : `; lenient readings of ${[...unread].join(", ")} need --data`}`,
  });
}

/** A question has one gold and one user in all cells, and those of the data where they are at hand. */
function checkGolds(material: RowMaterial): Check {
  const taskOf = new Map(material.cells.map((cell) => [cell.id, cell.task]));
  const first = new Map<string, { readonly row: Row; readonly where: string }>();
  let fromData = 0;
  return eachRow("golds", material, {
    flaw(row, where) {
      const task = taskOf.get(row.cell) ?? "";
      const known = material.questions(task);
      const key = `${task}\t${row.question}`;
      const earlier = first.get(key) ?? { row, where };
      first.set(key, earlier);
      if (known !== undefined) fromData += 1;
      const [wanted, source] =
        known === undefined ? [earlier.row, earlier.where] : [known.get(row.question), "the data"];
      if (wanted === undefined) return "not in the data";
      if (wanted.gold !== row.gold) return `gold ${shown(row.gold)}, but ${shown(wanted.gold)} in ${source}`;
      return wanted.user === row.user ? undefined : `user ${row.user}, but ${wanted.user} in ${source}`;
    },
    said: () =>
      fromData > 0
        ? `${fromData} ${nounOf(fromData, "row")} against the data`
        : "the same in all cells; against the data with --data",
  });
}

/**
 * The question that a reading needs: any will do but where the question itself is a choice (LaMP-1), whose titles a reply
 * may name. Undefined: it is needed and not at hand.
 */
const questionFor = (
  id: string,
  task: Task,
  known: ReadonlyMap<string, KnownQuestion> | undefined,
): Question | undefined => known?.get(id)?.question ?? (task.choice === undefined ? blank(id) : undefined);

const blank = (id: string): Question => ({ id, text: "", content: "", query: "" });

const shown = (text: string | undefined): string => (text === undefined ? "none" : JSON.stringify(text.slice(0, 60)));

/** One thing that was checked. */
export interface Check {
  readonly name: string;
  /** What was looked at, when all is well; what is missing, when it could not be looked at. */
  readonly said: string;
  readonly state: "ok" | "FAILED" | "not checked";
  /** Each names the file, the line or the question. */
  readonly problems: readonly string[];
  /** What it needs is not at hand, so that the run as a whole has not passed. */
  readonly absent?: true;
}

export const passedOr = (name: string, problems: readonly string[], said: string): Check =>
  problems.length === 0 ? { name, said, state: "ok", problems } : { name, said, state: "FAILED", problems };

export const unchecked = (name: string, said: string): Check => ({ name, said, state: "not checked", problems: [] });

/** Not checked because something that a person could give is missing: `said` names it. */
export const absent = (name: string, said: string): Check => ({ ...unchecked(name, said), absent: true });

/** Whether nothing failed and nothing that is needed was missing. */
export const allPassed = (checks: readonly Check[]): boolean =>
  checks.every((check) => check.state !== "FAILED" && check.absent !== true);

/** How many problems of one check are printed. */
const LISTED = 5;

/** One line a check; under a failed one its first problems. */
export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, said, problems }) => [
      `${state.padEnd(11)}  ${name.padEnd(width)}  ${state === "FAILED" ? countOf(problems) : said}`,
      ...problems.slice(0, LISTED).map((problem) => `             ${problem}`),
      ...(problems.length > LISTED ? [`             ... and ${problems.length - LISTED} more`] : []),
    ])
    .join("\n");
}

const countOf = ({ length }: readonly string[]): string => (length === 1 ? "1 problem" : `${length} problems`);
