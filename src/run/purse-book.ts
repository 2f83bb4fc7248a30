import { z } from "zod";
import { checkedRecord, recordOf } from "./record-line.js";

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

/** New caps; a process that buys; a try that may cost so much; what it cost, and whether it counts as billable. */
const recordSchema = z.union([
  z.object({ cap: capsSchema }),
  sessionSchema,
  z.object({ take: z.string(), usd: amount }),
  z.object({ settle: z.string(), calls: amount, usd: amount }),
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
  /** Tries that hold a place, by id. */
  readonly #open = new Map<string, number>();

  get isEmpty(): boolean {
    return this.lines === 0;
  }

  /** Whether some line is a record of a purse. */
  get isPurse(): boolean {
    return this.#known > 0;
  }

  get spent(): { readonly calls: number; readonly usd: number; readonly reservedUsd: number } {
    return { calls: this.#calls, usd: this.#usd, reservedUsd: this.#reserved };
  }

  /** Processes that have bought from it. */
  get buyers(): readonly PurseSession[] {
    return [...this.#sessions.values()];
  }

  /** A line without its line break. */
  read(line: Buffer): void {
    this.lines += 1;
    const intact = checkedRecord(line);
    const record = intact === undefined ? undefined : recordSchema.safeParse(recordOf(intact.body));
    if (record?.success !== true) {
      this.damaged += 1;
      return;
    }
    this.#known += 1;
    this.#enter(record.data);
  }

  /** Whether a try holds its place. */
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
   * never settle what it has in flight; default: none is.
   */
  room(upToUsd: number, isGone: (session: PurseSession) => boolean = () => false): "yes" | "later" | "usd" | "calls" {
    const { maxUsd = Number.POSITIVE_INFINITY, maxCalls = Number.POSITIVE_INFINITY } = this.caps;
    const fits = this.#calls + this.#open.size < maxCalls && this.#usd + this.#reserved + upToUsd <= maxUsd;
    if (fits) return "yes";
    let [calls, usd] = [this.#calls, this.#usd];
    for (const [id, reserved] of this.#open) {
      const session = this.#sessions.get(id.slice(0, id.indexOf("/")));
      if (session === undefined || !isGone(session)) continue;
      calls += 1;
      usd += reserved;
    }
    if (calls >= maxCalls) return "calls";
    return usd + upToUsd > maxUsd ? "usd" : "later";
  }

  #enter(record: PurseRecord): void {
    if ("cap" in record) this.caps = record.cap;
    else if ("session" in record) this.#sessions.set(record.session, record);
    else if ("take" in record) {
      if (this.room(record.usd) !== "yes") return; // another line was there first: this one holds nothing
      this.#open.set(record.take, record.usd);
      this.#reserved += record.usd;
    } else {
      const reserved = this.#open.get(record.settle);
      this.#open.delete(record.settle);
      this.#reserved = this.#open.size === 0 ? 0 : this.#reserved - (reserved ?? 0); // none: the line that took it is damaged
      this.#calls += record.calls;
      this.#usd += record.usd;
    }
  }
}
