import * as z from "zod";
import { type Intact, recordOf, recordsWithin } from "../journal/record-line.js";

/** The most that may be spent: US dollars, billable tries. Absent: no cap. */
export interface PurseCaps {
  readonly maxUsd?: number | undefined;
  readonly maxCalls?: number | undefined;
}

const amount = z.number().nonnegative();
const capsSchema = z.object({ maxUsd: amount.optional(), maxCalls: amount.optional() });
const sessionSchema = z.object({
  session: z.string(),
  place: z.string(),
  pid: z.number(),
  start: z.string().optional(),
  buyer: z.string(),
});

/**
 * Who wrote a line, the number of the line among those of this process from 1, and what its tries have come to, that line
 * included: so lines that are lost show, and what they said is counted all the same.
 */
const ownSchema = z.object({
  by: z.string(),
  line: z.number(),
  calls: amount,
  usd: amount,
  /** In flight, and the most that may cost; of a `take` without itself. */
  open: z.number(),
  reserved: amount,
});
export type PurseOwn = z.infer<typeof ownSchema>;
const own = ownSchema.optional();

/** New caps; a process that buys; a try that may cost so much; what it cost, and whether it counts as billable. */
const recordSchema = z.union([
  z.object({ cap: capsSchema }),
  sessionSchema,
  z.object({ take: z.string(), usd: amount, own }),
  z.object({ settle: z.string(), calls: amount, usd: amount, own }),
]);
export type PurseRecord = z.infer<typeof recordSchema>;
export type PurseSession = z.infer<typeof sessionSchema>;

/** What the lines of a purse come to, read in their order: the same for every reader. */
export class PurseBook {
  caps: PurseCaps = {};
  lines = 0;
  damaged = 0;
  #known = 0;
  #calls = 0;
  #usd = 0;
  #reserved = 0;
  readonly #sessions = new Map<string, PurseSession>();
  /** Tries that have a reservation, by id. */
  readonly #open = new Map<string, number>();
  /** What each process has come to. */
  readonly #owners = new Map<string, Owner>();
  /** Damaged lines that may have been of tries. */
  #lostTries = 0;
  /** The most that a try here may cost. */
  #mostUsd = 0;
  /** Lines that processes wrote and nobody can read, by the numbers of the lines around them. */
  #missed = 0;

  get isEmpty(): boolean {
    return this.lines === 0;
  }

  /** Whether some line is a record of a purse. */
  get isPurse(): boolean {
    return this.#known > 0;
  }

  get spent(): { readonly calls: number; readonly usd: number; readonly reservedUsd: number } {
    const { calls, usd } = this.#unknown;
    return { calls: this.#calls + calls, usd: this.#usd + usd, reservedUsd: this.#reserved + this.#hidden.usd };
  }

  /** Processes that have bought from it. */
  get buyers(): readonly PurseSession[] {
    return [...this.#sessions.values()];
  }

  /** A line without its line break. */
  read(line: Buffer): void {
    this.lines += 1;
    for (const { record, start, end } of recordsWithin(line)) {
      this.#readOne(record);
      if (record === undefined && mayBeTry(line.toString("latin1", start, end))) this.#lostTries += 1;
    }
  }

  #readOne(intact: Intact | undefined): void {
    const record = intact === undefined ? undefined : recordSchema.safeParse(recordOf(intact.body));
    if (record?.success !== true) {
      this.damaged += 1;
      return;
    }
    this.#known += 1;
    const own = "own" in record.data ? record.data.own : undefined;
    if (own !== undefined && "take" in record.data) this.#reconcile(own); // it says what was before
    this.#enter(record.data);
    if (own !== undefined && "settle" in record.data) this.#reconcile(own);
  }

  /** Damaged lines that no later line of their process makes good: each counts as one try at the most a try here may cost. */
  get #unknown(): { readonly calls: number; readonly usd: number } {
    const calls = Math.max(0, this.#lostTries - this.#missed);
    return { calls, usd: calls * this.#mostUsd };
  }

  /** Tries in flight whose line is lost. */
  get #hidden(): { readonly calls: number; readonly usd: number } {
    let [calls, usd] = [0, 0];
    for (const { hidden } of this.#owners.values()) {
      calls += hidden.calls;
      usd += hidden.usd;
    }
    return { calls, usd };
  }

  /** Takes what a process says of all its tries for what it is, where lines of it are lost. */
  #reconcile(own: PurseOwn): void {
    const owner = this.#ownerOf(own.by);
    this.#missed += Math.max(0, own.line - owner.line - 1);
    owner.line = own.line;
    this.#calls += Math.max(0, own.calls - owner.calls);
    this.#usd += Math.max(0, own.usd - owner.usd);
    owner.calls = own.calls;
    owner.usd = own.usd;
    const ofOwner = [...this.#open].filter(([id]) => id.startsWith(`${own.by}/`));
    owner.hidden = {
      calls: Math.max(0, own.open - ofOwner.length),
      usd: Math.max(0, own.open > ofOwner.length ? own.reserved - ofOwner.reduce((sum, [, usd]) => sum + usd, 0) : 0),
    };
  }

  #ownerOf(by: string): Owner {
    const known = this.#owners.get(by) ?? { line: 0, calls: 0, usd: 0, hidden: { calls: 0, usd: 0 } };
    this.#owners.set(by, known);
    return known;
  }

