import { UsageError } from "../../errors.js";
import type { Additions } from "../../plan/catalogue.js";
import { choices } from "../../registry/registry.js";
import { isObject } from "../../text/json.js";

/** Exports of a plug-in's module. */
interface PluginModule extends Additions {
  readonly name?: string;
  readonly version?: string;
}

/** The fields that each thing must have, in the order in which they are checked; those with `()` are functions. */
const kinds: Readonly<Record<keyof Additions, string>> = {
  methods: "name summary source options personalize() plan()",
  tasks:
    "name title kind labels answerNoun itemNoun maxAnswerTokens summary styles formatEvent() pose() source official aliases requiredFields event() question() strict() lenient() metrics",
  retrievers: "name summary source index()",
  selectors: "name summary source options open()",
  metrics: "name title better source sumCount add() value()",
  judges: "name summary source shows range request() read()",
  embedders: "name summary open()",
  providers: "name summary open()",
};
const optionFields = "help accepts read() canonical()";

/** Returns the plug-in that a module exports, as default or as `plugin`. Throws UsageError naming the file and the first field that is wrong. */
export function checkedPlugin(exported: unknown, file: string): PluginModule {
  const found = exportOf(exported);
  if (!isObject(found))
    throw new UsageError(
      `${file}: exports no plug-in; write export default { methods: [...] }, or export const plugin = ...`,
    );
  const { name: _, version: __, ...lists } = found;
  for (const [kind, list] of Object.entries(lists)) {
    if (!Object.hasOwn(kinds, kind))
      throw new UsageError(`${file}: ${kind}: no such field${choices(kind, Object.keys(kinds), "fields")}`);
    if (!Array.isArray(list)) throw new UsageError(`${file}: ${kind}: expected a list`);
    for (const [at, thing] of list.entries()) {
      const problem = problemOf(kind as keyof Additions, thing);
      if (problem !== undefined) throw new UsageError(`${file}: ${kind}[${at}]: ${problem}`);
    }
  }
  if (Object.keys(lists).length === 0)
    throw new UsageError(`${file}: brings nothing; give one of ${Object.keys(kinds).join(", ")}`);
  return found as PluginModule; // every field is checked above
}

type Fields = Readonly<Record<string, unknown>>;

/** A module loaded as CommonJS or through a loader may have the export in `default` of `default`. */
function exportOf(exported: unknown): unknown {
  if (!isObject(exported)) return undefined;
  const { plugin, default: standard } = exported;
  if (plugin !== undefined) return plugin;
  return isObject(standard) && (standard.plugin ?? standard.default) !== undefined ? exportOf(standard) : standard;
}

function problemOf(kind: keyof Additions, thing: unknown): string | undefined {
  const lack = lackOf(thing, kinds[kind]);
  if (lack !== undefined) return lack;
  const { name, better = "higher", options = {}, metrics = [] } = thing as Fields;
  if (!/^[\w.+-]+$/.test(String(name)))
    return `name ${JSON.stringify(name)}: expected one without blanks, as it is typed`;
  if (better !== "higher" && better !== "lower") return 'better: expected "higher" or "lower"';
  for (const [key, option] of Object.entries(options as Fields)) {
    const lack = lackOf(option, optionFields);
    if (lack !== undefined) return `option ${key}: ${lack}`;
  }
  return [metrics]
    .flat()
    .map((metric) => problemOf("metrics", metric))
    .find((one) => one !== undefined);
}

/** Returns the first field that a thing has not; undefined where it has all. */
function lackOf(thing: unknown, fields: string): string | undefined {
  for (const [, name = "", call] of fields.matchAll(/(\w+)(\(\))?/g)) {
    const value = isObject(thing) ? thing[name] : undefined;
    if (call !== undefined && typeof value !== "function") return `${name}: expected a function`;
    if (value === undefined) return `${name}: missing`;
  }
  return undefined;
}
