import { UsageError } from "../../errors.js";
import type { TaskBrief } from "../../types.js";

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
