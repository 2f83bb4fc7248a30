import { InvalidArgumentError } from "commander";
import { namesIn } from "../text/words.js";
import type { OptionValue } from "../types/index.js";

const numeric =
  (accepts: string, fits: (value: number) => boolean) =>
  (text: string): number => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!fits(value)) throw new InvalidArgumentError(`expected ${accepts}.`);
    return value;
  };

/** Reads the value of a flag that counts. */
export const integer = numeric("a whole number of 0 or more", (value) => Number.isInteger(value) && value >= 0);
/** Reads a whole number above 0. */
export const positive = numeric("a whole number of 1 or more", (value) => Number.isInteger(value) && value > 0);
/** Reads the value of a flag that measures. */
export const number = numeric("a number of 0 or more", (value) => value >= 0);

/** Reads a number of 0 to `most`. */
export const upTo = (most: number) => numeric(`a number from 0 to ${most}`, (value) => value >= 0 && value <= most);

/** Reads the value of a flag that chooses by name. */
export function names(text: string): readonly string[] {
  const named = namesIn(text);
  if (named.length === 0) throw new InvalidArgumentError("expected names, comma separated.");
  return named;
}

/** Gathers the `name=value` pairs of a repeatable flag. */
export function collect(pair: string, sofar: Record<string, string> = {}): Record<string, string> {
  const equals = pair.indexOf("=");
  if (equals < 1) throw new InvalidArgumentError("expected name=value, e.g. rag.k=2.");
  const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
  if (name === "__proto__") throw new InvalidArgumentError("__proto__: no such option."); // records lose it
  const before = Object.hasOwn(sofar, name) ? sofar[name] : undefined; // `constructor` is in every object
  if (before !== undefined && before !== value)
    throw new InvalidArgumentError(
      `${name} is given twice, as ${before} and as ${value}; give it once, or compare both: lamp-eval sweep --vary ${name}=${before},${value}.`,
    );
  return { ...sofar, [name]: value };
}

/** Gathers the axes of a repeatable flag, `rag.k=1,2,4`: numbers, true and false are what they look like. */
export function axes(
  text: string,
  sofar: Readonly<Record<string, readonly OptionValue[]>> = {},
): Record<string, OptionValue[]> {
  const [name = "", listed = ""] = text.split(/=(.*)/s);
  const values = listed.split(",").map((value) => value.trim());
  const empty = values.some((value) => value === "");
  if (name === "" || empty) throw new InvalidArgumentError("expected option=value,value, e.g. rag.k=1,2,4.");
  const twice = values.find((value, at) => values.indexOf(value) !== at);
  if (twice !== undefined) throw new InvalidArgumentError(`${name} has the value ${twice} twice.`);
  if (Object.hasOwn(sofar, name)) throw new InvalidArgumentError(`${name} is given twice; name all its values once.`);
  const all = Object.entries({ ...sofar, [name]: values.map(valueOfText) });
  return Object.fromEntries(all.map(([option, ofOption]) => [option, [...ofOption]]));
}

const valueOfText = (text: string): OptionValue =>
  text === "true" || text === "false" ? text === "true" : Number.isNaN(Number(text)) ? text : Number(text);

/** Gathers the values of a repeatable flag. */
export const gather = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];
