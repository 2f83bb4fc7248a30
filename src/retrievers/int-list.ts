/** Whole numbers of 32 bits in an array that grows. */
export class IntList {
  private values = new Int32Array(16);
  private used = 0;

  get length(): number {
    return this.used;
  }

  push(value: number): void {
    if (this.used === this.values.length) {
      const wider = new Int32Array(2 * this.used);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.used++] = value;
  }

  /** The value at a place below `length`. */
  at(place: number): number {
    return this.values[place]!;
  }

  /** Replaces the value at a place below `length`. */
  set(place: number, value: number): void {
    this.values[place] = value;
  }

  /** Adds one to the value at a place below `length`. */
  increase(place: number): void {
    this.values[place]!++;
  }
}
