import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import type { Additions } from "../../run/catalogue.js";

/** What a plug-in's module exports. */
interface PluginModule extends Additions {
  readonly name?: string;
  readonly version?: string;
}

/** The fields of each thing, in the order in which they are checked; what stands behind a field is its form. */
const kinds: Readonly<Record<keyof Additions, string>> = {
  methods: "name summary source options{} personalize() plan()",
  tasks:
    "name title kind=label|rating|text labels[] answerNoun itemNoun maxAnswerTokens# summary{} styles{} formatEvent() pose() source official aliases[] requiredFields[] event() question() strict() lenient() metrics[]",
  retrievers: "name summary source index()",
  selectors: "name summary source options{} open()",
  metrics: "name title better=higher|lower source sumCount# add() value()",
  judges: "name summary source shows# range[] request() read()",
  embedders: "name summary open()",
  providers: "name summary open()",
};
const option = "help accepts read() canonical()";

/** Returns the plug-in that a module exports, as default or as `plugin`. Throws UsageError naming the file and the first field that is wrong. */
export function checkedPlugin(exported: unknown, file: string): PluginModule {
  const found = exportOf(exported);
  if (!isObject(found))
    throw new UsageError(
      `${file}: exports no plug-in; write export default { methods: [...] }, or export const plugin = ...`,
    );
  const { name = file, version = "none", ...lists } = found;
  const unknown = Object.keys(lists).find((field) => !(field in kinds));
  if (unknown !== undefined)
    throw new UsageError(`${file}: ${unknown}: no such field${choices(unknown, Object.keys(kinds), "fields")}`);
  const wrong =
    problemOf({ plugin: name, version }, "plugin version") ??
    Object.entries(lists).flatMap(([kind, list]) => listProblem(kind as keyof Additions, list) ?? [])[0];
  if (wrong !== undefined) throw new UsageError(`${file}: ${wrong}`);
  if (Object.keys(lists).length === 0)
    throw new UsageError(`${file}: brings nothing; give one of ${Object.keys(kinds).join(", ")}`);
  return found as PluginModule; // every field is checked above
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A module loaded as CommonJS or through a loader may have the export in `default` of `default`. */
function exportOf(exported: unknown): unknown {
  if (!isObject(exported)) return undefined;
  const { plugin, default: standard } = exported;
  if (plugin !== undefined) return plugin;
  return isObject(standard) && (standard.plugin ?? standard.default) !== undefined ? exportOf(standard) : standard;
}

/** Returns `methods[0] (echo): option echo.k: help: expected a text, is absent`; undefined where nothing is wrong. */
function listProblem(kind: keyof Additions, list: unknown): string | undefined {
  if (!Array.isArray(list)) return `${kind}: expected a list, is ${formOf(list)}`;
  for (const [at, thing] of list.entries()) {
    const problem = problemOf(thing, kinds[kind]) ?? innerProblem(kind, thing);
    const called = isObject(thing) && typeof thing.name === "string" ? ` (${thing.name})` : "";
    if (problem !== undefined) return `${kind}[${at}]${called}: ${problem}`;
  }
  return undefined;
}

function innerProblem(kind: keyof Additions, { options = {}, metrics }: Fields): string | undefined {
  for (const [name, one] of Object.entries(options as Fields)) {
    const problem = problemOf(one, option);
    if (problem !== undefined) return `option ${name}: ${problem}`;
  }
  return kind === "tasks" ? listProblem("metrics", metrics) : undefined;
}

function problemOf(thing: unknown, fields: string): string | undefined {
  if (!isObject(thing)) return `expected an object, is ${formOf(thing)}`;
  for (const [, field = "", form = ""] of fields.matchAll(/(\w+)(\S*)/g)) {
    const value = thing[field];
    const [expected, fits] = formFor(field, form);
    if (!fits(value)) return `${field}: expected ${expected}, is ${formOf(value)}`;
  }
  return undefined;
}

function formFor(field: string, form: string): readonly [string, (value: unknown) => boolean] {
  if (form === "()") return ["a function", (value) => typeof value === "function"];
  if (form === "{}") return ["an object", isObject];
  if (form === "[]") return ["a list", Array.isArray];
  if (form === "#") return ["a number above 0", (value) => Number(value) > 0];
  const words = form.slice(1).split("|");
  if (form !== "") return [words.map((word) => `"${word}"`).join(" or "), (value) => words.includes(String(value))];
  const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";
  if (field !== "name") return ["a text", isText];
  return ["a name without blanks, as it is typed", (value) => isText(value) && /^[\w.+-]+$/.test(String(value))];
}

function formOf(value: unknown): string {
  if (value === undefined) return "absent";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "function") return "a function";
  return isObject(value) ? "an object" : JSON.stringify(value);
}
