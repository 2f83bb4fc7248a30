import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import type { Additions } from "../catalogue.js";

/** What a plug-in's module exports. */
interface PluginModule extends Additions {
  readonly name?: string;
  readonly version?: string;
}

/** The plug-in that a module exports, as default or as `plugin`. Throws UsageError naming the file and the first field that is wrong. */
export function checkedPlugin(exported: unknown, file: string): PluginModule {
  const found = exportOf(exported);
  if (!isObject(found))
    throw new UsageError(
      `${file}: exports no plug-in; write export default { methods: [...] }, or export const plugin = ...`,
    );
  for (const [field, value] of Object.entries(found)) {
    if (field === "name" || field === "version") {
      if (value !== undefined) check(value, text, `${file}: ${field}`);
    } else if (field in kinds) checkList(value, kinds[field as keyof typeof kinds], `${file}: ${field}`);
    else throw new UsageError(`${file}: ${field}: no such field${choices(field, fields, "fields")}`);
  }
  if (!Object.keys(kinds).some((kind) => kind in found))
    throw new UsageError(`${file}: brings nothing; give one of ${Object.keys(kinds).join(", ")}`);
  return found as PluginModule; // every field is checked above
}

type Fields = Readonly<Record<string, unknown>>;

interface Shape {
  readonly is: (value: unknown) => boolean;
  readonly words: string;
}

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

const text: Shape = { is: (value) => typeof value === "string" && value.trim() !== "", words: "a text" };
const name: Shape = {
  is: (value) => typeof value === "string" && /^[\w.+-]+$/.test(value),
  words: "a name without blanks, as it is typed",
};
const number: Shape = { is: (value) => typeof value === "number" && value > 0, words: "a number above 0" };
const truth: Shape = { is: (value) => typeof value === "boolean", words: "true or false" };
const job: Shape = { is: (value) => typeof value === "function", words: "a function" };
const texts: Shape = {
  is: (value) => Array.isArray(value) && value.every((one) => typeof one === "string"),
  words: "a list of texts",
};
const record: Shape = { is: (value) => isObject(value) && !Array.isArray(value), words: "an object" };
const list: Shape = { is: (value) => Array.isArray(value) && value.length > 0, words: "a list of one or more" };
const oneOf = (...words: readonly string[]): Shape => ({
  is: (value) => words.some((word) => word === value),
  words: words.map((word) => JSON.stringify(word)).join(" or "),
});

interface Kind {
  readonly shapes: Readonly<Record<string, Shape>>;
  /** Things within the thing. */
  readonly within?: (thing: Fields, where: string) => void;
}

const option: Kind = { shapes: { help: text, accepts: text, read: job, canonical: job } };

const metric: Kind = {
  shapes: { name, title: text, better: oneOf("higher", "lower"), source: text, width: number, add: job, value: job },
};

const kinds = {
  methods: {
    shapes: { name, summary: text, source: text, options: record, personalize: job, plan: job },
    within: ({ options }, where) => {
      for (const [knob, value] of Object.entries(options as Fields))
        checkThing(value, option, `${where}: option ${knob}`);
    },
  },
  tasks: {
    shapes: {
      name,
      title: text,
      kind: oneOf("label", "rating", "text", "choice"),
      labels: texts,
      answerNoun: text,
      itemNoun: text,
      maxAnswerTokens: number,
      summary: record,
      styles: record,
      show: job,
      pose: job,
      source: text,
      official: text,
      aliases: texts,
      fields: texts,
      event: job,
      question: job,
      strict: job,
      lenient: job,
      metrics: list,
    },
    within: ({ metrics, summary }, where) => {
      check((summary as Fields).instruction, text, `${where}: summary.instruction`);
      checkList(metrics, metric, `${where}: metrics`);
    },
  },
  retrievers: { shapes: { name, summary: text, source: text, index: job } },
  selectors: {
    shapes: { name, summary: text, source: text, options: record, open: job },
    within: ({ options }, where) => {
      for (const [knob, value] of Object.entries(options as Fields))
        checkThing(value, option, `${where}: option ${knob}`);
    },
  },
  metrics: metric,
  judges: { shapes: { name, summary: text, source: text, shows: number, range: list, request: job, read: job } },
  embedders: { shapes: { name, summary: text, costly: truth, open: job } },
  providers: { shapes: { name, summary: text, open: job } },
} satisfies Record<keyof Additions, Kind>;

const fields = ["name", "version", ...Object.keys(kinds)];

/** A module loaded as CommonJS or through a loader may have the export in `default` of `default`. */
function exportOf(exported: unknown): unknown {
  if (!isObject(exported)) return undefined;
  const { plugin, default: standard } = exported;
  if (plugin !== undefined) return plugin;
  return isObject(standard) && (standard.plugin ?? standard.default) !== undefined ? exportOf(standard) : standard;
}

function checkList(value: unknown, kind: Kind, where: string): void {
  if (!Array.isArray(value)) throw new UsageError(`${where}: expected a list, is ${shownAs(value)}`);
  for (const [index, thing] of value.entries()) {
    const called = isObject(thing) && typeof thing.name === "string" ? ` (${thing.name})` : "";
    checkThing(thing, kind, `${where}[${index}]${called}`);
  }
}

function checkThing(thing: unknown, { shapes, within }: Kind, where: string): void {
  check(thing, record, where);
  const given = thing as Fields;
  for (const [field, shape] of Object.entries(shapes)) check(given[field], shape, `${where}: ${field}`);
  within?.(given, where);
}

function check(value: unknown, { is, words }: Shape, where: string): void {
  if (!is(value)) throw new UsageError(`${where}: expected ${words}, is ${shownAs(value)}`);
}

function shownAs(value: unknown): string {
  if (value === undefined) return "absent";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isObject(value) || typeof value === "function") return typeof value === "function" ? "a function" : "an object";
  return JSON.stringify(value);
}
