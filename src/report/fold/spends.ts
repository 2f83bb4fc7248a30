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
  /** What few totals have, by the place of their first number. */
  readonly #rare = new Map<number, Pick<PhaseTotals, "long" | "billed" | "batch">>();
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
      const [calls = 0, tokensIn = 0, out = 0, cacheRead = 0, cacheWrite = 0] = members.map((_, m) =>
        this.#numbers.at(at + m),
      );
      const cached = { ...(cacheRead === 0 ? {} : { cacheRead }), ...(cacheWrite === 0 ? {} : { cacheWrite }) };
      spend[phase] = { calls, in: tokensIn, out, ...cached, ...this.#rare.get(at) };
      at += members.length;
    }
    return spend;
  }
}

// --- internal ---

const members = ["calls", "in", "out", "cacheRead", "cacheWrite"] as const;

/** Undefined where there is none of it. */
function rareOf(totals: PhaseTotals | undefined): Pick<PhaseTotals, "long" | "billed" | "batch"> | undefined {
  const { long, billed, batch } = totals ?? {};
  if (long === undefined && billed === undefined && batch === undefined) return undefined;
  return {
    ...(long === undefined ? {} : { long }),
    ...(billed === undefined ? {} : { billed }),
    ...(batch === undefined ? {} : { batch }),
  };
}

/** In the order of the record. */
const phasesOf = (spend: Spend): (keyof Spend)[] => Object.keys(spend) as (keyof Spend)[];
