import { UsageError } from "../../errors.js";
import { suggest } from "../../registry/registry.js";
import type { Method, OptionTable, OptionValue, SweepFacts, SweepKind } from "../../types/index.js";
import { controlOptions } from "./controls.js";
import { runOptions } from "./options.js";
import type { Point, Sweep } from "./types.js";

/**
 * The points of a sweep: scaling moves one axis at a time and leaves the others at their base; all other kinds take the
 * product of the axes. Explicit points come after. Without axes and points: the one point that changes nothing.
 */
export function sweepPoints(sweep: Sweep | undefined): readonly Point[] {
  if (sweep === undefined) return [{}];
  const { kind, axes, points } = sweep;
  const along = kind === "scaling" ? oneAtATime(axes) : Object.keys(axes).length === 0 ? [] : product(axes);
  const all = [...along, ...points];
  return all.length === 0 ? [{}] : all;
}

/** What stands in the manifest. `given` are the options that hold for all arms. */
export function sweepFacts(
  { kind, axes, points }: Sweep,
  chosen: {
    readonly methods: readonly Method[];
    readonly models: readonly string[];
    readonly given: Readonly<Record<string, OptionValue>>;
  },
): SweepFacts {
  const { methods, models, given } = chosen;
  const full = methods.find((method) => methods.some(({ ablates }) => ablates === method.name));
  const arms =
    kind === "ablation" && full !== undefined
      ? [{ knob: "method", values: methods.map(({ name }) => name), base: full.name }]
      : kind === "backbones"
        ? [{ knob: "model", values: [...models] }]
        : [];
  const knobs = Object.entries(withPoints(axes, points)).map(([knob, values]) => ({
    knob,
    values: [...values],
    ...baseOf(knob, methods, given),
  }));
  return { kind, axes: [...arms, ...knobs] };
}

/** One line for each thing that this kind of sweep needs and lacks, and for each axis that changes no arm. */
export function sweepProblems(
  { kind, axes, points }: Sweep,
  chosen: {
    readonly methods: readonly Method[];
    readonly models: readonly string[];
    readonly demo: boolean;
    /** Options that are the same for all arms of a run. */
    readonly common: OptionTable;
  },
): string[] {
  const { methods, models, demo, common } = chosen;
  const knobs = Object.keys(withPoints(axes, points));
  const names = methods.map(({ name }) => name);
  const needs: Readonly<Record<SweepKind, () => string | undefined>> = {
    ablation: () =>
      methods.some(({ ablates }) => ablates !== undefined && names.includes(ablates))
        ? undefined
        : `no method with one of its ablations among ${names.join(", ")}; name both, e.g. --method persona-agent,persona-agent-wo-memory`,
    backbones: () =>
      models.length > 1 || demo
        ? undefined
        : `one model (${models.join()}); name several: model: [a/x, b/y] or --model a/x,b/y`,
    controls: () => (names.length > 0 ? undefined : "no method; name one, e.g. --method rag"),
    scaling: () => (knobs.length > 0 ? undefined : noAxes),
    grid: () => (knobs.length > 0 ? undefined : noAxes),
  };
  const lacking = needs[kind]();
  return [
    ...(lacking === undefined ? [] : [`sweep ${kind}: ${lacking}`]),
    ...knobs.flatMap((knob) => uselessAxis(knob, methods, common)),
  ];
}

/** Throws UsageError with the first of the problems. */
export function checkSweep(...request: Parameters<typeof sweepProblems>): void {
  const [problem] = sweepProblems(...request);
  if (problem !== undefined) throw new UsageError(problem);
}

type Axes = Sweep["axes"];

const noAxes = "nothing varies; name an axis, e.g. --vary memory.k=1,2,4 (in a config: sweep: { memory.k: [1, 2, 4] })";

const oneAtATime = (axes: Axes): Point[] =>
  Object.entries(axes).flatMap(([knob, values]) => values.map((value) => ({ [knob]: value })));

const product = (axes: Axes): Point[] =>
  Object.entries(axes).reduce<Point[]>(
    (points, [knob, values]) => points.flatMap((point) => values.map((value) => ({ ...point, [knob]: value }))),
    [{}],
  );

/** The axes, with what explicit points add to them. */
function withPoints(axes: Axes, points: readonly Point[]): Axes {
  const all: Record<string, OptionValue[]> = Object.fromEntries(
    Object.entries(axes).map(([knob, values]) => [knob, [...values]]),
  );
  for (const point of points)
    for (const [knob, value] of Object.entries(point)) {
      all[knob] ??= [];
      if (!all[knob].includes(value)) all[knob].push(value);
    }
  return all;
}

/** The value of a knob where no axis varies it. */
function baseOf(
  knob: string,
  methods: readonly Method[],
  given: Readonly<Record<string, OptionValue>>,
): { base?: OptionValue } {
  const tables: readonly OptionTable[] = [...methods.map(({ options }) => options), runOptions, controlOptions];
  const option = tables.map((table) => table[knob]).find((found) => found !== undefined);
  return option === undefined ? {} : { base: option.canonical(knob, given[knob] ?? option.default) };
}

function uselessAxis(knob: string, methods: readonly Method[], common: OptionTable): string[] {
  if (knob in common)
    return [
      `sweep ${knob}: all arms of a run share their questions and histories; make a run for each value and compare them`,
    ];
  const known = [runOptions, controlOptions, ...methods.map(({ options }) => options)].flatMap((table) =>
    Object.keys(table),
  );
  if (known.includes(knob)) return [];
  const names = methods.map(({ name }) => name).join(", ");
  return [`sweep ${knob}: none of the chosen methods has it (${names})${suggest(knob, known)}`];
}
