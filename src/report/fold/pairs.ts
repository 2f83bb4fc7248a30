import type { Metric, Pair } from "../../types.js";
import { bytes, floats, type Numbers } from "./numbers.js";
import { Texts } from "./texts.js";

/** In place of a text's number: there is no text; there is one, but it is not held. */
export const NO_TEXT = -1;
export const NOT_HELD = -2;

/**
 * The golds and replies of one task, and what each pair of them adds to its metrics. Texts that are short and repeat (labels,
 * ratings) are held once each, and so are their pairs; of others only the numbers of the metrics are.
 */
export class TaskPairs {
  readonly #metrics: readonly Metric[];
  readonly #golds = new Texts();
  readonly #replies = new Texts();
  readonly #ids = new Map<number, number>();
  /** Pairs whose texts are held. */
  readonly #held = bytes();
  /** Of metrics one number wide: what each pair adds. */
  readonly #narrow: ReadonlyMap<string, Numbers<Float64Array>>;
  /** Of wider ones: what a pair adds, by its number. */
  readonly #wide = new Map<string, Sparse[]>();
  /** The metric that was asked for last, and what is known of it. */
  #asked: Metric | undefined;
  #narrowAsked: Numbers<Float64Array> | undefined;
  #wideAsked: Sparse[] | undefined;
  #size = 0;

  constructor(metrics: readonly Metric[]) {
    this.#metrics = metrics;
    this.#narrow = new Map(
      metrics.filter(({ width, given }) => width === 1 && given !== true).map(({ name }) => [name, floats()]),
    );
  }

  /** The number of a gold. */
  goldNumber = (text: string | undefined): number => numberIn(this.#golds, text, MOST_GOLDS);

  /** The number of a reply, reading or error. */
  replyNumber = (text: string | undefined): number => numberIn(this.#replies, text, MOST_REPLIES);

  /** The gold of a number that is not negative. */
  gold = (number: number): string => this.#golds.at(number);

  /** The reply of a number that is not negative. */
  reply = (number: number): string => this.#replies.at(number);

  /** The number of a pair. */
  pairNumber(pair: Pair): number {
    const [gold, reply] = [this.goldNumber(pair.gold), this.replyNumber(pair.prediction)];
    if (gold === NOT_HELD || reply === NOT_HELD) return this.#add(pair, false);
    const key = gold * KEY_STEP + reply;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const held = this.#ids.size < MOST_PAIRS;
    if (held) this.#ids.set(key, this.#size);
    return this.#add(pair, held);
  }

  /** Adds to the sums what `metric.add` would, to the same bit. False where the pair's texts are needed for that. */
  addTo(metric: Metric, id: number, sums: Float64Array, offset: number): boolean {
    if (metric !== this.#asked) this.#ask(metric);
    const value = this.#narrowAsked?.at(id) ?? Number.NaN;
    if (!Number.isNaN(value)) {
      sums[offset]! += value;
      return true;
    }
    const sparse = this.#wideAsked?.[id];
    if (sparse === undefined) return false;
    for (let at = 0; at < sparse.length; at += 2) sums[offset + sparse[at]!]! += sparse[at + 1]!;
    return true;
  }

  /** Adds the pair itself; where its texts are held, what it adds is known from then on. */
  addPair(metric: Metric, id: number, pair: Pair, sums: Float64Array, offset: number): void {
    if (metric.width === 1 || this.#held.at(id) === 0) {
      metric.add(pair, sums, offset);
      return;
    }
    if (metric !== this.#asked) this.#ask(metric);
    const ofPair = new Float64Array(metric.width);
    metric.add(pair, ofPair);
    const known = this.#wideAsked ?? [];
    this.#wide.set(metric.name, known);
    this.#wideAsked = known;
    known[id] = [...ofPair.entries()].filter(([, value]) => value !== 0).flat();
    this.addTo(metric, id, sums, offset);
  }

  #ask(metric: Metric): void {
    this.#asked = metric;
    this.#narrowAsked = this.#narrow.get(metric.name);
    this.#wideAsked = this.#wide.get(metric.name);
  }

  #add(pair: Pair, held: boolean): number {
    const id = this.#size++;
    this.#held.set(id, held ? 1 : 0);
    for (const metric of this.#metrics) this.#narrow.get(metric.name)?.set(id, narrowValue(metric, pair));
    return id;
  }
}

/** Slots and values by turns. */
type Sparse = readonly number[];

/** More than there are held replies. */
const KEY_STEP = 2 ** 20;
const MOST_PAIRS = 1 << 16;
const MOST_GOLDS = 1 << 18;
const MOST_REPLIES = 1 << 15;
const LONGEST_HELD = 200;

function numberIn(texts: Texts, text: string | undefined, most: number): number {
  if (text === undefined) return NO_TEXT;
  if (text.length > LONGEST_HELD) return NOT_HELD;
  return texts.find(text) ?? (texts.size < most ? texts.of(text) : NOT_HELD);
}

/** NaN where the metric refuses the pair, or gives none: then it is asked again when its value is wanted. */
function narrowValue(metric: Metric, pair: Pair): number {
  const sums = new Float64Array(1);
  try {
    metric.add(pair, sums);
  } catch {
    // the same error comes when the value is wanted, and not where nobody wants it
    return Number.NaN;
  }
  return sums[0]!; // one number wide
}
