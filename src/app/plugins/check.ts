import * as z from "zod";
import { UsageError } from "../../errors.js";
import { choices } from "../../registry/registry.js";
import type { Additions } from "../../run/catalogue.js";

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
  const fields = Object.keys(moduleSchema.shape);
  const unknown = Object.keys(found).find((field) => !fields.includes(field));
  if (unknown !== undefined)
    throw new UsageError(`${file}: ${unknown}: no such field${choices(unknown, fields, "fields")}`);
  const [issue] = moduleSchema.safeParse(found).error?.issues ?? [];
  if (issue !== undefined) {
    const value = issue.path.reduce<unknown>((part, key) => (part as Fields | undefined)?.[String(key)], found);
    throw new UsageError(`${file}: ${placeOf(issue.path, found)}: expected ${issue.message}, is ${shownAs(value)}`);
  }
  if (!Object.keys(kinds).some((kind) => kind in found))
    throw new UsageError(`${file}: brings nothing; give one of ${Object.keys(kinds).join(", ")}`);
  return found as PluginModule; // every field is checked above
}

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** The messages say what is expected. */
const text = z.custom((value) => typeof value === "string" && value.trim() !== "", "a text");
const name = z.custom(
  (value) => typeof value === "string" && /^[\w.+-]+$/.test(value),
  "a name without blanks, as it is typed",
);
const number = z.number("a number above 0").positive("a number above 0");
const job = z.custom((value) => typeof value === "function", "a function");
const texts = z.array(z.string(), "a list of texts");
const words = <const T extends readonly string[]>(...of: T) =>
  z.enum(of, of.map((word) => JSON.stringify(word)).join(" or "));
const thing = <T extends z.ZodRawShape>(shape: T) => z.looseObject(shape, "an object");
const some = <T extends z.ZodType>(one: T) => z.array(one, "a list of one or more").min(1, "a list of one or more");

const about = { name, summary: text, source: text };
const options = z.record(z.string(), thing({ help: text, accepts: text, read: job, canonical: job }), "an object");
const metric = thing({
  ...{ name, title: text, better: words("higher", "lower"), source: text },
  ...{ width: number, add: job, value: job },
});

/** Each thing of a kind, in the order in which its fields are told. */
const kinds = {
  methods: thing({ ...about, options, personalize: job, plan: job }),
  tasks: thing({
    ...{ name, title: text, kind: words("label", "rating", "text"), labels: texts },
    ...{ answerNoun: text, itemNoun: text, maxAnswerTokens: number },
    ...{ summary: thing({ instruction: text }), styles: thing({}), show: job, pose: job },
    ...{ source: text, official: text, aliases: texts, fields: texts },
    ...{ event: job, question: job, strict: job, lenient: job, metrics: some(metric) },
  }),
  retrievers: thing({ ...about, index: job }),
  selectors: thing({ ...about, options, open: job }),
  metrics: metric,
  judges: thing({ ...about, shows: number, range: some(z.unknown()), request: job, read: job }),
  embedders: thing({ name, summary: text, costly: z.boolean("true or false"), open: job }),
  providers: thing({ name, summary: text, open: job }),
} satisfies Record<keyof Additions, z.ZodType>;

const moduleSchema = z.object({
  name: text.optional(),
  version: text.optional(),
  ...(Object.fromEntries(
    Object.entries(kinds).map(([kind, one]) => [kind, z.array(one, "a list").optional()]),
  ) as Record<string, z.ZodType>),
});

/** `methods[0] (echo): option echo.k: help`. */
function placeOf(path: readonly PropertyKey[], found: Fields): string {
  let part: unknown = found;
  let place = "";
  for (const [at, key] of path.entries()) {
    part = (part as Fields | undefined)?.[String(key)];
    const called = isObject(part) && typeof part.name === "string" ? ` (${part.name})` : "";
    if (typeof key === "number") place += `[${key}]${called}`;
    else if (path[at - 1] === "options") place = place.replace(/options$/, `option ${String(key)}`);
    else place += `${at === 0 ? "" : path[at - 1] === "summary" ? "." : ": "}${String(key)}`;
  }
  return place;
}

/** A module loaded as CommonJS or through a loader may have the export in `default` of `default`. */
function exportOf(exported: unknown): unknown {
  if (!isObject(exported)) return undefined;
  const { plugin, default: standard } = exported;
  if (plugin !== undefined) return plugin;
  return isObject(standard) && (standard.plugin ?? standard.default) !== undefined ? exportOf(standard) : standard;
}

function shownAs(value: unknown): string {
  if (value === undefined) return "absent";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isObject(value) || typeof value === "function") return typeof value === "function" ? "a function" : "an object";
  return JSON.stringify(value);
}
