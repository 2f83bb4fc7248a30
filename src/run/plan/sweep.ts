import { UsageError } from "../../errors.js";
import { suggest } from "../../registry/registry.js";
import type { Method, OptionTable, OptionValue, SweepFacts } from "../../types/index.js";
import { controlOptions } from "./controls.js";
import { runOptions } from "./options.js";
import type { Given, Point, Sweep } from "./types.js";

/**
 * Returns the points of a sweep: scaling moves one axis at a time and leaves the others at their base; all other kinds take the
 * product of the axes. Explicit points come after. Without axes and points: the one point that changes nothing.
 */
export function sweepPoints(sweep: Sweep | undefined): readonly Point[] {
  if (sweep === undefined) return [{}];
  const { kind, points } = sweep;
  const axes = Object.entries(sweep.axes);
  const all = [...(kind === "scaling" ? oneAtATime(axes) : axes.length === 0 ? [] : product(axes)), ...points];
  return all.length === 0 ? [{}] : all;
}

type Axis = readonly [option: string, values: readonly OptionValue[]];

const oneAtATime = (axes: readonly Axis[]): Point[] =>
  axes.flatMap(([option, values]) => values.map((value) => ({ [option]: value })));

const product = (axes: readonly Axis[]): Point[] =>
  axes.reduce<Point[]>(
    (points, [option, values]) => points.flatMap((point) => values.map((value) => ({ ...point, [option]: value }))),
    [{}],
  );

/** The axes, with what explicit points add to them. */
function axesOf({ axes, points }: Sweep): [option: string, values: OptionValue[]][] {
  const all = new Map(Object.entries(axes).map(([option, values]) => [option, new Set(values)]));
  for (const point of points)
    for (const [option, value] of Object.entries(point)) all.set(option, (all.get(option) ?? new Set()).add(value));
  return [...all].map(([option, values]) => [option, [...values]]);
}

/** What a sweep is over. */
interface Chosen {
  readonly methods: readonly Method[];
  readonly models: readonly string[];
}

const tablesOf = (methods: readonly Method[]): OptionTable[] => [
  ...methods.map(({ options }) => options),
  ...[runOptions, controlOptions],
];

/** Returns what stands in the log. `given`: the options that hold for all arms. */
export function sweepFacts(sweep: Sweep, { methods, models, given }: Chosen & { readonly given: Given }): SweepFacts {
  const { kind } = sweep;
  const full = methods.find((method) => methods.some(({ ablates }) => ablates === method.name));
  const arms =
    kind === "ablation" && full !== undefined
      ? [{ knob: "method", values: methods.map(({ name }) => name), base: full.name }]
      : kind === "backbones"
        ? [{ knob: "model", values: [...models] }]
        : [];
  const options = axesOf(sweep).map(([knob, values]) => {
    const option = tablesOf(methods).flatMap((table) => table[knob] ?? [])[0];
    return { knob, values, ...(option && { base: option.canonical(knob, given[knob] ?? option.default) }) };
  });
  return { kind, axes: [...arms, ...options] };
}

interface CheckedSweep extends Chosen {
  readonly demo: boolean;
  /** Options that are the same for all arms of a run. */
  readonly common: OptionTable;
}

/** Throws UsageError where this kind of sweep lacks what it needs, and on an axis that changes no arm. */
export function checkSweep(sweep: Sweep, { methods, models, demo, common }: CheckedSweep): void {
  const { kind } = sweep;
  const axes = axesOf(sweep);
  const names = methods.map(({ name }) => name);
  const refuse = (what: string, problem: string): never => {
    throw new UsageError(`sweep ${what}: ${problem}`);
  };
  if (kind === "ablation" && !methods.some(({ ablates }) => ablates !== undefined && names.includes(ablates)))
    refuse(
      kind,
      `no method with one of its ablations among ${names.join(", ")}; name both, e.g. --method persona-agent,persona-agent-wo-memory`,
    );
  if (kind === "backbones" && models.length < 2 && !demo)
    refuse(kind, `one model (${models.join()}); name several: model: [a/x, b/y] or --model a/x,b/y`);
  if ((kind === "scaling" || kind === "grid") && axes.length === 0)
    refuse(
      kind,
      "nothing varies; name an axis, e.g. --vary memory.k=1,2,4 (in a config: sweep: { memory.k: [1, 2, 4] })",
    );
  const known = tablesOf(methods).flatMap((table) => Object.keys(table));
  for (const [option] of axes)
    if (option in common)
      refuse(
        option,
        "all arms of a run share their questions and histories; make a run for each value and compare them",
      );
    else if (!known.includes(option))
      refuse(option, `none of the chosen methods has it (${names.join(", ")})${suggest(option, known)}`);
}
