/** Numbers in a typed array that grows. A number that was never set is 0. */
export class Numbers<A extends Float64Array | Int32Array | Uint8Array> {
  readonly #make: (length: number) => A;
  #values: A;

  constructor(make: (length: number) => A) {
    this.#make = make;
    this.#values = make(FIRST_LENGTH);
  }

  /** Of a place that was set. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) this.#grow(index);
    this.#values[index] = value;
  }

  #grow(index: number): void {
    const values = this.#make(Math.max(index + 1, this.#values.length * 2));
    values.set(this.#values);
    this.#values = values;
  }
}

export const floats = (): Numbers<Float64Array> => new Numbers((length) => new Float64Array(length));
export const integers = (): Numbers<Int32Array> => new Numbers((length) => new Int32Array(length));
export const bytes = (): Numbers<Uint8Array> => new Numbers((length) => new Uint8Array(length));

const FIRST_LENGTH = 1024;
