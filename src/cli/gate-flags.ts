import { InvalidArgumentError } from "commander";

/** `a,b` as a list of names. */
export function list(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.includes("")) throw new InvalidArgumentError(`"${text}" has an empty name; write a,b.`);
  return names;
}

/** A number above `low` and at most `high`. */
export const inRange =
  (low: number, high: number) =>
  (text: string): number => {
    const value = Number(text);
    if (text.trim() !== "" && value > low && value <= high) return value;
    throw new InvalidArgumentError(`"${text}" is no number ${low < 0 ? "from 0" : `above ${low}`} to ${high}.`);
  };
