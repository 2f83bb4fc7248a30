import { ModelError } from "../errors.js";
import type { Answer, Failure, Key } from "../log/entry.js";

/** How a key ended: it was bought, or it failed after all its tries. */
export type End = Answer | Failure;

/** What is kept of a failure, which equal calls share. */
export type KeptFailure = Pick<Failure, "error"> & Partial<Failure>;

/** What is bought: replies of a model, vectors of an encoder, searches, answers of programs. */
export interface Kind<T> {
  readonly name: Answer["kind"];
  /** The model that is asked, where another run may have asked it otherwise. */
  readonly model?: string;
  /** Returns what an answer says; undefined where it is none of this kind, or not usable: then it is bought. */
  read(answer: Answer): T | undefined;
  /** Returns what is kept of a failure; undefined where it says nothing of this call, which may be made again. */
  failure(error: unknown): KeptFailure | undefined;
}

/** What was bought for a key. */
export type Purchase = Pick<Answer, "value"> & Partial<Pick<Answer, "request" | "usd" | "ms" | "from">>;

/** Buys keys. Returns, in order, the purchase of each, or why that key alone failed. */
type Buy = (keys: readonly Key[]) => Promise<readonly (Purchase | ModelError)[]>;

/** Where ends are kept. */
export interface Book {
  /** Returns the answer of a key that this run has, or may take over from another. */
  find<T>(key: Key, kind: Kind<T>): T | undefined;
  /** Returns the answer of a key in another run, and that run's name. */
  findElsewhere?<T>(key: Key, kind: Kind<T>): { readonly value: T; readonly from: string } | undefined;
  /** Returns why a key is not to be bought: it failed in this process, or in the run that is replayed. */
  failed?(key: Key): Failure | undefined;
  /** Claims a key among several processes. Returns how another has ended it; undefined: this one is to buy it, and to `end` it. */
  claim?(key: Key, signal: AbortSignal): Promise<End | undefined> | undefined;
  /** Gives a claim up: the purchase came to nothing that says something of the key. Another process may buy it. */
  release?(key: Key): void;
  /** Keeps an end. Returns the one that counts: the first. */
  end(entry: End): End | Promise<End>;
}

/** A value, and whether this call bought it. */
export interface Bought<T> {
  readonly value: T;
  readonly isNew: boolean;
}

/** Of a call that is not made: an equal one failed after all its tries. */
export class FailedBefore extends ModelError {
  constructor(readonly failure: Failure) {
    super(failure.error, { retryable: false, bill: "none" });
  }
}

/**
 * Buys each key once. A key is free, claimed (a purchase is under way, which equal calls wait for), bought, or failed. Whoever ends it
 * first decides for all: this call, an equal one, another process, an earlier one.
 */
export class Once<B extends Book = Book> {
  readonly book: B;
  /** Purchases under way, by each of their keys. */
  readonly #claimed = new Map<Key, Promise<ReadonlyMap<Key, End>>>();
  /** What this process bought itself. */
  readonly #own = new WeakSet<End>();

  constructor(book: B) {
    this.book = book;
  }

  /** Returns the value of a key, which is bought where nobody has it. Throws the failure of the purchase. */
  async one<T>(key: Key, kind: Kind<T>, buy: () => Promise<Purchase>, signal = NEVER): Promise<Bought<T>> {
    const [bought] = await this.all([key], kind, async () => [await buy()], signal);
    return bought!; // one for each key
  }

