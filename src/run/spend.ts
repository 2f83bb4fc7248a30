import type { Phase, Spend, Usage } from "../types.js";

/** Adds up calls and tokens per phase. */
export class SpendMeter {
  readonly #totals = new Map<Phase, { calls: number; in: number; out: number }>();

  add(phase: Phase, usage: Usage): void {
    const totals = this.#totals.get(phase) ?? { calls: 0, in: 0, out: 0 };
    totals.calls += 1;
    totals.in += usage.in;
    totals.out += usage.out;
    this.#totals.set(phase, totals);
  }

  /** Phases in alphabetical order, so that equal spends are equal bytes. */
  total(): Spend {
    return Object.fromEntries([...this.#totals].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