  /** Whether a try has a reservation. */
  holds(id: string): boolean {
    return this.#open.has(id);
  }

  /** The caps that these say, and the file does not yet. */
  differing({ maxUsd, maxCalls }: PurseCaps): PurseCaps | undefined {
    if (maxUsd === undefined && maxCalls === undefined) return undefined;
    const wanted = {
      ...this.caps,
      ...(maxUsd === undefined ? {} : { maxUsd }),
      ...(maxCalls === undefined ? {} : { maxCalls }),
    };
    return wanted.maxUsd === this.caps.maxUsd && wanted.maxCalls === this.caps.maxCalls ? undefined : wanted;
  }

  /**
   * Whether another try fits: now, once tries in flight have ended, or never, by which cap. `isGone`: whether a process will
   * never settle what it has in flight, undefined where the line that names it is lost; default: none is.
   */
  room(
    upToUsd: number,
    isGone: (session: PurseSession | undefined) => boolean = () => false,
  ): "yes" | "later" | "usd" | "calls" {
    const { maxUsd = Number.POSITIVE_INFINITY, maxCalls = Number.POSITIVE_INFINITY } = this.caps;
    const [lost, hidden] = [this.#unknown, this.#hidden];
    let [calls, usd] = [this.#calls + lost.calls, this.#usd + lost.usd];
    const inFlight = this.#open.size + hidden.calls;
    const fits = calls + inFlight < maxCalls && usd + this.#reserved + hidden.usd + upToUsd <= maxUsd;
    if (fits) return "yes";
    const gone = new Map<string, boolean>();
    const hasGone = (by: string): boolean => {
      const known = gone.get(by) ?? isGone(this.#sessions.get(by));
      gone.set(by, known);
      return known;
    };
    for (const [id, reserved] of this.#open) {
      if (!hasGone(id.slice(0, id.indexOf("/")))) continue;
      calls += 1;
      usd += reserved;
    }
    for (const [by, owner] of this.#owners) {
      if (owner.hidden.calls === 0 || !hasGone(by)) continue;
      calls += owner.hidden.calls;
      usd += owner.hidden.usd;
    }
    if (calls >= maxCalls) return "calls";
    return usd + upToUsd > maxUsd ? "usd" : "later";
  }

  #enter(record: PurseRecord): void {
    if ("cap" in record) this.caps = record.cap;
    else if ("session" in record) this.#sessions.set(record.session, record);
    else if ("take" in record) {
      this.#mostUsd = Math.max(this.#mostUsd, record.usd);
      if (this.room(record.usd) !== "yes") return; // another line was there first: this one holds nothing
      this.#open.set(record.take, record.usd);
      this.#reserved += record.usd;
    } else {
      const reserved = this.#open.get(record.settle);
      this.#open.delete(record.settle);
      this.#reserved = this.#open.size === 0 ? 0 : this.#reserved - (reserved ?? 0); // none: the line that took it is damaged
      this.#calls += record.calls;
      this.#usd += record.usd;
      if (record.own === undefined) return;
      const owner = this.#ownerOf(record.own.by);
      owner.calls += record.calls;
      owner.usd += record.usd;
    }
  }
}

/** A line that a kill cut off bought nothing: its try had not begun, or keeps its reservation. */
const mayBeTry = (text: string): boolean => !/^\{"(?:cap|session)"/.test(text) && /"#":"|\}$/.test(text);

interface Owner {
  /** Number of its last line. */
  line: number;
  calls: number;
  usd: number;
  /** In flight, by lines that are lost. */
  hidden: { readonly calls: number; readonly usd: number };
}
