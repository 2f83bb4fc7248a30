import type { Event } from "../../src/types/index.js";

/** A labelled movie event. */
export function event(id: string, date: string | undefined, content: string, label = "comedy"): Event {
  return {
    id,
    fields: { id, description: content, tag: label },
    content,
    document: content,
    label,
    ...(date === undefined ? {} : { date }),
  };
}
