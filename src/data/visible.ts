import type { Event, Question } from "../types.js";
import { dateOrder } from "./dates.js";
import { sameContent } from "./same-content.js";

export type Visibility = "strict" | "as-shipped";

/** Why `history.visible=strict` hides an event from a question. */
type Hidden = "own" | "later" | "sameText";

/**
 * Judges events for one question: undefined for a visible event, else the reason to hide it. `own`: the question's own id;
 * `later`: dated after the question; `sameText`: its content is the question's. Source: METHODS 0.2.
 */
export function hiddenFrom(question: Question): (event: Event) => Hidden | undefined {
  const isLater = laterThan(question);
  const isSame = sameContent(question.content);
  return (event) => {
    if (event.id === question.id) return "own";
    if (isLater(event)) return "later";
    return isSame(event.content) ? "sameText" : undefined;
  };
}

/** Whether an event is dated after the question. Nothing is later than an undated question, nor an undated event. */
export function laterThan(question: Question): (event: Event) => boolean {
  const asked = dateOrder(question.date) ?? Number.NaN;
  return (event) => (dateOrder(event.date) ?? Number.NaN) > asked;
}

/** V(u, q): the events a question may see, in order. */
export function visibleHistory(events: readonly Event[], question: Question, visibility: Visibility): readonly Event[] {
  if (visibility === "as-shipped") return events;
  const judge = hiddenFrom(question);
  return events.filter((event) => judge(event) === undefined);
}
