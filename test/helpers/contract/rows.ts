import { callsPerQuestion, plannedIn } from "../../../src/registry/further-models.js";
import { countOf } from "../../../src/text/count.js";
import type { CallRange, PhaseAt, Spend } from "../../../src/types/index.js";
import { runTrial, type Subject, type Trial } from "./trial.js";
import { worldOf } from "./world.js";

/** A rule of rows and calls that a method breaks, in words. */
interface RowFinding {
  readonly rule: "rows" | "users" | "calls";
  readonly text: string;
}

/**
 * What a method leaves must not depend on how many questions are in work at once (`rows`), nor on which other users were
 * there before (`users`: each alone and all in turned order leave the same); and it makes the calls that it plans (`calls`).
 */
export async function rowFindings(subject: Subject): Promise<RowFinding[]> {
  const world = worldOf(subject.task);
  const first = await runTrial(subject, world);
  const wide = await runTrial(subject, world, { concurrency: WIDE });
  const turned = await runTrial(subject, world, { order: (units) => [...units].reverse() });
  const of = `of ${subject.method.name} on ${subject.task.name}`;
  return [
    ...differences(first, wide).map(
      (text): RowFinding => ({
        rule: "rows",
        text: `${text} ${of} is not the same with 1 and with ${WIDE} questions in work at once`,
      }),
    ),
    ...differences(first, turned).map(
      (text): RowFinding => ({
        rule: "users",
        text: `${text} ${of} is not the same when users are met in another order: something is kept from one to the next`,
      }),
    ),
    ...callsOutOfPlan(first).map((text): RowFinding => ({ rule: "calls", text: `${text} ${of}` })),
  ];
}

/** The phases whose calls lie outside of what was planned, in words. */
export function outOfPlan(spend: Spend, planned: CallRange): string[] {
  const phases = new Set([...Object.keys(spend), ...Object.keys(planned)] as PhaseAt[]);
  return [...phases].flatMap((phase) => {
    const calls = spend[phase]?.calls ?? 0;
    const { low, high } = planned[phase] ?? { low: 0, high: 0 };
    return calls >= low && calls <= high ? [] : [`${phase}: ${countOf(calls, "call")}, planned ${low}..${high}`];
  });
}

const WIDE = 16;

/** What differs between two runs, by the record that it is in. */
function differences(before: Trial, after: Trial): string[] {
  const [left, right] = [recordsOf(before), recordsOf(after)];
  return [...new Set([...left.keys(), ...right.keys()])].sort().filter((key) => left.get(key) !== right.get(key));
}

/** Every record as text, by what it is of. */
function recordsOf({ rows, units, traces }: Trial): Map<string, string> {
  return new Map([
    ...rows.map((row) => [`the answer to ${row.question}`, JSON.stringify(row)] as const),
    ...units.map((unit) => [`the preparation of ${unit.unit}`, JSON.stringify(unit)] as const),
    ...traces.map((trace) => [`the trace of ${trace.question ?? trace.unit}`, JSON.stringify(trace)] as const),
  ]);
}

function callsOutOfPlan({ arm, rows, units }: Trial): string[] {
  const plan = arm.method.plan(arm.options);
  const ofQuestion = callsPerQuestion(plan, arm.loaded.task, arm.spec.options.online === true);
  const histories = new Map(Array.from(arm.loaded.units, ({ id, user }) => [id, user.history]));
  const ofUnits = units
    .filter(({ shared }) => shared !== true)
    .flatMap(({ unit, spend }) =>
      outOfPlan(spend, plannedIn(plan.perUnit(histories.get(unit) ?? []), arm.spec)).map(
        (text) => `${text}: the preparation of ${unit}`,
      ),
    );
  const ofRows = rows.flatMap(({ question, spend }) =>
    outOfPlan(spend, plannedIn(ofQuestion, arm.spec)).map((text) => `${text}: the answer to ${question}`),
  );
  return [...ofUnits, ...ofRows];
}
