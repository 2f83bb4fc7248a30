import { InvalidArgumentError } from "commander";
import { namesIn } from "../../app/common/names.js";

const numeric =
  (accepts: string, fits: (value: number) => boolean) =>
  (text: string): number => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (!fits(value)) throw new InvalidArgumentError(`expected ${accepts}.`);
    return value;
  };

/** Reads the value of a flag that counts. */
export const integer = numeric("a whole number of 0 or more", (value) => Number.isInteger(value) && value >= 0);
/** Reads the value of a flag that measures. */
export const number = numeric("a number of 0 or more", (value) => value >= 0);

/** Reads a number of 0 to `most`. */
export const upTo = (most: number) => numeric(`a number from 0 to ${most}`, (value) => value >= 0 && value <= most);
/** Reads a number above 0, at most `most`. */
export const aboveZeroTo = (most: number) =>
  numeric(`a number above 0 to ${most}`, (value) => value > 0 && value <= most);

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
      `${name} is given twice, as ${before} and as ${value}; give it once, or sweep over it: sweep: { ${name}: [${before}, ${value}] } in a config.`,
    );
  return { ...sofar, [name]: value };
}

/** Gathers the values of a repeatable flag. */
export const gather = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Reads digits, and nothing else. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError(`"${text}" is no whole number.`);
  return Number(text);
}

/** The same, above 0. */
export function positive(text: string): number {
  const n = wholeNumber(text);
  if (n === 0) throw new InvalidArgumentError("expected 1 or more.");
  return n;
}
