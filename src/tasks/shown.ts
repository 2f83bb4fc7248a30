import { pySplit } from "../text/python.js";
import type { Event } from "../types.js";

/** One line about a past event: `2019-02-27 | movie: A heist goes wrong. | tag: comedy`. Undated and unlabelled parts are left out. */
export function shown(itemNoun: string, answerNoun: string): (event: Event) => string {
  return (event) =>
    line([
      event.date,
      `${itemNoun}: ${event.content}`,
      event.label === undefined ? undefined : `${answerNoun}: ${event.label}`,
    ]);
}

/** Joins the parts that are there; every run of whitespace becomes one space. */
export function line(parts: readonly (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined)
    .map((part) => pySplit(part).join(" "))
    .join(" | ");
}
