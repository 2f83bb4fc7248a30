import { existsSync } from "node:fs";
import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import { SharedLog } from "../../disk/shared-log.js";
import { BudgetError, UsageError } from "../../errors.js";
import type { Reservation, SharedPurse } from "../../models/wrap/budgeted.js";
import { contentId } from "../../text/content-id.js";
import type { Clock } from "../../types.js";
import { recordLine } from "../journal/record-line.js";
import { type Machine, thisMachine } from "../lease.js";
import { PurseBook, type PurseCaps, type PurseOwn, type PurseRecord, type PurseSession } from "./purse-book.js";

interface PurseFileSettings {
  /** As typed, for messages. */
  readonly shown: string;
  /** New caps of the purse, US dollars and billable tries. Both absent: those that stand in the file. */
  readonly caps: PurseCaps;
  /** What is bought, for people who read the file: a run's folder. */
  readonly buyer: string;
  readonly clock: Clock;
  readonly machine?: Machine;
}

/**
 * A cap that runs, sweeps and judges share by naming one file (`--purse`): an append-only log of what each try may cost, and what
 * it did. A try has its reservation where the lines before its own leave room for it, which every process finds alike; so two at
 * once pass no cap, and need no lock. What a killed process had in flight stays counted at the most it may cost.
 */
export class PurseFile implements SharedPurse {
  readonly #log: SharedLog;
  readonly #book = new PurseBook();
  readonly #settings: PurseFileSettings & { readonly machine: Machine };
  readonly #session: string;
  #taken = 0;
  /** What this process's tries have come to. */
  readonly #own = { line: 0, calls: 0, usd: 0 };
  readonly #inFlight = new Map<string, number>();
  #grownAt: number;

