import { ModelError } from "../errors.js";
import type { Answer, Failure, Key } from "../log/entry.js";

/** The end of a purchase: an answer, or a failure after all tries. */
export type End = Answer | Failure;

/** The part of a failure that is stored; equal calls fail with it. */
export type KeptFailure = Pick<Failure, "error"> & Partial<Failure>;

/** A kind of purchase: replies of a model, vectors of an encoder, searches, answers of programs. */
export interface Kind<T> {
  readonly name: Answer["kind"];
  /** The model that is asked. Answers of runs that asked it otherwise are not reused. */
  readonly model?: string;
  /** Returns the value of an answer; undefined where it is of another kind or not usable. */
  read(answer: Answer): T | undefined;
  /** Returns the failure to store; undefined where the call may be made again. */
  failure(error: unknown): KeptFailure | undefined;
}

/** A bought value, as it is stored. */
export type Purchase = Pick<Answer, "value"> & Partial<Pick<Answer, "request" | "usd" | "ms" | "from">>;

/** Buys keys. Returns for each, in order, the purchase or the error of that key alone. */
type Buy = (keys: readonly Key[]) => Promise<readonly (Purchase | ModelError)[]>;

/** A store of answers and failures. */
export interface Book {
  /** Returns the stored value of a key, of this run or of one whose answers it reuses. */
  find<T>(key: Key, kind: Kind<T>): T | undefined;
  /** Returns the answer of a key in another run, and that run's name. */
  findElsewhere?<T>(key: Key, kind: Kind<T>): { readonly value: T; readonly from: string } | undefined;
  /** Returns the failure of a key in this process, or in the run that is replayed: it is not bought. */
  failed?(key: Key): Failure | undefined;
  /** Claims a key among several processes. Returns its end by another process; undefined: this one must buy and `end` it. */
  claim?(key: Key, signal: AbortSignal): Promise<End | undefined> | undefined;
  /** Gives up a claim without an end: another process may buy the key. */
  release?(key: Key): void;
  /** Stores an end. Returns the first one stored for the key, which counts. */
  end(entry: End): End | Promise<End>;
}

/** A value. `isNew`: this call bought it. */
export interface Bought<T> {
  readonly value: T;
  readonly isNew: boolean;
}

/** The error of a call that is not made, because an equal one failed after all its tries. */
export class FailedBefore extends ModelError {
  constructor(readonly failure: Failure) {
    super(failure.error, { retryable: false, bill: "none" });
  }
}

/**
 * Buys each key once. A key is unclaimed, claimed (a purchase is in progress, and equal calls wait for it), bought, or failed. Its first
 * end counts for all calls, processes and later runs.
 */
export class Once<B extends Book = Book> {
  readonly book: B;
  /** Purchases in progress, by each of their keys. */
  readonly #inProgress = new Map<Key, Promise<ReadonlyMap<Key, End>>>();
  /** Ends of purchases of this process. */
  readonly #ownEnds = new WeakSet<End>();

  constructor(book: B) {
    this.book = book;
  }

  /** Returns the value of a key, stored or bought. Throws the failure of the purchase. */
  async one<T>(key: Key, kind: Kind<T>, buy: () => Promise<Purchase>, signal = NEVER): Promise<Bought<T>> {
    const [bought] = await this.all([key], kind, async () => [await buy()], signal);
    return bought!; // one for each key
  }

  /** Returns the values of keys, in order. `buy` gets those that are not stored. */
  async all<T>(keys: readonly Key[], kind: Kind<T>, buy: Buy, signal = NEVER): Promise<Bought<T>[]> {
    const values = new Map<Key, Bought<T>>();
    const pending = new Map<Key, Promise<ReadonlyMap<Key, End>>>();
    const unclaimed: Key[] = [];
    for (const key of new Set(keys)) {
      const value = this.book.find(key, kind);
      const purchase = this.#inProgress.get(key);
      if (value !== undefined) values.set(key, { value, isNew: false });
      else if (purchase !== undefined) pending.set(key, purchase);
      else unclaimed.push(key);
    }
    const purchase = this.#purchase(unclaimed, kind, { buy, signal });
    purchase.catch(() => undefined); // it may fail while the pending ones are waited for
    for (const [key, equal] of pending) {
      const ends = await equal.catch((error: unknown) => {
        const failure = this.book.failed?.(key);
        throw failure === undefined ? error : new FailedBefore(failure);
      });
      values.set(key, { ...this.#valueOf(ends, key, kind), isNew: false });
    }
    const ends = await purchase;
    for (const key of unclaimed) values.set(key, this.#valueOf(ends, key, kind));
    return keys.map((key) => values.get(key)!); // each is bought, or this has thrown
  }

  #purchase<T>(keys: readonly Key[], kind: Kind<T>, context: Purchasing): Promise<ReadonlyMap<Key, End>> {
    if (keys.length === 0) return Promise.resolve(new Map());
    const purchase = this.#buyUnclaimed(keys, kind, context).finally(() => {
      for (const key of keys) this.#inProgress.delete(key);
    });
    for (const key of keys) this.#inProgress.set(key, purchase);
    return purchase;
  }

  /** Buys the keys that have no end in another process. */
  async #buyUnclaimed<T>(keys: readonly Key[], kind: Kind<T>, context: Purchasing): Promise<ReadonlyMap<Key, End>> {
    const ends = new Map<Key, End>();
    for (const key of [...keys].sort()) {
      // in one order, so that no two processes wait for each other
      const answer = this.book.failed?.(key) ?? this.book.claim?.(key, context.signal);
      const end = answer instanceof Promise ? await answer : answer; // where no other process buys, it is sent at once
      if (end !== undefined) ends.set(key, end);
    }
    const ownKeys = keys.filter((key) => !ends.has(key));
    if (ownKeys.length > 0) for (const end of await this.#buyAndStore(ownKeys, kind, context)) ends.set(end.key, end);
    return ends;
  }

  /** Buys keys and stores their ends. Throws the error of a failed purchase, unless another process has ended all its keys before. */
  async #buyAndStore<T>(keys: readonly Key[], kind: Kind<T>, { buy, signal }: Purchasing): Promise<End[]> {
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
    for (const entry of entries) this.#ownEnds.add(entry);
    const ends = await Promise.all(entries.map((entry) => this.book.end(entry)));
    if (thrown !== undefined && ends.some((end) => this.#ownEnds.has(end))) throw thrown;
    return ends;
  }

  #valueOf<T>(ends: ReadonlyMap<Key, End>, key: Key, kind: Kind<T>): Bought<T> {
    const end = ends.get(key)!; // a purchase ends each of its keys
    if (end.t === "failure") throw new FailedBefore(end);
    const value = kind.read(end);
    if (value === undefined) throw new ModelError(`its answer is no ${kind.name}`, { retryable: false, bill: "none" });
    return { value, isNew: this.#ownEnds.has(end) };
  }
}

interface Purchasing {
  readonly buy: Buy;
  /** Once aborted, failures are not stored: they may come of the abort. */
  readonly signal: AbortSignal;
}

/** Returns a book in memory over stored answers. It keeps no failures. */
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
