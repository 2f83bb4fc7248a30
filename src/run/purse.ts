import { existsSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import * as z from "zod";
import { onFile } from "../disk/file-error.js";
import { readText, replaceText } from "../disk/whole-file.js";
import { BudgetError, UsageError } from "../errors.js";
import { type Reservation, type Settlement, type SharedPurse, spentText } from "../models/wrap/budgeted.js";
import { sha256 } from "../text/content-id.js";
import type { Clock } from "../types/index.js";
import { type Machine, thisMachine, whileLocked } from "./lock.js";
import { checkedText, checkHolds } from "./manifest.js";
import { parsed } from "./record-lines.js";

/** The most that may be spent: US dollars, billable tries. Absent: no cap. */
export interface PurseCaps {
  readonly maxUsd?: number | undefined;
  readonly maxCalls?: number | undefined;
}

interface PurseSettings {
  /** As typed, for messages. */
  readonly shown: string;
  /** New caps of the purse. Both absent: those that stand in the file. */
  readonly caps: PurseCaps;
  readonly clock: Clock;
  readonly machine?: Machine;
}

/**
 * A cap that runs, sweeps and judges share by naming one file (`--purse`): what is spent, and what each try in flight may cost.
 * A try reserves before it is sent and settles when it has ended; the file is read and replaced under a lock each time. What a
 * killed process had in flight stays reserved.
 */
export class PurseFile implements SharedPurse {
  readonly #path: string;
  readonly #settings: Required<PurseSettings>;
  /** Names this purse's reservations: where it runs, the process, and a number for each time that the file was opened. */
  readonly #owner: string;
  #taken = 0;
  /** As it was last read or written. */
  #state: PurseState;
  #text = "";
  #changedAt: number;

  /** Throws UsageError where the file is no purse or damaged, or a new one has no cap; FileError where it cannot be written. */
  constructor(path: string, settings: PurseSettings) {
    const { caps, clock, machine = thisMachine() } = settings;
    this.#path = path;
    this.#settings = { ...settings, machine };
    this.#changedAt = clock.monotonic();
    this.#state = EMPTY;
    this.#owner = this.#change((state, save) => {
      const { maxUsd = state.maxUsd, maxCalls = state.maxCalls } = caps;
      if (maxUsd === undefined && maxCalls === undefined)
        throw new UsageError(`--purse ${settings.shown}: a new purse needs a cap: add --max-usd X or --max-calls N`);
      save({ ...state, maxUsd, maxCalls, opened: state.opened + 1 });
      return [spaceOf(machine), machine.pid, state.opened].join("-");
    });
  }

  get caps(): PurseCaps {
    const { maxUsd, maxCalls } = this.#state;
    return { ...(maxUsd === undefined ? {} : { maxUsd }), ...(maxCalls === undefined ? {} : { maxCalls }) };
  }

  /** What is spent, and what others and this process have in flight. */
  get spent(): Settled & { readonly reservedUsd: number } {
    const { calls, usd, uncertainUsd } = this.#state;
    return { calls, usd, uncertainUsd, reservedUsd: reservedIn(this.#state) };
  }

  take(upToUsd: number): Reservation | "later" | BudgetError {
    return this.#change((state, save) => {
      if (!fits(state, upToUsd)) return this.#neverFits(state, upToUsd) ?? "later";
      const id = `${this.#owner}/${++this.#taken}`;
      save({ ...state, open: { ...state.open, [id]: { usd: upToUsd, by: this.#owner } } });
      return this.#reservation(id);
    });
  }

  held(id: string): Reservation | undefined {
    return this.#change((state, save) => {
      const left = state.open[id];
      if (left === undefined) return undefined;
      save({ ...state, open: { ...state.open, [id]: { usd: left.usd, by: this.#owner } } });
      return this.#reservation(id);
    });
  }

  async changed(signal: AbortSignal): Promise<void> {
    await this.#settings.clock.sleep(POLL_MS, signal);
    await setImmediate(); // a clock of tests may not let anything else happen
  }

  /** Nobody waits any more for what this process has still reserved: it has ended, or a batch of it is out. */
  close(): void {
    this.#change((state, save) => {
      const open = Object.entries(state.open).map(([id, one]) => [
        id,
        one.by === this.#owner ? { ...one, by: "" } : one,
      ]);
      if (Object.values(state.open).some(({ by }) => by === this.#owner))
        save({ ...state, open: Object.fromEntries(open) });
    });
  }

  #reservation(id: string): Reservation {
    return {
      id,
      settle: (end: Settlement) =>
        this.#change((state, save) => {
          const { [id]: _ended, ...open } = state.open;
          const { calls, usd, uncertainUsd } = state;
          save({
            ...state,
            calls: calls + end.calls,
            usd: usd + end.usd,
            uncertainUsd: uncertainUsd + end.uncertainUsd,
            open,
          });
        }),
    };
  }

  /** Reads the file and lets `work` replace it, while no other process does. Throws FileError. */
  #change<T>(work: (state: PurseState, save: (state: PurseState) => void) => T): T {
    const { shown, clock, machine } = this.#settings;
    const keep = (text: string, state: PurseState): void => {
      if (text !== this.#text) this.#changedAt = clock.monotonic();
      [this.#text, this.#state] = [text, state];
    };
    return onFile(this.#path, "what stands in it is unchanged", () =>
      whileLocked(`${this.#path}.lock`, machine, () => {
        if (existsSync(this.#path)) {
          const text = readText(this.#path);
          keep(text, stateIn(text, shown));
        }
        return work(this.#state, (state) => {
          const text = checkedText(state);
          replaceText(this.#path, text);
          keep(text, state);
        });
      }),
    );
  }

  /** Why a try will not fit either once all others have ended that can still end. */
  #neverFits(state: PurseState, upToUsd: number): BudgetError | undefined {
    const { maxUsd, maxCalls } = state;
    let [calls, usd] = [state.calls, state.usd + state.uncertainUsd];
    for (const { usd: reserved, by } of Object.values(state.open)) {
      if (!this.#isGone(by)) continue;
      calls += 1;
      usd += reserved;
    }
    const { shown } = this.#settings;
    if (maxCalls !== undefined && calls >= maxCalls)
      return new BudgetError(`--purse ${shown}: its --max-calls ${maxCalls} is reached (${calls} sent)`);
    if (maxUsd === undefined || usd + upToUsd <= maxUsd) return undefined;
    const reservedUsd = reservedIn(state);
    const inFlight = reservedUsd > 0 ? `, up to $${reservedUsd.toFixed(4)} in flight` : "";
    return new BudgetError(
      `--purse ${shown}: its --max-usd ${maxUsd} would be passed (${spentText(state)}${inFlight}, next call up to $${upToUsd.toFixed(4)})`,
    );
  }

  /** Whether a process will never settle what it has reserved. */
  #isGone(owner: string): boolean {
    const { clock, machine } = this.#settings;
    const [space, pid] = owner.split("-");
    if (space === spaceOf(machine)) return !machine.isAlive(Number(pid));
    return owner === "" || clock.monotonic() - this.#changedAt > SILENT_MS;
  }
}

/** The caps that stand in a purse. Undefined where there is no such file. Throws UsageError where it is none. */
export function purseCaps(path: string, shown: string): PurseCaps | undefined {
  if (!existsSync(path)) return undefined;
  const { maxUsd, maxCalls } = stateIn(readText(path), shown);
  return { maxUsd, maxCalls };
}

interface Settled {
  readonly calls: number;
  readonly usd: number;
  readonly uncertainUsd: number;
}

const amount = z.number().nonnegative();
const stateSchema = z.object({
  maxUsd: amount.optional(),
  maxCalls: amount.optional(),
  calls: amount,
  usd: amount,
  uncertainUsd: amount,
  opened: amount,
  /** What each try in flight may cost, US dollars, and who settles it: empty where a process has closed the purse before. */
  open: z.record(z.string(), z.object({ usd: amount, by: z.string() })),
});
type PurseState = z.infer<typeof stateSchema>;

const EMPTY: PurseState = { calls: 0, usd: 0, uncertainUsd: 0, opened: 0, open: {} };

/** Between two looks at a purse whose room others have reserved. */
const POLL_MS = 200;
/** A process on another machine is taken for dead when nobody has changed the purse for so long. */
const SILENT_MS = 600_000;

const spaceOf = ({ space }: Machine): string => sha256(space).slice(0, 12);

const reservedIn = ({ open }: PurseState): number => Object.values(open).reduce((sum, { usd }) => sum + usd, 0);

function fits(state: PurseState, upToUsd: number): boolean {
  const { maxUsd = Number.POSITIVE_INFINITY, maxCalls = Number.POSITIVE_INFINITY, calls, usd, uncertainUsd } = state;
  const inFlight = Object.keys(state.open).length;
  return calls + inFlight < maxCalls && usd + uncertainUsd + reservedIn(state) + upToUsd <= maxUsd;
}

function stateIn(text: string, shown: string): PurseState {
  const state = checkHolds(text) ? stateSchema.safeParse(parsed(text)).data : undefined;
  if (state !== undefined) return state;
  throw new UsageError(
    `--purse ${shown}: this is no purse, or it is damaged, so what was spent is not known; name a new file, with the cap that is left`,
  );
}
