import type { Event, Kit } from "../../types/index.js";
import type { PersonaAgentOptions } from "./options.js";

/** Events with a label that the task can turn into a question again. */
export function askable(history: readonly Event[], kit: Pick<Kit, "task">): readonly Event[] {
  return history.filter((event) => event.label !== undefined && kit.task.pose(event) !== undefined);
}

/**
 * The past interactions to simulate in iteration 1, 2, ... out of `candidates`, oldest first; fewer than wanted where there are fewer.
 * `latest`: the same in every iteration. `rolling`: windows walk back in time and start over at the newest, so that fewer iterations are
 * a prefix of more.
 */
export function batchOf(
  candidates: readonly Event[],
  iteration: number,
  { "align.batch": batch, "align.batchSize": size }: PersonaAgentOptions,
): readonly Event[] {
  if (batch === "latest") return candidates.slice(-size);
  const windows = Math.max(1, Math.ceil(candidates.length / size));
  const end = candidates.length - ((iteration - 1) % windows) * size;
  return candidates.slice(Math.max(0, end - size), end);
}
