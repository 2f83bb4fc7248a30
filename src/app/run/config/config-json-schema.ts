import * as z from "zod";
import { builtIn } from "../../../catalogue.js";
import type { Json, Option } from "../../../types.js";
import { allOptions } from "../../common/all-options.js";
import { configSchema, presetFiles } from "./config-file.js";

type Schema = { readonly [key: string]: Json };

/**
 * The JSON Schema of a config file, for editors: configs/lamp-eval.schema.json. As strict as `lamp-eval validate` on keys
 * and knobs; on values as far as JSON Schema can say it.
 */
export function configJsonSchema(catalogue = builtIn): Schema {
  const { tasks, methods, providers } = catalogue;
  const { $schema, properties, ...rest } = z.toJSONSchema(configSchema) as Schema & { properties: Schema };
  const named = properties.name as Schema;
  const knobs = Object.entries(allOptions(catalogue));
  const described = Object.fromEntries(
    knobs.map(([name, option]) => [
      name,
      { ...valueSchema(option), description: option.help, default: option.default },
    ]),
  );
  const options = { type: "object", additionalProperties: false, properties: described };
  const axes = Object.fromEntries(
    knobs.map(([name]) => [
      name,
      { type: "array", minItems: 1, items: { $ref: `#/$defs/options/properties/${name}` } },
    ]),
  );
  return {
    $schema: $schema ?? "https://json-schema.org/draft/2020-12/schema",
    title: "lamp-eval config",
    ...rest,
    properties: {
      ...properties,
      extends: { type: "string", description: "a preset to start from", examples: [...presetFiles().keys()] },
      name: { ...named, description: "what the experiment is called: the title of its page" },
      task: namesSchema("tasks", tasks.names),
      method: namesSchema("methods; exec:COMMAND runs a program", methods.names),
      model: namesSchema(
        "provider/model-id; several make the run a comparison of backbones",
        providers.names.map((name) => `${name}/`),
      ),
      set: { $ref: "#/$defs/options", description: "options of all tasks, by dotted name" },
      perTask: {
        type: "object",
        additionalProperties: { $ref: "#/$defs/options" },
        description: "options of one task, by task name",
      },
      points: { type: "array", items: { $ref: "#/$defs/options" }, description: "arms besides those of the axes" },
      sweep: {
        type: "object",
        additionalProperties: false,
        properties: axes,
        description: "axes: the values that a knob takes",
      },
    },
    $defs: { options },
  };
}

const namesSchema = (description: string, examples: readonly string[]): Schema => ({
  anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
  description,
  examples: [...examples],
});

/** From what the option says it accepts; a value that it does not say is left to `lamp-eval validate`. */
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
