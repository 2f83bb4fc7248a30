import { complete, readOptions } from "../../src/registry/options.js";
import { tasks } from "../../src/tasks/index.js";
import type {
  Event,
  Method,
  Options,
  OptionTable,
  OptionValue,
  Question,
  RawItem,
  User,
} from "../../src/types/index.js";

export const movies = tasks.get("lamp2m");

export const movie = (id: string, description: string, tag = "comedy", date?: string): Event =>
  movies.event({ id, description, tag, ...(date === undefined ? {} : { date }) } satisfies RawItem);

export const ask = (id: string, description: string, date?: string): Question =>
  movies.question({ id, input: `Which tag? description: ${description}`, ...(date === undefined ? {} : { date }) });

export const user = (...history: Event[]): User => ({ id: "u1", history });

/** The knobs of a method as the engine hands them over. */
export function knobs<T extends OptionTable>(
  method: Method<T>,
  given: Readonly<Record<string, OptionValue>> = {},
): Options<T> {
  return readOptions(method.options, complete(method.options, given));
}
