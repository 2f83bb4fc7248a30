import { dataOptions } from "../data/options.js";
import { UsageError } from "../errors.js";
import { suggest } from "../registry/registry.js";
import type { Method, OptionTable, OptionValue, SweepFacts } from "../types/index.js";
import { controlOptions } from "./controls.js";
import { runOptions } from "./options.js";
import type { Given, Sweep } from "./types.js";

/**
 * Returns the options of each point of a sweep: of kind `scaling` each value of each axis, of other kinds all combinations; then the
 * explicit points. Returns one point without options if there is none of these.
 */
export function sweepPoints(sweep: Sweep | undefined): readonly Given[] {
  if (sweep === undefined) return [{}];
  const axes = Object.entries(sweep.axes).map(([option, values]) =>
    values.map((value): Given => ({ [option]: value })),
  );
  const axisPoints = sweep.kind === "scaling" ? axes.flat() : combinations(axes);
  const points = [...axisPoints, ...sweep.points];
  return points.length === 0 ? [{}] : points;
}

function combinations(axes: readonly (readonly Given[])[]): readonly Given[] {
  if (axes.length === 0) return [];
  const add = (all: readonly Given[], axis: readonly Given[]): Given[] =>
    all.flatMap((point) => axis.map((value) => ({ ...point, ...value })));
  return axes.reduce(add, [{}]);
}

/** What a sweep varies options of. */
interface SweepContext {
  readonly methods: readonly Method[];
  readonly models: readonly string[];
  readonly demo: boolean;
  /** Options of all arms. */
  readonly given: Given;
}

/** Returns kind and axes of a sweep, for the manifest. Throws UsageError on an incomplete sweep, and on an axis that changes no arm. */
export function sweepFacts(sweep: Sweep, { methods, models, demo, given }: SweepContext): SweepFacts {
  const { kind } = sweep;
  const refused = (what: string, problem: string) => new UsageError(`sweep ${what}: ${problem}`);
  const names = methods.map(({ name }) => name);
  const full = methods.find(({ name }) => methods.some(({ ablates }) => ablates === name));
  if (kind === "ablation" && full === undefined)
    throw refused(
      kind,
      `no method with one of its ablations among ${names.join(", ")}; name both, e.g. --method persona-agent,persona-agent-wo-memory`,
    );
  if (kind === "backbones" && models.length < 2 && !demo)
    throw refused(kind, `one model (${models.join()}); name several: model: [a/x, b/y] or --model a/x,b/y`);
  const axes = axesOf(sweep);
  if ((kind === "scaling" || kind === "grid") && axes.length === 0)
    throw refused(
      kind,
      "nothing varies; name an axis, e.g. --vary memory.k=1,2,4 (in a config: sweep: { memory.k: [1, 2, 4] })",
    );
  const known: OptionTable = Object.assign({}, ...methods.map(({ options }) => options), runOptions, controlOptions);
  const varied = axes.map(([name, values]) => {
    if (name in dataOptions)
      throw refused(
        name,
        "all arms of a run share their questions and histories; make a run for each value and compare them",
      );
    const option = known[name];
    if (option === undefined)
      throw refused(
        name,
        `none of the chosen methods has it (${names.join(", ")})${suggest(name, Object.keys(known))}`,
      );
    return { option: name, values, base: option.canonical(name, given[name] ?? option.default) };
  });
  const namedAxes = [
    ...(kind === "ablation" && full !== undefined ? [{ option: "method", values: names, base: full.name }] : []),
    ...(kind === "backbones" ? [{ option: "model", values: [...models] }] : []),
  ];
  return { kind, axes: [...namedAxes, ...varied] };
}

/** Returns the values of each option, those of explicit points included. */
function axesOf({ axes, points }: Sweep): [option: string, values: OptionValue[]][] {
  const all = new Map(Object.entries(axes).map(([option, values]) => [option, new Set(values)]));
  for (const point of points)
    for (const [option, value] of Object.entries(point)) all.set(option, (all.get(option) ?? new Set()).add(value));
  return [...all].map(([option, values]) => [option, [...values]]);
}