  /** Throws UsageError where the file is no purse, or a new one has no cap; FileError where it cannot be written. */
  constructor(path: string, settings: PurseFileSettings) {
    const { shown, caps, buyer, clock, machine = thisMachine() } = settings;
    refuseUncapped(existsSync(path), caps, shown);
    this.#settings = { ...settings, machine };
    this.#grownAt = clock.monotonic();
    this.#log = new SharedLog(path);
    try {
      this.#refresh();
      if (this.#book.isEmpty) refuseUncapped(false, caps, shown);
      else refuseOther(this.#book, shown);
      refuseLostCaps(this.#book, caps, shown);
      const { space, pid } = machine;
      const start = machine.startOf(pid);
      const facts = { place: space, pid, ...(start === undefined ? {} : { start }), buyer };
      this.#session = contentId([facts, clock.now(), this.#book.lines, opened++]).slice(0, 16);
      const changed = this.#book.differing(caps);
      if (changed !== undefined) this.#append({ cap: changed });
      this.#append({ session: this.#session, ...facts });
      openHere.add(this.#session);
    } catch (error) {
      this.#log.close();
      throw error;
    }
  }

  /** The caps that hold now. */
  get caps(): PurseCaps {
    return this.#book.caps;
  }

  /** What is spent, and what others and this process have in flight. */
  get spent(): { readonly calls: number; readonly usd: number; readonly reservedUsd: number } {
    return this.#book.spent;
  }

  /** Lines that are no record of it: what they said is not counted. */
  get damaged(): number {
    return this.#book.damaged;
  }

  take(upToUsd: number): Reservation | "later" | BudgetError {
    this.#refresh();
    const room = this.#room(upToUsd);
    if (room !== "yes") return room;
    const id = `${this.#session}/${++this.#taken}`;
    this.#append({ take: id, usd: upToUsd, own: this.#ownNow() });
    if (!this.#book.holds(id)) return this.take(upToUsd); // another was faster
    this.#inFlight.set(id, upToUsd);
    return this.#reservation(id);
  }

  held(id: string): Reservation | undefined {
    this.#refresh();
    return this.#book.holds(id) ? this.#reservation(id) : undefined;
  }

  async changed(signal: AbortSignal): Promise<void> {
    const lines = this.#book.lines;
    this.#refresh();
    if (this.#book.lines > lines) return;
    await this.#settings.clock.sleep(POLL_MS, signal);
    await setImmediate(); // a clock of tests may not let anything else happen
  }

  close(): void {
    openHere.delete(this.#session);
    this.#log.close();
  }

  #reservation(id: string): Reservation {
    const settle = (calls: 0 | 1, usd: number): void => {
      this.#inFlight.delete(id);
      this.#own.calls += calls;
      this.#own.usd += usd;
      this.#append({ settle: id, calls, usd, own: this.#ownNow() });
    };
    return { id, settle };
  }

  /** What stands in its next line of itself. */
  #ownNow(): PurseOwn {
    const { calls, usd } = this.#own;
    const reserved = [...this.#inFlight.values()].reduce((sum, one) => sum + one, 0);
    return { by: this.#session, line: ++this.#own.line, calls, usd, open: this.#inFlight.size, reserved };
  }

  #append(record: PurseRecord): void {
    this.#log.append(recordLine(record));
    this.#refresh();
  }

  #refresh(): void {
    const lines = this.#log.fresh();
    if (lines.length > 0) this.#grownAt = this.#settings.clock.monotonic();
    for (const line of lines) this.#book.read(line);
  }

  #room(upToUsd: number): "yes" | "later" | BudgetError {
    const room = this.#book.room(upToUsd, (session) => this.#isGone(session));
    return room === "yes" || room === "later" ? room : this.#refusal(room);
  }

  #isGone(session: PurseSession | undefined): boolean {
    const { machine, clock } = this.#settings;
    const isSilent = clock.monotonic() - this.#grownAt > SILENT_MS;
    if (session === undefined) return isSilent;
    const { place: space, pid, start } = session;
    if (space !== machine.space) return isSilent;
    if (pid === machine.pid && !openHere.has(session.session)) return true; // a run before, in this process
    if (!machine.isAlive(pid)) return true;
    const now = machine.startOf(pid);
    return start !== undefined && now !== undefined && start !== now;
  }

  #refusal(cap: "usd" | "calls"): BudgetError {
    const { maxUsd, maxCalls } = this.caps;
    const { usd, reservedUsd, calls } = this.spent;
    const { shown } = this.#settings;
    if (cap === "calls")
      return new BudgetError(`--purse ${shown}: its --max-calls ${maxCalls} is reached (${calls} sent)`);
    return new BudgetError(
      `--purse ${shown}: its --max-usd ${maxUsd} would be passed ($${usd.toFixed(4)} spent, $${reservedUsd.toFixed(4)} in flight)`,
    );
  }
}

/** What stands in a purse, without adding to it. Undefined where there is no such file. Throws UsageError where it is none. */
export function purseCaps(path: string, shown: string): PurseCaps | undefined {
  if (!existsSync(path)) return undefined;
  const book = bookOf(path);
  refuseOther(book, shown);
  return book.caps;
}

/** Between two looks at a purse that is held up by others. */
const POLL_MS = 200;
/** A process on another machine, or one whose name is lost, that gives no sign for so long while all wait for it is taken for dead. */
const SILENT_MS = 600_000;
/** Purses opened by this process: a run of its own each. */
let opened = 0;
/** Sessions of this process that may still settle what they took. */
const openHere = new Set<string>();

function bookOf(path: string): PurseBook {
  const log = new SharedLog(path);
  const book = new PurseBook();
  try {
    for (const line of log.fresh()) book.read(line);
    return book;
  } finally {
    log.close();
  }
}

function refuseUncapped(there: boolean, { maxUsd, maxCalls }: PurseCaps, shown: string): void {
  if (!there && maxUsd === undefined && maxCalls === undefined)
    throw new UsageError(`--purse ${shown}: a new purse needs a cap: add --max-usd X or --max-calls N`);
}

/** Damage that took the caps must not leave a purse without any. */
function refuseLostCaps(book: PurseBook, { maxUsd, maxCalls }: PurseCaps, shown: string): void {
  const named = [maxUsd, maxCalls, book.caps.maxUsd, book.caps.maxCalls];
  if (named.some((cap) => cap !== undefined)) return;
  throw new UsageError(
    `--purse ${shown}: the line of its caps is damaged: say them again, --max-usd X or --max-calls N`,
  );
}

function refuseOther(book: PurseBook, shown: string): void {
  if (book.isPurse || book.isEmpty) return;
  throw new UsageError(`--purse ${shown}: ${basename(shown)} is no purse of lamp-eval; name a new file`);
}
