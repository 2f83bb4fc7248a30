import type { OptionValue } from "../types.js";

interface Counted {
  readonly incidents: Readonly<Record<string, number>>;
}

/** Whether an incident says that a persona was not aligned: there was nothing to learn from, or no usable rewrite came. */
export const isFailedAlignment = (incident: string): boolean =>
  incident.startsWith("align-skipped") || incident === UPDATE_FAILED;

/** Whether a user's, or a question's, alignment changed nothing. Of several iterations all must have failed: else something was learned. */
export function hasNoAlignment({ incidents }: Counted, options: Readonly<Record<string, OptionValue>>): boolean {
  const iterations = Number(options["align.iterations"] ?? 1);
  return Object.entries(incidents).some(
    ([incident, count]) => isFailedAlignment(incident) && count >= (incident === UPDATE_FAILED ? iterations : 1),
  );
}

/** Whether that holds of all users of an arm, or of all its questions where each has an alignment of its own. */
export const isUnaligned = (
  users: readonly Counted[],
  questions: readonly Counted[],
  options: Readonly<Record<string, OptionValue>>,
): boolean =>
  [users, questions].some((records) => records.length > 0 && records.every((one) => hasNoAlignment(one, options)));

// --- internal ---

const UPDATE_FAILED = "persona_update_failed";
