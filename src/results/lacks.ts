import { healthOf } from "../run/health.js";
import { countOf } from "../text/count.js";
import type { ArmSpec, Row } from "../types/index.js";

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
export function lacksOf(
  { options }: Pick<ArmSpec, "options">,
  users: readonly Counted[],
  questions: readonly Spending[],
) {
  const lacks: Lack[] = [];
  if (isUnaligned(users, questions, Number(options["align.iterations"] ?? 1))) {
    const failed = [...users, ...questions].flatMap(({ incidents }) => Object.keys(incidents).filter(isFailed));
    lacks.push({ mark: "NOT aligned", why: [...new Set(failed)].map((name) => WHY[name] ?? name).join(", ") });
  }
  const counts = (test: (incident: string) => boolean): boolean =>
    questions.some(({ incidents }) => Object.keys(incidents).some(test));
  if (counts((name) => name === "agent-no-tool-call") && !counts((name) => name.startsWith("tool=")))
    lacks.push({ mark: "NO tools", why: "no question called one" });
  if (users.length > 0 && users.every(({ incidents }) => (incidents["no-history"] ?? 0) > 0))
    lacks.push({ mark: "NO history", why: "no user had a history item to remember" });
  return lacks;
}

/** Incidents that a reader of a score must know of, as they are told. */
const FINDINGS: Readonly<Record<string, string>> = {
  "summary-empty": "an empty summary",
  "membank-summary-fallback": "raw text in place of failed summaries",
  "sage-summary-fallback": "raw text in place of failed summaries",
  "sage-profile-not-json": "a profile that is no JSON",
  "preparation-failed": "failed preparation",
  "persona-imitates-examples": "a persona that imitates the examples",
  "simulation-failed": "simulated answers that failed",
  "fallback=prompt": "nothing to show but the question",
  "fallback=no-memory": "no memory to recall",
  "select-unread": "a choice of memories that cannot be read",
  "agent-empty-answer": "an agent without an answer",
  "input-changed-by-server": "a prompt that the server changed",
};

/** Incidents of fewer users or questions stand in `--wide` alone. */
const NOTABLE_SHARE = 0.1;

/**
 * Returns what is wrong with an arm's replies, and what happened to a notable share of its users or questions and is no surprise of its
 * settings: `... : 44 of 44 users`.
 */
export function findingsOf(
  arm: Pick<ArmSpec, "options">,
  users: readonly Counted[],
  questions: readonly (Counted & Partial<Row>)[],
): string[] {
  const isControl = (arm.options["history.control"] ?? "right") !== "right";
  const told = Object.entries(FINDINGS).filter(([incident]) => !isControl || !incident.startsWith("fallback="));
  const findings = told.flatMap(([incident, what]) =>
    [
      { records: users, noun: "user" },
      { records: questions, noun: "question" },
    ].flatMap(({ records, noun }) => {
      const count = records.filter(({ incidents }) => (incidents[incident] ?? 0) > 0).length;
      if (count === 0 || count < NOTABLE_SHARE * records.length) return [];
      return [`${what}: ${count} of ${countOf(records.length, noun)}`];
    }),
  );
  return [...healthOf(users, questions), ...findings];
}

const UPDATE_FAILED = "persona_update_failed";

const WHY: Readonly<Record<string, string>> = {
  "align-skipped=no-history": "no history to learn from",
  "align-skipped=no-labels": "no labels to learn from",
  [UPDATE_FAILED]: "no usable rewrite of a persona",
};

const isFailed = (incident: string): boolean => incident.startsWith("align-skipped") || incident === UPDATE_FAILED;

/**
 * Returns true where alignment failed for every question (per-query), or for every user and no question was aligned later
 * (`align.schedule=rolling`).
 */
function isUnaligned(users: readonly Counted[], questions: readonly Spending[], iterations: number): boolean {
  const isNone = ({ incidents }: Counted): boolean =>
    Object.entries(incidents).some(
      ([name, count]) => isFailed(name) && count >= (name === UPDATE_FAILED ? iterations : 1),
    );
  if (questions.length > 0 && questions.every(isNone)) return true;
  const isLater = (one: Spending): boolean => ("gradient" in one.spend || "update" in one.spend) && !isNone(one);
  return users.length > 0 && users.every(isNone) && !questions.some(isLater);
}
