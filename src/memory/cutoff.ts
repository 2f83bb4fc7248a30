import { sha256 } from "../text/content-id.js";
import type { Event } from "../types.js";

type Cutoff = "before-event" | "exclude-self" | "none";

/**
 * The part of a history that may be remembered while `event` is being simulated (METHODS 7.4, leak guard):
 * `before-event` what came before it, `exclude-self` all other events, `none` everything (leaks the answer).
 * The first two also leave out events with the same content. `history` is oldest first and holds `event`.
 */
export function eventsVisibleAt(history: readonly Event[], event: Event, cutoff: Cutoff): readonly Event[] {
  if (cutoff === "none") return history;
  const at = history.findIndex(({ id }) => id === event.id);
  const earlier = cutoff === "before-event" ? history.slice(0, Math.max(0, at)) : history;
  const hash = contentHash(event);
  return earlier.filter((other) => other.id !== event.id && contentHash(other) !== hash);
}

/** Letter case, blanks and Unicode compatibility forms do not make a text another text. */
function contentHash({ content }: Event): string {
  return sha256(content.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim());
}
