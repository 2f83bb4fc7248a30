import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import * as z from "zod";
import { SharedLog } from "../../disk/shared-log.js";
import { BudgetError, UsageError } from "../../errors.js";
import { type Reservation, type Settlement, type SharedPurse, spentText } from "../../models/wrap/budgeted.js";
import { sha256 } from "../../text/content-id.js";
import type { Clock } from "../../types.js";
import { bodyOf, recordLine, recordOf } from "../journal/record-line.js";
import { type Machine, thisMachine } from "../lease.js";

/** The most that may be spent: US dollars, billable tries. Absent: no cap. */
export interface PurseCaps {
  readonly maxUsd?: number | undefined;
  readonly maxCalls?: number | undefined;
}

interface PurseFileSettings {
  /** As typed, for messages. */
  readonly shown: string;
  /** New caps of the purse, US dollars and billable tries. Both absent: those that stand in the file. */
  readonly caps: PurseCaps;
  readonly clock: Clock;
  readonly machine?: Machine;
}

/**
 * A cap that runs, sweeps and judges share by naming one file (`--purse`): an append-only log of what each try may cost, and what
 * it did. A try has its reservation where the lines before its own leave room for it, which every process finds alike; so two at
 * once pass no cap. What a killed process had in flight stays counted at the most it may cost.
 */
export class PurseFile implements SharedPurse {
  readonly #log: SharedLog;
  readonly #shown: string;
  readonly #clock: Clock;
  readonly #machine: Machine;
  /** The first part of the ids of this process's tries: where it runs, its process id, and when that began. */
  readonly #owner: string;
  #taken = 0;
  #lines = 0;
  #grownAt: number;
  #caps: PurseCaps = {};
  readonly #sum = { calls: 0, usd: 0, uncertainUsd: 0, reservedUsd: 0 };
  /** The most that tries in flight may cost, by id. */
  readonly #open = new Map<string, number>();

