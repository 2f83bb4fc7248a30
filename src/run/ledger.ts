import { setImmediate } from "node:timers/promises";
import type { Key } from "../log/entry.js";
import { SpendMeter } from "../models/tokens.js";
import type { ProgramCalls } from "../outside/answers.js";
import type { PendingTask } from "../outside/waits.js";
import { CALL_ID_LENGTH } from "../record/rows.js";
import type { ModelReply, Note, PhaseAt, Spend } from "../types/index.js";
import { endsRun } from "./stops.js";

interface FailedCall {
  readonly key: Key;
  readonly error: unknown;
}

/** Counts what one unit or one question did: this is kept beside its row. */
export class Ledger {
  readonly #spend = new SpendMeter();
  readonly #incidents = new Map<string, number>();
  /** How often each request was answered. */
  readonly #answers = new Map<Key, number>();
  readonly #notes: Note[] = [];
  readonly #callsOut = new Set<Promise<unknown>>();
  readonly #failedCalls: FailedCall[] = [];
  readonly #pending: PendingTask | undefined;
  #simulated: boolean;

  /** `simulated`: the model is. `pending`: the task that waits for the calls. */
  constructor(simulated: boolean, pending: PendingTask | undefined) {
    this.#simulated = simulated;
    this.#pending = pending;
  }

  spend(): Spend {
    return this.#spend.total();
  }

  incidents(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#incidents].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the ids of the requests (first 16 digits of the keys), sorted, each as often as it was answered, once where it never was. */
  requests(): readonly string[] {
    const ids = [...this.#answers].flatMap(([key, answers]) => {
      const id = key.slice(0, CALL_ID_LENGTH);
      return Array<string>(Math.max(1, answers)).fill(id);
    });
    return ids.sort();
  }

  /** Returns the same with their whole keys: those that were answered, each as often, and those that were not. */
  calls(): ProgramCalls {
    const asked = [...this.#answers].flatMap(([key, answers]) => Array<Key>(answers).fill(key));
    const unanswered = [...this.#answers].flatMap(([key, answers]) => (answers === 0 ? [key] : []));
    return unanswered.length === 0 ? { asked } : { asked, unanswered };
  }

  /** Returns the steps of the trajectory, in the order noted. */
  notes(): readonly Note[] {
    return this.#notes;
  }

  simulated(): boolean {
    return this.#simulated;
  }

  /** Returns true where nothing was asked, noted or counted. */
  isEmpty(): boolean {
    return this.#answers.size + this.#notes.length + this.#incidents.size === 0;
  }

  note(note: Note): void {
    this.#notes.push(note);
  }

  count(incident: string): void {
    this.#incidents.set(incident, (this.#incidents.get(incident) ?? 0) + 1);
  }

  /** Adds a request, which may never be answered. */
  asked(key: Key): void {
    this.#answers.set(key, this.#answers.get(key) ?? 0);
  }

  /** Adds the answer to a request. */
  answered(key: Key, phase: PhaseAt, { usage, simulated, inputChanged }: ModelReply): void {
    this.#answers.set(key, (this.#answers.get(key) ?? 0) + 1);
    this.#spend.add(phase, usage);
    if (simulated === true) this.#simulated = true;
    else if (usage.estimated === true) this.count("usage-estimated");
    if (inputChanged !== undefined) this.count("input-changed-by-server");
  }

  /** Adds a call that is out, whatever it asks. `keyOf` names it among those that failed. */
  call<T>(call: Promise<T>, keyOf: () => Key): Promise<T> {
    const ended = call
      .catch((error: unknown) => {
        this.#failedCalls.push({ key: keyOf(), error });
        throw error;
      })
      .finally(() => this.#callsOut.delete(ended));
    this.#callsOut.add(ended);
    return this.#pending?.waitFor(ended) ?? ended;
  }

  /**
   * Returns what a job returns once no call of its kit is out: a job that fails leaves calls behind, and goes on with their replies.
   * A job that fails through a call fails through the same one in every order of replies.
   */
  async whole<T>(job: Promise<T>): Promise<T> {
    const [result] = await Promise.allSettled([job]);
    if (result.status === "rejected") await setImmediate();
    while (this.#callsOut.size > 0) {
      await Promise.allSettled(this.#callsOut);
      await setImmediate(); // what waited for a reply has made its next call by then
    }
    const failed = this.#failedCalls.splice(0);
    if (result.status === "fulfilled") return result.value;
    const isCall = failed.some(({ error }) => error === result.reason);
    throw isCall ? firstFailure(failed) : result.reason;
  }
}

/** Returns what ends the run or the arm before what fails a call, and of these the one with the smallest key. */
function firstFailure(failed: readonly FailedCall[]): unknown {
  const ending = failed.filter(({ error }) => !(error instanceof Error) || endsRun(error));
  const candidates = ending.length > 0 ? ending : failed;
  return candidates.reduce((first, one) => (one.key < first.key ? one : first)).error;
}
