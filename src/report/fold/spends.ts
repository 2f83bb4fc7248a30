import type { PhaseTotals, Spend } from "../../types.js";
import { floats, integers } from "./numbers.js";
import { Texts } from "./texts.js";

/** What records cost, by phase, as numbers. */
export class Spends {
  readonly #phases = new Texts();
  readonly #lists: (readonly (keyof Spend)[])[] = [];
  readonly #list = integers();
  readonly #start = integers();
  readonly #numbers = floats();
  #end = 0;

  set(record: number, spend: Spend): void {
    const phases = phasesOf(spend);
    const list = this.#phases.of(phases.join("\t"));
    this.#lists[list] ??= phases;
    this.#list.set(record, list);
    this.#start.set(record, this.#end);
    for (const phase of phases) {
      const totals = spend[phase];
      for (const member of members) this.#numbers.set(this.#end++, totals?.[member] ?? 0);
    }
  }

  of(record: number): Spend {
    const spend: Partial<Record<keyof Spend, PhaseTotals>> = {};
    let at = this.#start.at(record);
    for (const phase of this.#lists[this.#list.at(record)] ?? []) {
      spend[phase] = { calls: this.#numbers.at(at), in: this.#numbers.at(at + 1), out: this.#numbers.at(at + 2) };
      at += members.length;
    }
    return spend;
  }
}

// --- internal ---

const members = ["calls", "in", "out"] as const;

/** In the order of the record. */
const phasesOf = (spend: Spend): (keyof Spend)[] => Object.keys(spend) as (keyof Spend)[];