  /** Throws UsageError where the file is no purse or damaged, or a new one has no cap; FileError where it cannot be written. */
  constructor(path: string, { shown, caps, clock, machine = thisMachine() }: PurseFileSettings) {
    if (!existsSync(path)) refuseUncapped(caps, shown);
    this.#shown = shown;
    this.#clock = clock;
    this.#machine = machine;
    this.#grownAt = clock.monotonic();
    this.#log = new SharedLog(path);
    this.#owner = [spaceOf(machine), machine.pid, machine.startOf(machine.pid) ?? "", clock.now(), opened++].join("-");
    try {
      this.#refresh();
      if (this.#lines === 0) refuseUncapped(caps, shown);
      const { maxUsd = this.#caps.maxUsd, maxCalls = this.#caps.maxCalls } = caps;
      if (maxUsd !== this.#caps.maxUsd || maxCalls !== this.#caps.maxCalls) this.#append({ cap: { maxUsd, maxCalls } });
      openHere.add(this.#owner);
    } catch (error) {
      this.#log.close();
      throw error;
    }
  }

  /** The caps that hold now. */
  get caps(): PurseCaps {
    return this.#caps;
  }

  /** What is spent, and what others and this process have in flight. */
  get spent(): {
    readonly calls: number;
    readonly usd: number;
    readonly uncertainUsd: number;
    readonly reservedUsd: number;
  } {
    return this.#sum;
  }

  take(upToUsd: number): Reservation | "later" | BudgetError {
    this.#refresh();
    for (;;) {
      if (!this.#fits(upToUsd)) return this.#neverFits(upToUsd) ?? "later";
      const id = `${this.#owner}/${++this.#taken}`;
      this.#append({ take: id, usd: upToUsd });
      if (this.#open.has(id)) return this.#reservation(id); // else another was faster
    }
  }

  held(id: string): Reservation | undefined {
    this.#refresh();
    return this.#open.has(id) ? this.#reservation(id) : undefined;
  }

  async changed(signal: AbortSignal): Promise<void> {
    const before = this.#lines;
    this.#refresh();
    if (this.#lines > before) return;
    await this.#clock.sleep(POLL_MS, signal);
    await setImmediate(); // a clock of tests may not let anything else happen
  }

  close(): void {
    openHere.delete(this.#owner);
    this.#log.close();
  }

  #reservation(id: string): Reservation {
    return { id, settle: (end: Settlement) => this.#append({ settle: id, ...end }) };
  }

  #append(record: PurseRecord): void {
    this.#log.append(recordLine(record));
    this.#refresh();
  }

  #refresh(): void {
    const { lines, rest } = this.#log.fresh();
    if (lines.length > 0) this.#grownAt = this.#clock.monotonic();
    for (const line of lines) {
      this.#lines += 1;
      const body = bodyOf(line);
      const record = body === undefined ? undefined : recordSchema.safeParse(recordOf(body)).data;
      if (record === undefined) throw damaged(this.#shown, this.#lines);
      this.#enter(record);
    }
    if (rest && this.#lines === 0) throw damaged(this.#shown, 1);
  }

  #enter(record: PurseRecord): void {
    const sum = this.#sum;
    if ("cap" in record) this.#caps = record.cap;
    else if ("take" in record) {
      if (!this.#fits(record.usd)) return; // another line was there first: this one holds nothing
      this.#open.set(record.take, record.usd);
      sum.reservedUsd += record.usd;
    } else {
      const reserved = this.#open.get(record.settle) ?? 0;
      this.#open.delete(record.settle);
      sum.reservedUsd = this.#open.size === 0 ? 0 : sum.reservedUsd - reserved;
      sum.calls += record.calls;
      sum.usd += record.usd;
      sum.uncertainUsd += record.uncertainUsd;
    }
  }

  #fits(upToUsd: number): boolean {
    const { maxUsd = Number.POSITIVE_INFINITY, maxCalls = Number.POSITIVE_INFINITY } = this.#caps;
    const { calls, usd, uncertainUsd, reservedUsd } = this.#sum;
    return calls + this.#open.size < maxCalls && usd + uncertainUsd + reservedUsd + upToUsd <= maxUsd;
  }

  /** Why a try will not fit either once all others have ended that can still end. */
  #neverFits(upToUsd: number): BudgetError | undefined {
    const { maxUsd, maxCalls } = this.#caps;
    let [calls, usd] = [this.#sum.calls, this.#sum.usd + this.#sum.uncertainUsd];
    for (const [id, reserved] of this.#open) {
      if (!this.#isGone(id.slice(0, id.indexOf("/")))) continue;
      calls += 1;
      usd += reserved;
    }
    if (maxCalls !== undefined && calls >= maxCalls)
      return new BudgetError(`--purse ${this.#shown}: its --max-calls ${maxCalls} is reached (${calls} sent)`);
    if (maxUsd === undefined || usd + upToUsd <= maxUsd) return undefined;
    const { reservedUsd } = this.#sum;
    const inFlight = reservedUsd > 0 ? `, up to $${reservedUsd.toFixed(4)} in flight` : "";
    return new BudgetError(
      `--purse ${this.#shown}: its --max-usd ${maxUsd} would be passed (${spentText(this.#sum)}${inFlight}, next call up to $${upToUsd.toFixed(4)})`,
    );
  }

  /** Whether a process will never settle what it has in flight. */
  #isGone(owner: string): boolean {
    const [space, id, start] = owner.split("-");
    const pid = Number(id);
    const { isAlive, startOf } = this.#machine;
    if (space !== spaceOf(this.#machine)) return this.#clock.monotonic() - this.#grownAt > SILENT_MS;
    if (pid === this.#machine.pid && !openHere.has(owner)) return true; // a run before, in this process
    return !isAlive(pid) || (start !== "" && start !== (startOf(pid) ?? start));
  }
}

/** The caps that stand in a purse. Undefined where there is no such file. Throws UsageError where it is none. */
export function purseCaps(path: string, settings: Pick<PurseFileSettings, "shown" | "clock">): PurseCaps | undefined {
  if (!existsSync(path)) return undefined;
  const purse = new PurseFile(path, { ...settings, caps: {} });
  try {
    return purse.caps;
  } finally {
    purse.close();
  }
}

const amount = z.number().nonnegative();
const recordSchema = z.union([
  z.object({ cap: z.object({ maxUsd: amount.optional(), maxCalls: amount.optional() }) }),
  z.object({ take: z.string(), usd: amount }),
  z.object({ settle: z.string(), calls: z.union([z.literal(0), z.literal(1)]), usd: amount, uncertainUsd: amount }),
]);
type PurseRecord = z.infer<typeof recordSchema>;

/** Between two looks at a purse that is held up by others. */
const POLL_MS = 200;
/** A process on another machine that gives no sign for so long while all wait for it is taken for dead. */
const SILENT_MS = 600_000;
/** Purses opened by this process: a run of its own each. */
let opened = 0;
/** Owners in this process that may still settle what they took. */
const openHere = new Set<string>();

const spaceOf = ({ space }: Machine): string => sha256(space).slice(0, 12);

function refuseUncapped({ maxUsd, maxCalls }: PurseCaps, shown: string): void {
  if (maxUsd === undefined && maxCalls === undefined)
    throw new UsageError(`--purse ${shown}: a new purse needs a cap: add --max-usd X or --max-calls N`);
}

const damaged = (shown: string, line: number): UsageError =>
  new UsageError(
    `--purse ${shown}: line ${line} is no record of a purse, so what was spent is not known; name a new file, with the cap that is left`,
  );
