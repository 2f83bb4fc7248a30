import { LONG_PROMPT, NO_TOKENS, plus, tokensOf } from "../models/tokens.js";
import type { PhaseAt, PhaseTotals, Spend, TokenCounts, Usage } from "../types/index.js";

export class SpendMeter {
  readonly #phases = new Map<PhaseAt, CallMeter>();

  add(phase: PhaseAt, usage: Usage): void {
    const meter = this.#phases.get(phase) ?? new CallMeter();
    this.#phases.set(phase, meter);
    meter.add(usage);
  }

  /** Phases in alphabetical order, so that equal spends are equal bytes. */
  total(): Spend {
    const phases = [...this.#phases].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(phases.map(([phase, meter]) => [phase, meter.total()]));
  }
}

export class CallMeter {
  #calls = 0;
  #sum = NO_TOKENS;
  readonly #long: TokenCounts[] = [];
  readonly #billed: { readonly tokens: TokenCounts; readonly usd: number }[] = [];
  #batch: CallMeter | undefined;

  add(usage: Usage): void {
    const tokens = tokensOf(usage);
    const { batch, ...rest } = usage;
    this.#calls += 1;
    this.#sum = plus(this.#sum, tokens);
    if (usage.billedUsd !== undefined) this.#billed.push({ tokens, usd: usage.billedUsd });
    else if (batch === true) {
      this.#batch ??= new CallMeter();
      this.#batch.add(rest);
    } else if (usage.in > LONG_PROMPT) this.#long.push(tokens);
  }

  /** The same whatever the order of the calls was. */
  total(): PhaseTotals {
    const long = [...this.#long].sort(byTokens);
    const usd = this.#billed.map((call) => call.usd).sort((a, b) => a - b);
    const billed = this.#billed.reduce((sum, { tokens }) => plus(sum, tokens), NO_TOKENS);
    return {
      calls: this.#calls,
      ...tokensOf(this.#sum),
      ...(this.#calls > 1 && long.length > 0 ? { long } : {}),
      ...(usd.length === 0
        ? {}
        : { billed: { calls: usd.length, ...tokensOf(billed), usd: usd.reduce((a, b) => a + b, 0) } }),
      ...(this.#batch === undefined ? {} : { batch: this.#batch.total() }),
    };
  }
}

const byTokens = (a: TokenCounts, b: TokenCounts): number => {
  const [x, y] = [JSON.stringify(a), JSON.stringify(b)];
  return b.in - a.in || (x < y ? -1 : x === y ? 0 : 1);
};
