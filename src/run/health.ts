import { BudgetError } from "../errors.js";
import { isTooLongText } from "../models/wire/failure.js";
import { armTitle } from "../plan/arms.js";
import type { Arm } from "../plan/types.js";
import { countOf } from "../text/count.js";
import type { ModelReply, ModelRequest, PhaseAt, Row } from "../types/index.js";

/** The one rule of what is wrong with replies: it is counted with each row, watched while a run works, and said at its end. */

/** Returns the incident of a reply that was cut or refused, `answer-cut=64`; undefined: it is whole. */
export function replyIncident(
  phase: PhaseAt,
  { maxTokens }: Pick<ModelRequest, "maxTokens">,
  { stop }: Pick<ModelReply, "stop">,
): string | undefined {
  if (CHOICES.test(phase)) return undefined;
  if (stop === "length") return `${phase}-cut=${maxTokens}`;
  return stop === "refusal" ? `${phase}-refused` : undefined;
}

/** Phases whose replies are short on purpose, and whose methods count what they cannot read. */
const CHOICES = /^(select|judge)\b/;

const INCIDENT = /^([\w@-]+)-(?:cut=(\d+)|(refused))$/;

type Counted = Pick<Row, "incidents">;

/** Returns what is wrong with the replies of an arm: `35 of 80 answers cut at 64 tokens`; `users`: what was prepared before the questions. */
export function healthOf(users: readonly Counted[], questions: readonly (Counted & Partial<Row>)[]): string[] {
  const said: string[] = [];
  const rows = countOf(questions.length, "answer");
  const some = (test: (row: Counted & Partial<Row>) => boolean, what: string): void => {
    const count = questions.filter(test).length;
    if (count > 0) said.push(`${count} of ${rows} ${what}`);
  };
  const names = new Set([...questions, ...users].flatMap(({ incidents }) => Object.keys(incidents)));
  for (const name of [...names].sort()) {
    const [, phase = "", limit] = INCIDENT.exec(name) ?? [];
    if (phase === "") continue;
    const what = limit === undefined ? "refused" : `cut at ${limit} tokens`;
    if (phase === "answer") some(({ incidents }) => name in incidents, what);
    else {
      const count = [...questions, ...users].reduce((sum, { incidents }) => sum + (incidents[name] ?? 0), 0);
      said.push(`${countOf(count, `${phase} call`)} ${what}`);
    }
  }
  some((row) => isEmpty(row) && !Object.keys(row.incidents).some((name) => INCIDENT.test(name)), "empty");
  some(({ outcome }) => outcome?.kind === "failed" && isTooLongText(outcome.error), "failed: the prompt is too long");
  return said;
}

const isEmpty = ({ outcome }: Partial<Row>): boolean =>
  outcome !== undefined && outcome.kind !== "failed" && outcome.reply.trim() === "";

const isReadable = (row: Pick<Row, "outcome">): boolean => row.outcome.kind === "answered" && !isEmpty(row);

/** Answers in a row that were cut before any text: then the run stops. */
const CUT_IN_A_ROW = 5;
/** Answers of which none can be read: then one is quoted. */
const UNREADABLE = 20;

interface Watched {
  cutInARow: number;
  rows: number;
  isWarned: boolean;
  lenient: number;
}

interface WatchSettings {
  readonly arms: readonly Arm[];
  /** The run's folder, as a person types it. */
  readonly folder: string;
  readonly stop: AbortController;
  warn(text: string): void;
}

/**
 * Watches the replies of each arm. Stops the run where five answers in a row, all bought by this process, were cut before any text, and
 * warns where none of twenty can be read. As with a cap, rows that are there stay.
 */
export function watchReplies({ arms, folder, stop, warn }: WatchSettings): (row: Row, isNew: boolean) => void {
  const watched = new Map<string, Watched>();
  return (row, isNew) => {
    if (row.outcome.kind === "failed") return;
    const arm = watched.get(row.arm) ?? { cutInARow: 0, rows: 0, isWarned: false, lenient: 0 };
    watched.set(row.arm, arm);
    const { spec } = arms.find((one) => one.spec.id === row.arm)!; // it answered
    const title = armTitle(spec, arms);
    const limit = Math.max(
      0,
      ...Object.keys(row.incidents).map((name) => Number(/^answer-cut=(\d+)/.exec(name)?.[1] ?? 0)),
    );
    if (isNew) arm.cutInARow = limit > 0 && isEmpty(row) ? arm.cutInARow + 1 : 0;
    if (arm.cutInARow === CUT_IN_A_ROW) stop.abort(cutError(title, limit, folder));
    arm.rows += 1;
    if (isReadable(row)) arm.isWarned = true;
    if (row.outcome.lenient !== undefined) arm.lenient += 1;
    if (arm.isWarned || arm.rows < UNREADABLE) return;
    arm.isWarned = true;
    warn(`${title}: none of ${UNREADABLE} answers can be read, ${unreadable(row, arm.lenient, arm.rows)}`);
  };
}

function cutError(title: string, limit: number, folder: string): BudgetError {
  const room = Math.max(4096, 4 * limit);
  return new BudgetError(
    `${title}: ${CUT_IN_A_ROW} answers in a row were cut at ${limit} tokens before any text, as of a model that thinks first`,
    `the same command with --set model.answerTokens=${room} --reuse ${folder} and another --out asks only those again`,
  );
}

/** Fewer answers say nothing of an arm: a first try with a few questions ends well. */
const FEWEST_UNREADABLE = 10;

/** Says of the arms without one readable answer what they replied. */
export function unreadableArms(rows: readonly Row[], title: (arm: string) => string): string[] {
  const unread = new Map<string, { readonly first: Row; rows: number; lenient: number }>();
  const readable = new Set(rows.filter(isReadable).map(({ arm }) => arm));
  for (const row of rows) {
    if (row.outcome.kind === "failed" || readable.has(row.arm)) continue;
    const arm = unread.get(row.arm) ?? { first: row, rows: 0, lenient: 0 };
    unread.set(row.arm, arm);
    arm.rows += 1;
    if (row.outcome.lenient !== undefined) arm.lenient += 1;
  }
  return [...unread]
    .filter(([, { rows: count }]) => count >= FEWEST_UNREADABLE)
    .map(
      ([arm, { first, rows: count, lenient }]) =>
        `${title(arm)}: no answer can be read, ${unreadable(first, lenient, count)}`,
    );
}

function unreadable({ outcome }: Row, lenient: number, count: number): string {
  const reply = outcome.kind === "failed" ? "" : outcome.reply.trim().replace(/\s+/g, " ");
  const quote = reply === "" ? "for example an empty one" : `for example ${JSON.stringify(reply.slice(0, 100))}`;
  return `${quote}; the lenient reading finds an answer in ${lenient} of ${count}`;
}
