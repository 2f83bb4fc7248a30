import type { Cell, OptionValue } from "../types/index.js";

interface Counted {
  readonly incidents: Readonly<Record<string, number>>;
}

interface Spending extends Counted {
  readonly spend: Readonly<Partial<Record<string, unknown>>>;
}

/** A part of its method that an arm did without, against what its name says. */
export interface Lack {
  /** Printed behind the name of the arm. */
  readonly mark: "NOT aligned" | "NO tools" | "NO history";
  readonly why: string;
}

/** Returns what an arm did without in all of its questions; `users`: what was prepared before them. */
export function lacksOf({ options }: Pick<Cell, "options">, users: readonly Counted[], questions: readonly Spending[]) {
  const lacks: Lack[] = [];
  if (isUnaligned(users, questions, options))
    lacks.push({ mark: "NOT aligned", why: reasonsIn([...users, ...questions]).join(", ") });
  const isAblation = "ablation.mode" in options; // its name says what it lacks
  const tools = isAblation ? undefined : Object.entries(options).find(([name]) => name.endsWith(".tools"));
  const isCalled = questions.some(({ incidents }) => Object.keys(incidents).some((name) => name.startsWith("tool=")));
  if (tools !== undefined && questions.length > 0 && !isCalled)
    lacks.push({ mark: "NO tools", why: `no question called one (${tools.join("=")})` });
  if (users.length > 0 && users.every(({ incidents }) => (incidents["no-history"] ?? 0) > 0))
    lacks.push({ mark: "NO history", why: "no user had a history item to remember" });
  return lacks;
}

const reasonsIn = (records: readonly Counted[]): string[] => {
  const counted = new Set(records.flatMap(({ incidents }) => Object.keys(incidents).filter(isFailedAlignment)));
  return [...counted].map((incident) => WHY[incident] ?? incident);
};

const WHY: Readonly<Record<string, string>> = {
  "align-skipped=no-history": "no history to learn from",
  "align-skipped=no-labels": "no labels to learn from",
  persona_update_failed: "no usable rewrite of a persona",
};

/** Whether an incident says that a persona was not aligned. */
const isFailedAlignment = (incident: string): boolean =>
  incident.startsWith("align-skipped") || incident === UPDATE_FAILED;

/** Whether a user's, or a question's, alignment changed nothing. Of several iterations all must have failed. */
function hasNoAlignment({ incidents }: Counted, options: Readonly<Record<string, OptionValue>>): boolean {
  const iterations = Number(options["align.iterations"] ?? 1);
  return Object.entries(incidents).some(
    ([incident, count]) => isFailedAlignment(incident) && count >= (incident === UPDATE_FAILED ? iterations : 1),
  );
}

/**
 * Whether that holds of all users and no question was aligned later (`align.schedule=rolling`), or of all questions, where each
 * has an alignment of its own.
 */
function isUnaligned(users: readonly Counted[], questions: readonly Spending[], options: Cell["options"]): boolean {
  const isNone = (one: Counted): boolean => hasNoAlignment(one, options);
  const isLater = (one: Spending): boolean => LEARNING.some((phase) => one.spend[phase] !== undefined) && !isNone(one);
  if (questions.length > 0 && questions.every(isNone)) return true;
  return users.length > 0 && users.every(isNone) && !questions.some(isLater);
}

/** Phases of the calls that rewrite a persona. */
const LEARNING = ["gradient", "update"];
const UPDATE_FAILED = "persona_update_failed";