  /** Returns the values of keys, in order. `buy` gets those that nobody has bought. */
  async all<T>(keys: readonly Key[], kind: Kind<T>, buy: Buy, signal = NEVER): Promise<Bought<T>[]> {
    const values = new Map<Key, Bought<T>>();
    const pending = new Map<Key, Promise<ReadonlyMap<Key, End>>>();
    const free: Key[] = [];
    for (const key of new Set(keys)) {
      const value = this.book.find(key, kind);
      const claimed = this.#claimed.get(key);
      if (value !== undefined) values.set(key, { value, isNew: false });
      else if (claimed !== undefined) pending.set(key, claimed);
      else free.push(key);
    }
    const purchase = this.#purchase(free, kind, { buy, signal });
    purchase.catch(() => undefined); // it may fail while the pending ones are waited for
    for (const [key, claimed] of pending) {
      const ends = await claimed.catch((error: unknown) => {
        const failure = this.book.failed?.(key);
        throw failure === undefined ? error : new FailedBefore(failure);
      });
      values.set(key, { ...this.#valueOf(ends, key, kind), isNew: false });
    }
    const ends = await purchase;
    for (const key of free) values.set(key, this.#valueOf(ends, key, kind));
    return keys.map((key) => values.get(key)!); // each is bought, or this has thrown
  }

  #purchase<T>(keys: readonly Key[], kind: Kind<T>, how: Buying): Promise<ReadonlyMap<Key, End>> {
    if (keys.length === 0) return Promise.resolve(new Map());
    const purchase = this.#buyFree(keys, kind, how).finally(() => {
      for (const key of keys) this.#claimed.delete(key);
    });
    for (const key of keys) this.#claimed.set(key, purchase);
    return purchase;
  }

  /** Buys the keys that no other process has ended. */
  async #buyFree<T>(keys: readonly Key[], kind: Kind<T>, how: Buying): Promise<ReadonlyMap<Key, End>> {
    const ends = new Map<Key, End>();
    for (const key of [...keys].sort()) {
      // in one order, so that no two processes wait for each other
      const answer = this.book.failed?.(key) ?? this.book.claim?.(key, how.signal);
      const end = answer instanceof Promise ? await answer : answer; // where no other process buys, it is sent at once
      if (end !== undefined) ends.set(key, end);
    }
    const mine = keys.filter((key) => !ends.has(key));
    if (mine.length > 0) for (const end of await this.#buyAndKeep(mine, kind, how)) ends.set(end.key, end);
    return ends;
  }

  /** Buys keys and keeps how each ended. Throws what says nothing of the keys themselves, and a failure that counts as it came. */
  async #buyAndKeep<T>(keys: readonly Key[], kind: Kind<T>, { buy, signal }: Buying): Promise<End[]> {
    const failureOf = (key: Key, failure: KeptFailure): Failure => ({
      t: "failure",
      key,
      billed: "none",
      final: true,
      ...failure,
    });
    let entries: End[];
    let thrown: unknown;
    try {
      const bought = await buy(keys);
      entries = keys.map((key, n) => {
        const result = bought[n]!;
        if (result instanceof ModelError) return failureOf(key, { error: result.message });
        return { t: "answer", key, kind: kind.name, ...result };
      });
    } catch (error) {
      const failure = signal.aborted ? undefined : kind.failure(error);
      if (failure === undefined) {
        for (const key of keys) this.book.release?.(key);
        throw error;
      }
      thrown = error;
      entries = keys.map((key) => failureOf(key, failure));
    }
    for (const entry of entries) this.#own.add(entry);
    const ends = await Promise.all(entries.map((entry) => this.book.end(entry)));
    if (thrown !== undefined && ends.some((end) => this.#own.has(end))) throw thrown;
    return ends;
  }

  #valueOf<T>(ends: ReadonlyMap<Key, End>, key: Key, kind: Kind<T>): Bought<T> {
    const end = ends.get(key)!; // a purchase ends each of its keys
    if (end.t === "failure") throw new FailedBefore(end);
    const value = kind.read(end);
    if (value === undefined) throw new Error(`${key}: the answer that was bought is no ${kind.name}`);
    return { value, isNew: this.#own.has(end) };
  }
}

interface Buying {
  readonly buy: Buy;
  /** Where it has fired, a failure says nothing of the call. */
  readonly signal: AbortSignal;
}

/** A book that lives as long as the process, over one that is only read. Failures are not kept. */
export function memoryBook(kept: { get(key: Key): Answer | undefined } = new Map<Key, Answer>()): Book {
  const own = new Map<Key, Answer>();
  return {
    find(key, kind) {
      const answer = own.get(key) ?? kept.get(key);
      return answer && kind.read(answer);
    },
    end(entry) {
      if (entry.t === "answer") own.set(entry.key, entry);
      return entry;
    },
  };
}

const NEVER: AbortSignal = new AbortController().signal;
