import { pyStrip } from "../text/python.js";
import type { Reading } from "../types.js";
import { firstLine, unwrap } from "./unwrap.js";

export const UNPARSED: Reading = { kind: "unparsed" };
export const answered = (answer: string): Reading => ({ kind: "answer", answer });

/** The official reading: the reply, stripped, is one of the labels, letter by letter. Source: LaMP eval/evaluation.py. */
export function exactLabel(labels: readonly string[]): (reply: string) => Reading {
  return (reply) => {
    const text = pyStrip(reply);
    return labels.includes(text) ? answered(text) : UNPARSED;
  };
}

/**
 * A label inside wrapping, whatever its case. In order: the whole reply unwrapped, its first line, then the one label that
 * stands in it as a whole word, longest labels first (`dark comedy` is no `comedy`). Two different labels are no answer.
 */
export function namedLabel(labels: readonly string[]): (reply: string) => Reading {
  const byText = new Map(labels.map((label) => [label.toLowerCase(), label]));
  const longestFirst = [...labels].sort((a, b) => b.length - a.length).map(escaped);
  const mention = new RegExp(`(?<![\\p{L}\\p{N}-])(?:${longestFirst.join("|")})(?![\\p{L}\\p{N}-])`, "giu");
  return (reply) => {
    const whole = byText.get(unwrap(reply).toLowerCase()) ?? byText.get(firstLine(reply).toLowerCase());
    if (whole !== undefined) return answered(whole);
    const named = new Set(
      unwrap(reply)
        .match(mention)
        ?.map((word) => word.toLowerCase()),
    );
    const only = byText.get([...named][0] ?? "");
    return named.size === 1 && only !== undefined ? answered(only) : UNPARSED;
  };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
