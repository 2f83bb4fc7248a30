import { existsSync } from "node:fs";
import type { AttemptLog } from "../models/wrap/budgeted.js";
import { Journal, readJournal, type SetAside } from "./journal.js";

/**
 * One line before a try of a call is sent, without `end`, and one when it has ended. `answered`: its reply is stored;
 * `refused`: known to be unbilled; `failed`: the server answered, but with no reply; `unknown`: no complete answer came.
 */
export interface AttemptRecord {
  /** The request's key in the store of replies. */
  readonly key: string;
  /** From 1, within one process. */
  readonly try: number;
  readonly end?: AttemptEnd;
  /** The most the try may cost, US dollars; absent where no price is known. */
  readonly upToUsd?: number;
  /** Set where it waits for a batch to take it along, or is out in one. */
  readonly batch?: true;
}

type AttemptEnd = "answered" | "refused" | "failed" | "unknown";

/** What the tries of a folder came to. */
export interface AttemptTotals {
  /** Billable tries: all but the refused ones. */
  readonly billable: number;
  readonly refused: number;
  /** Billable tries whose answer is unknown, those included that a process left behind without an end. */
  readonly unknown: number;
  /** The most that the billable tries without a reply may have cost, US dollars; those included whose reply is lost. */
  readonly unansweredUsd: number;
}

/**
 * The file of tries, so that caps hold over kills and resumes. It is no record of results: comparisons and seals leave it
 * out. There is no such file until something is sent.
 */
export class Attempts {
  readonly before: AttemptTotals;
  readonly #path: string;
  /** Tries under way, by key: equal requests are never sent at the same time. */
  readonly #underWay = new Map<string, number>();
  #journal: Journal | undefined;

  /** `isStored`: whether the store of replies holds one to this request. */
  constructor(path: string, isStored: (key: string) => boolean) {
    this.#path = path;
    const read = new Tally(isStored);
    if (existsSync(path))
      this.#journal = new Journal<AttemptRecord>(path, { ...UNSYNCED, visit: ({ record }) => read.add(record) });
    const found = read.end();
    const left = [...found.open.values()].filter(({ key, batch }) => batch === true || isStored(key));
    // ended in between; what is out in a batch, or was to go, is asked for again, by a try of this process
    for (const { key, try: attempt } of left)
      this.#write({ key, try: attempt, end: isStored(key) ? "answered" : "refused" });
    this.before = left.length === 0 ? found.totals : tallyOf(path, isStored).totals;
  }

  /** What was damaged in the file and set aside: these tries are counted no more. */
  get damage(): readonly SetAside[] {
    return this.#journal?.damage ?? [];
  }

  started(key: string, attempt: number, upToUsd: number | undefined): void {
    this.#start({ key, try: attempt, ...(upToUsd === undefined ? {} : { upToUsd }) });
  }

  /** The same journal for tries that wait for batches. */
  get ofBatches(): AttemptLog {
    return {
      started: (key, attempt, upToUsd) =>
        this.#start({ key, try: attempt, ...(upToUsd === undefined ? {} : { upToUsd }), batch: true }),
      ended: (key, attempt, end) => this.ended(key, attempt, end),
    };
  }

  ended(key: string, attempt: number, end: AttemptEnd): void {
    this.#underWay.delete(key);
    this.#write({ key, try: attempt, end });
  }

  /** To be told when the reply stands in the store; nothing where no try was sent for it. */
  answered(key: string): void {
    const attempt = this.#underWay.get(key);
    if (attempt !== undefined) this.ended(key, attempt, "answered");
  }

  close(): void {
    this.#journal?.close();
  }

  #start(record: AttemptRecord): void {
    this.#write(record);
    this.#underWay.set(record.key, record.try);
  }

  #write(record: AttemptRecord): void {
    this.#journal ??= new Journal(this.#path, UNSYNCED);
    this.#journal.append(record);
  }
}

/** What the tries of a file came to; nothing where there is no such file. */
export const attemptTotals = (path: string): AttemptTotals => tallyOf(path).totals;

/** A power cut may cost the count of some tries, which is worth no wait for the disk. */
const UNSYNCED = { recordsPerSync: Number.POSITIVE_INFINITY };

interface Tallied {
  readonly totals: AttemptTotals;
  /** The last try of each request that has no end. */
  readonly open: Map<string, AttemptRecord>;
}

/** The ends of a request's tries follow their starts; a start with another start behind it was left by a killed process. */
class Tally {
  /** Requests that were answered at a price. */
  readonly #answered = new Set<string>();
  readonly #isStored: (key: string) => boolean;
  readonly #open = new Map<string, AttemptRecord>();
  readonly #totals = { billable: 0, refused: 0, unknown: 0, unansweredUsd: 0 };

  /** `isStored`: whether an answer is still there, else it counts as what it may have cost. */
  constructor(isStored: (key: string) => boolean) {
    this.#isStored = isStored;
  }

  /** Records come in file order. */
  add(record: AttemptRecord): void {
    const { key, end } = record;
    const totals = this.#totals;
    const begun = this.#open.get(key);
    const usd = begun?.upToUsd ?? 0;
    this.#open.delete(key);
    if (end === undefined) {
      this.#open.set(key, record);
      totals.billable += 1;
      if (begun === undefined) return;
    } else if (begun === undefined) return; // its start was damaged
    if (end === "refused") {
      totals.billable -= 1;
      totals.refused += 1;
    } else if (end !== "answered" || (usd > 0 && this.#isLost(key))) totals.unansweredUsd += usd;
    if (end === undefined || end === "unknown") totals.unknown += 1;
  }

  /** Of two answers to one request the store holds one: the other was lost, so it was asked for again. */
  #isLost(key: string): boolean {
    if (this.#answered.has(key)) return true;
    this.#answered.add(key);
    return !this.#isStored(key);
  }

  /** To be called once, behind the last record. */
  end(): Tallied {
    const totals = this.#totals;
    for (const { upToUsd = 0, batch } of this.#open.values())
      if (batch === true)
        totals.billable -= 1; // it waits for a batch
      else {
        totals.unknown += 1;
        totals.unansweredUsd += upToUsd;
      }
    return { totals, open: this.#open };
  }
}

function tallyOf(path: string, isStored: (key: string) => boolean = () => true): Tallied {
  const tally = new Tally(isStored);
  for (const record of readJournal<AttemptRecord>(path)) tally.add(record);
  return tally.end();
}
