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

/** Rows against the plan, the data and the readings of their replies. */
export const checkRows = (material: RowMaterial): Check[] => [
  checkCompleteness(material),
  checkGolds(material),
  checkReadings(material),
];

/** Every row is of a planned cell, and every planned question has one row in every cell of its task. */
function checkCompleteness({ file, cells, rows, questions, planned, finished }: RowMaterial): Check {
  const name = "completeness";
  const known = new Map(cells.map((cell) => [cell.id, cell]));
  const foreign = rows.filter(({ record }) => !known.has(record.cell));
  const problems = foreign.map(
    ({ record, where }) => `${where}: question ${record.question}: no cell ${record.cell} in the plan`,
  );
  problems.push(...repeatedRows(rows));
  const byTask = new Map<string, Set<string>>();
  for (const { record: row } of rows) {
    const task = known.get(row.cell)?.task;
    if (task !== undefined) byTask.set(task, (byTask.get(task) ?? new Set()).add(row.question));
  }
  if (!finished && problems.length === 0) return unchecked(name, "the run has not ended; the same command finishes it");
  if (finished) for (const cell of cells) problems.push(...missingRows(cell, { file, rows }, wantedOf(cell.task)));
  return passedOr(
    name,
    problems,
    `${rows.length} ${nounOf(rows.length, "row")}, each planned question once in each of ${cells.length} ${nounOf(cells.length, "cell")}`,
  );

  function wantedOf(task: string): { ids: ReadonlySet<string>; count: number } {
    const fromData = questions(task);
    const ids = fromData === undefined ? (byTask.get(task) ?? new Set<string>()) : new Set(fromData.keys());
    return { ids, count: planned(task) ?? ids.size };
  }
}

/** Every outcome is what the reply reads as, by today's rules. */
function checkReadings({ cells, task, rows, questions }: RowMaterial): Check {
  const problems: string[] = [];
  let read = 0;
  const unread = new Set<string>();
  const taskOf = new Map(cells.map((cell) => [cell.id, task(cell.task)]));
  for (const { record: row, where } of rows) {
    const rowTask = taskOf.get(row.cell);
    if (rowTask === undefined || row.outcome.kind === "failed") continue;
    const question = questionFor(row, rowTask, questions(rowTask.name));
    if (question === undefined) unread.add(rowTask.name);
    const fresh = readReply(rowTask, question ?? blank(row.question), row.outcome.reply);
    read += 1;
    if (fresh.kind !== row.outcome.kind)
      problems.push(
        `${where}: question ${row.question}: stored as ${row.outcome.kind}, its reply reads as ${fresh.kind}`,
      );
    else if (question !== undefined && fresh.lenient !== row.outcome.lenient)
      problems.push(
        `${where}: question ${row.question}: stored lenient reading ${shown(row.outcome.lenient)}, its reply reads as ${shown(fresh.lenient)}`,
      );
  }
  const left = unread.size === 0 ? "" : `; lenient readings of ${[...unread].join(", ")} need --data`;
  return passedOr("readings", problems, `${read} ${nounOf(read, "reply", "replies")} read again${left}`);
}

/** A question has one gold and one user in all cells, and those of the data where they are at hand. */
function checkGolds({ cells, rows, questions }: RowMaterial): Check {
  const taskOf = new Map(cells.map((cell) => [cell.id, cell.task]));
  const first = new Map<string, Placed<Row>>();
  const problems: string[] = [];
  let fromData = 0;
  for (const placed of rows) {
    const { record: row, where } = placed;
    const task = taskOf.get(row.cell) ?? "";
    const known = questions(task);
    const key = `${task}\t${row.question}`;
    const earlier = first.get(key) ?? placed;
    first.set(key, earlier);
    const wanted = known === undefined ? earlier.record : known.get(row.question);
    const source = known === undefined ? earlier.where : "the data";
    if (known !== undefined) fromData += 1;
    if (wanted === undefined) problems.push(`${where}: question ${row.question}: not in the data`);
    else if (wanted.gold !== row.gold)
      problems.push(
        `${where}: question ${row.question}: gold ${shown(row.gold)}, but ${shown(wanted.gold)} in ${source}`,
      );
    else if (wanted.user !== row.user)
      problems.push(`${where}: question ${row.question}: user ${row.user}, but ${wanted.user} in ${source}`);
  }
  const against =
    fromData > 0
      ? `${fromData} ${nounOf(fromData, "row")} against the data`
      : "the same in all cells; against the data with --data";
  return passedOr("golds", problems, against);
}

/** No number of an embedded model passes for a real one. */
export function checkMarks(rows: readonly Placed<Row>[], simulated: boolean): Check {
  const unmarked = simulated ? [] : rows.filter(({ record }) => record.simulated === true);
  const problems = unmarked.map(
    ({ record, where }) => `${where}: question ${record.question}: SIMULATED, but the manifest says no`,
  );
  return passedOr("marks", problems, simulated ? "the run is marked SIMULATED" : "no SIMULATED row");
}

/**
 * The question that a reading needs: any will do but where the question itself is a choice (LaMP-1), whose titles a reply
 * may name. Undefined: it is needed and not at hand.
 */
export function questionFor(
  row: Row,
  task: Task,
  known: ReadonlyMap<string, KnownQuestion> | undefined,
): Question | undefined {
  return known?.get(row.question)?.question ?? (task.choice === undefined ? blank(row.question) : undefined);
}

const blank = (id: string): Question => ({ id, text: "", content: "", query: "" });

const shown = (text: string | undefined): string => (text === undefined ? "none" : JSON.stringify(text.slice(0, 60)));

function repeatedRows(rows: readonly Placed<Row>[]): string[] {
  const places = new Map<string, string>();
  return rows.flatMap(({ record: row, where }) => {
    const key = `${row.cell}\t${row.question}`;
    const earlier = places.get(key);
    places.set(key, where);
    return earlier === undefined ? [] : [`${where}: question ${row.question} stands there twice (also ${earlier})`];
  });
}

function missingRows(
  cell: Cell,
  { file, rows }: Pick<RowMaterial, "file" | "rows">,
  { ids, count }: { ids: ReadonlySet<string>; count: number },
): string[] {
  const have = new Set(rows.flatMap(({ record: row }) => (row.cell === cell.id ? [row.question] : [])));
  const of = `${cell.task} ${cell.method}${cell.repeat === 0 ? "" : ` #${cell.repeat + 1}`}`;
  const missing = [...ids].filter((id) => !have.has(id)).map((id) => `${file}: ${of}: no row for question ${id}`);
  if (missing.length > 0 || have.size === count) return missing;
  return [`${file}: ${of}: ${have.size} ${nounOf(have.size, "question")}, the plan counts ${count}`];
}

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
