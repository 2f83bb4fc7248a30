import * as z from "zod";
import { builtIn } from "../src/plan/catalogue.js";
import { presetFiles } from "../src/plan/config.js";
import { allOptions } from "../src/plan/options.js";
import { configSchema, configSettings, type Setting } from "../src/plan/settings.js";
import type { Json, Option } from "../src/types/index.js";

type Schema = { readonly [key: string]: Json };

/**
 * The JSON Schema of a config file, for editors: configs/lamp-eval.schema.json. As strict as `lamp-eval doctor` on keys
 * and options; on values as far as JSON Schema can say it.
 */
export function configJsonSchema(catalogue = builtIn): Schema {
  const { tasks, methods, providers } = catalogue;
  const { $schema, properties, ...rest } = z.toJSONSchema(configSchema) as Schema & { properties: Schema };
  const table = Object.entries(allOptions(catalogue));
  const options = mapOf(
    table.map(([name, option]) => [
      name,
      { ...valueSchema(option), description: option.help, default: option.default },
    ]),
  );
  const axes = mapOf(
    table.map(([name]) => [
      name,
      { type: "array", minItems: 1, items: { $ref: `#/$defs/options/properties/${name}` } },
    ]),
  );
  /** What a schema made of the types alone cannot know: the names that there are. */
  const known: Readonly<Record<string, Schema>> = {
    extends: { examples: [...presetFiles().keys()] },
    task: { examples: [...tasks.names] },
    method: { examples: [...methods.names] },
    model: { examples: providers.names.map((name) => `${name}/`) },
  };
  const given = { $ref: "#/$defs/options" };
  const ofOptions: Readonly<Record<string, Schema>> = {
    set: given,
    perTask: { type: "object", additionalProperties: given },
    points: { type: "array", items: given },
    sweep: axes,
  };
  return {
    $schema: $schema ?? "https://json-schema.org/draft/2020-12/schema",
    title: "lamp-eval config",
    ...rest,
    properties: Object.fromEntries(
      Object.entries<Setting>(configSettings).map(([key, { help, default: usual }]) => [
        key,
        {
          ...(ofOptions[key] ?? (properties[key] as Schema)),
          description: help,
          ...(usual === undefined ? {} : { default: usual }),
          ...known[key],
        },
      ]),
    ),
    $defs: { options },
  };
}

const mapOf = (entries: readonly (readonly [string, Schema])[]): Schema => ({
  type: "object",
  additionalProperties: false,
  properties: Object.fromEntries(entries),
});

/** From what the option says it accepts; a value that it does not say is left to `lamp-eval doctor`. */
function valueSchema({ accepts }: Option<unknown>): Schema {
  const form = forms.find(({ pattern }) => pattern.test(accepts));
  return form?.schema(form.pattern.exec(accepts) ?? []) ?? { type: ["string", "number", "boolean"] };
}

const bound = (name: string, text: string | undefined): Schema =>
  text === undefined || text === "" ? {} : { [name]: Number(text) };

const forms: readonly { readonly pattern: RegExp; schema(match: readonly (string | undefined)[]): Schema }[] = [
  {
    pattern: /^a whole number (?:of (-?\d+) or more|from (-?\d+) to (-?\d+))$/,
    schema: ([, least, low, high]) => ({
      type: "integer",
      ...bound("minimum", least ?? low),
      ...bound("maximum", high),
    }),
  },
  {
    pattern: /^a number(?: of (-?[\d.]+) or more| of (-?[\d.]+) or less| from (-?[\d.]+) to (-?[\d.]+))?$/,
    schema: ([, least, most, low, high]) => ({
      type: "number",
      ...bound("minimum", least ?? low),
      ...bound("maximum", most ?? high),
    }),
  },
  {
    pattern: /^a number from (-?[\d.]+) to (-?[\d.]+), or none$/,
    schema: ([, low, high]) => ({
      anyOf: [{ type: "number", ...bound("minimum", low), ...bound("maximum", high) }, { const: "none" }],
    }),
  },
  { pattern: /^true or false$/, schema: () => ({ type: "boolean" }) },
  { pattern: /^text$/, schema: () => ({ type: "string" }) },
  { pattern: /^a comma list of /, schema: () => ({ type: "string" }) },
  {
    pattern: /^one of (.+?)(?: \(N is a (whole )?number above 0\))?$/,
    schema: ([, list = "", whole]) => {
      const words = list.split(", ");
      const counted = words.filter((word) => word.endsWith(":N")).map((word) => word.slice(0, -2));
      const plain = { enum: words.filter((word) => !word.endsWith(":N")) };
      if (counted.length === 0) return plain;
      return {
        anyOf: [
          plain,
          { type: "string", pattern: `^(${counted.join("|")}):\\d+${whole === undefined ? "(\\.\\d+)?" : ""}$` },
        ],
      };
    },
  },
];
