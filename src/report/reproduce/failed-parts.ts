import { hasNoAlignment, isFailedAlignment } from "../alignment.js";
import type { OwnArm } from "../papers/paper.js";

/** A part of an arm's method that failed for some of its users or questions. */
interface FailedPart {
  /** `persona-agent on lamp2m (RUN): alignment failed for 28 of 28 users (persona_update_failed 28)`. */
  readonly text: string;
  /** More than half: what the arm measured is not the method. */
  readonly mostly: boolean;
}

/** What of an arm's method failed, by what its records count: answers, preparation, alignment, summaries, memory. */
export function failedParts(arm: OwnArm): FailedPart[] {
  const { cell, run, summary, rows, units } = arm;
  const { questions, failed, unparsed } = summary.counts;
  const ofUsers = units.filter(({ shared }) => shared !== true);
  const found = (text: string, count: number, of: number, always = false): FailedPart[] =>
    count === 0 || (!always && 2 * count <= of)
      ? []
      : [{ text: `${cell.method} on ${cell.task} (${run}): ${text}`, mostly: 2 * count > of }];
  return [
    ...found(`${failed} of ${questions} answers failed`, failed, questions),
    ...found(`${unparsed} of ${questions} answers could not be read`, unparsed, questions),
    ...Object.entries(PARTS).flatMap(([part, isOf]) =>
      ([["users", ofUsers] as const, ["questions", rows] as const] as const).flatMap(([what, records]) => {
        const broken = records.filter(({ incidents }) =>
          part === ALIGNMENT ? hasNoAlignment({ incidents }, cell.options) : Object.keys(incidents).some(isOf),
        );
        const text = `${part} failed for ${broken.length} of ${records.length} ${what} (${countsOf(broken, isOf)})`;
        return found(text, broken.length, records.length, part === ALIGNMENT);
      }),
    ),
  ];
}

type Records = readonly { readonly incidents: Readonly<Record<string, number>> }[];

const ALIGNMENT = "alignment";

/** What counts say that a method went without this part of it. */
const PARTS: Readonly<Record<string, (incident: string) => boolean>> = {
  preparation: (incident) => incident === "preparation-failed",
  [ALIGNMENT]: isFailedAlignment,
  summary: (incident) => incident === "summary-empty",
  memory: (incident) => incident.startsWith("fallback="),
};

function countsOf(records: Records, isOf: (incident: string) => boolean): string {
  const counts = new Map<string, number>();
  for (const { incidents } of records)
    for (const [incident, count] of Object.entries(incidents))
      if (isOf(incident)) counts.set(incident, (counts.get(incident) ?? 0) + count);
  return [...counts].map(([incident, count]) => `${incident} ${count}`).join(", ");
}
