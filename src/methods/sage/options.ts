import { agentOptions } from "../../agent/options.js";
import { UsageError } from "../../errors.js";
import { eventOptions, memoryOptions } from "../../memory/episodic.js";
import { choice, counted, integer, text } from "../../registry/options.js";
import { selectOptions } from "../../selectors/select-option.js";
import type { Options, OptionTable, TaskBrief } from "../../types/index.js";

/** Knobs of `sage` (METHODS 10). */
export const sageOptions = {
  "sage.mode": choice({
    default: "agent",
    of: ["agent", "direct"],
    help: "agent: asks the preference tool what it wants to know; direct: the tool is asked the question once, then one answer",
  }),
  "sage.bucket": counted({
    default: "date",
    plain: ["date", "month", "year"],
    counted: ["chunk"],
    help: "which events are summarized together (SAGE: a day)",
  }),
  ...eventOptions,
  "sage.schema": text({
    default: "task",
    help: "fields of the profile: task (those of the task), released (SAGE's own), or names with commas between",
  }),
  "sage.k": integer({ default: 5, min: 1, help: "history items that the preference tool is shown (SAGE: 5)" }),
  "memory.kind": memoryOptions["memory.kind"],
  ...selectOptions,
  ...agentOptions,
} satisfies OptionTable;

export type SageOptions = Options<typeof sageOptions>;

/**
 * The fields of a profile that `sage.schema` names. Throws UsageError where it names none. Source of `released`: the fixed schema of
 * SAIC-MONTREAL/SAGE at 5f43df0 (interoperability strings).
 */
export function schemaOf(schema: string, task: TaskBrief): readonly string[] {
  if (schema === "released") return RELEASED;
  if (schema === "task") return task.summary.fields ?? [`${task.answerNoun}s`, "topics", "liked", "avoided"];
  const fields = schema
    .split(",")
    .map((field) => field.trim())
    .filter((field) => field !== "");
  if (fields.length > 0) return fields;
  throw new UsageError(`sage.schema=${schema}: name the fields of the profile, or use task or released`);
}

const RELEASED = [
  "sports",
  "favorite_teams",
  "shows_genre",
  "movie_genre",
  "favorite_shows",
  "favorite_movies",
  "genre_to_avoid",
];
