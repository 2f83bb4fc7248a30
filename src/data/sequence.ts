import type { Sequence } from "../types/index.js";

/** Returns things that are made when they are asked for. `each` makes them all, in order. */
export function lazily<T>(length: number, each: () => Iterator<T>, at: (index: number) => T): Sequence<T> {
  return {
    length,
    at: (index) => (index < length && index >= -length ? at(index < 0 ? index + length : index) : undefined),
    [Symbol.iterator]: each,
  };
}

/** Maps a sequence: at once where it is an array, else whenever a thing is asked for. */
export function mapped<T, U>(things: Sequence<T>, make: (thing: T) => U): Sequence<U> {
  if (Array.isArray(things)) return (things as readonly T[]).map(make);
  const each = function* (): Generator<U> {
    for (const thing of things) yield make(thing);
  };
  return lazily(things.length, each, (index) => make(things.at(index)!)); // the index is one of theirs
}

/** Returns the thing of a number, by counting. Throws RangeError where there are fewer. */
export function nth<T>(things: Iterable<T>, index: number): T {
  let left = index;
  for (const thing of things) if (left-- === 0) return thing;
  throw new RangeError(`there is no thing number ${index}`);
}
