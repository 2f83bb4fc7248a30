import type { PhaseTotals, Spend } from "../../types.js";
import { integers } from "./numbers.js";
import { Texts } from "./texts.js";

/** What records cost, by phase, as numbers. */
export class Spends {
  readonly #phases = new Texts();
  readonly #lists: (readonly (keyof Spend)[])[] = [];
  readonly #list = integers();
  readonly #start = integers();
  readonly #numbers = new Amounts();
  /** What few totals have, by the place of their first number. */
  readonly #rare = new Map<number, Pick<PhaseTotals, Rare>>();
  #end = 0;

  set(record: number, spend: Spend): void {
    const phases = phasesOf(spend);
    const list = this.#phases.of(phases.join("\t"));
    this.#lists[list] ??= phases;
    this.#list.set(record, list);
    this.#start.set(record, this.#end);
    for (const phase of phases) {
      const totals = spend[phase];
      const rare = rareOf(totals);
      if (rare !== undefined) this.#rare.set(this.#end, rare);
      for (const member of members) this.#numbers.set(this.#end++, totals?.[member] ?? 0);
    }
  }

  of(record: number): Spend {
    const spend: Partial<Record<keyof Spend, PhaseTotals>> = {};
    let at = this.#start.at(record);
    for (const phase of this.#lists[this.#list.at(record)] ?? []) {
      const [cacheRead, cacheWrite] = [this.#numbers.at(at + 3), this.#numbers.at(at + 4)];
      const plain = { calls: this.#numbers.at(at), in: this.#numbers.at(at + 1), out: this.#numbers.at(at + 2) };
      const rare = this.#rare.get(at);
      spend[phase] =
        cacheRead === 0 && cacheWrite === 0 && rare === undefined
          ? plain
          : {
              ...plain,
              ...(cacheRead === 0 ? {} : { cacheRead }),
              ...(cacheWrite === 0 ? {} : { cacheWrite }),
              ...rare,
            };
      at += members.length;
    }
    return spend;
  }
}

/** Numbers, nearly all of them whole and below 2^31: four bytes each. */
class Amounts {
  readonly #whole = integers();
  readonly #others = new Map<number, number>();

  at = (place: number): number => this.#others.get(place) ?? this.#whole.at(place);

  set(place: number, value: number): void {
    this.#whole.set(place, value);
    if (!Object.is(value | 0, value)) this.#others.set(place, value);
  }
}

/** In the order in which their numbers stand. */
const members = ["calls", "in", "out", "cacheRead", "cacheWrite"] as const;

type Rare = "cacheWrite1h" | "long" | "billed" | "batch";

/** Undefined where there is none of it. */
function rareOf(totals: PhaseTotals | undefined): Pick<PhaseTotals, Rare> | undefined {
  const { cacheWrite1h, long, billed, batch } = totals ?? {};
  if (cacheWrite1h === undefined && long === undefined && billed === undefined && batch === undefined) return undefined;
  return {
    ...(cacheWrite1h === undefined ? {} : { cacheWrite1h }),
    ...(long === undefined ? {} : { long }),
    ...(billed === undefined ? {} : { billed }),
    ...(batch === undefined ? {} : { batch }),
  };
}

/** In the order of the record. */
const phasesOf = (spend: Spend): (keyof Spend)[] => Object.keys(spend) as (keyof Spend)[];
