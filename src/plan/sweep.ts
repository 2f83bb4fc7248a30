import { dataOptions } from "../data/options.js";
import { UsageError } from "../errors.js";
import { suggest } from "../registry/registry.js";
import type { Method, OptionTable, OptionValue, SweepFacts } from "../types/index.js";
import { controlOptions } from "./controls.js";
import { runOptions } from "./options.js";
import type { Given, Sweep } from "./types.js";

/**
 * Returns the options of each point: scaling moves one axis at a time, all other kinds take the product of the axes. Explicit points
 * come after. Without axes and points: the one point that changes nothing.
 */
export function sweepPoints({ kind, axes, points }: Sweep = NONE): readonly Given[] {
  const each = Object.entries(axes).map(([option, values]) => values.map((value): Given => ({ [option]: value })));
  const product = each.reduce(
    (all, axis) => all.flatMap((point) => axis.map((value) => ({ ...point, ...value }))),
    [{}],
  );
  const ofAxes = kind === "scaling" ? each.flat() : each.length === 0 ? [] : product;
  return ofAxes.length + points.length === 0 ? [{}] : [...ofAxes, ...points];
}

const NONE: Sweep = { kind: "grid", axes: {}, points: [] };

/** What a sweep is over. */
interface Swept {
  readonly methods: readonly Method[];
  readonly models: readonly string[];
  readonly demo: boolean;
  /** The options that hold for all arms. */
  readonly given: Given;
}

/** Returns what varies, for the log. Throws UsageError where the kind of sweep lacks something, and on an axis that changes no arm. */
export function sweepFacts(sweep: Sweep, { methods, models, demo, given }: Swept): SweepFacts {
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

/** The axes, with what explicit points add to them. */
function axesOf({ axes, points }: Sweep): [option: string, values: OptionValue[]][] {
  const all = new Map(Object.entries(axes).map(([option, values]) => [option, new Set(values)]));
  for (const point of points)
    for (const [option, value] of Object.entries(point)) all.set(option, (all.get(option) ?? new Set()).add(value));
  return [...all].map(([option, values]) => [option, [...values]]);
}
