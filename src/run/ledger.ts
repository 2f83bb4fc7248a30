import { setImmediate } from "node:timers/promises";
import type { Key, ProgramCalls } from "../log/entry.js";
import { SpendMeter } from "../models/tokens.js";
import type { PendingTask } from "../outside/waits.js";
import { CALL_ID_LENGTH } from "../record/rows.js";
import type { ModelReply, Note, PhaseAt, Spend } from "../types/index.js";
import { endsRun } from "./failures.js";

interface FailedCall {
  readonly key: Key;
  readonly error: unknown;
}

/** Collects the calls, notes and incidents of one kit, for the row and the trace. */
export class Ledger {
  #spend = new SpendMeter();
  readonly #incidents = new Map<string, number>();
  /** Phases of the replies, by request. */
  readonly #replies = new Map<Key, PhaseAt[]>();
  readonly #notes: Note[] = [];
  readonly #callsInFlight = new Set<Promise<unknown>>();
  readonly #failedCalls: FailedCall[] = [];
  readonly #pending: PendingTask | undefined;
  #simulated: boolean;
  /** False if a program may have called models that the run does not see; undefined if no program was asked. */
  allCounted: boolean | undefined;
  /** Whether a reply was bought for it. */
  hasBought = false;

  /** `simulated`: whether the arm's model is. `pending`: the task that waits for the calls. */
  constructor(simulated: boolean, pending: PendingTask | undefined) {
    this.#simulated = simulated;
    this.#pending = pending;
  }

  spend(): Spend {
    return this.#spend.total();
  }

  /** Returns the number of incidents by name, sorted. */
  incidents(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#incidents].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the ids of all requests (first 16 digits of the keys), sorted, one for each reply, and one for a request without any. */
  requests(): readonly string[] {
    const ids = [...this.#replies].flatMap(([key, replies]) => {
      const id = key.slice(0, CALL_ID_LENGTH);
      return Array<string>(Math.max(1, replies.length)).fill(id);
    });
    return ids.sort();
  }

  /** Returns the keys of all requests, with the phases of their replies, and the incidents. */
  calls(): ProgramCalls {
    const answered = [...this.#replies].flatMap(([key, phases]) => phases.map((phase) => [key, phase] as const));
    const unanswered = [...this.#replies].flatMap(([key, phases]) => (phases.length === 0 ? [key] : []));
    return {
      answered,
      ...(unanswered.length === 0 ? {} : { unanswered }),
      ...(this.#incidents.size === 0 ? {} : { incidents: this.incidents() }),
    };
  }

  /** Forgets all but the notes: what follows is counted in its place. */
  restart(): void {
    this.#spend = new SpendMeter();
    this.#replies.clear();
    this.#incidents.clear();
    this.allCounted = undefined;
  }

  /** Returns the notes in the order in which they were made. */
  notes(): readonly Note[] {
    return this.#notes;
  }

  /** Returns true if the arm's model, or the model of a reply, is simulated. */
  simulated(): boolean {
    return this.#simulated;
  }

  /** Returns true without any request, note or incident. */
  isEmpty(): boolean {
    return this.#replies.size + this.#notes.length + this.#incidents.size === 0;
  }

  note(note: Note): void {
    this.#notes.push(note);
  }

  count(incident: string): void {
    this.#incidents.set(incident, (this.#incidents.get(incident) ?? 0) + 1);
  }

  addRequest(key: Key): void {
    this.#replies.set(key, this.#replies.get(key) ?? []);
  }

  addReply(key: Key, phase: PhaseAt, { usage, simulated, inputChanged }: ModelReply): void {
    this.#replies.set(key, [...(this.#replies.get(key) ?? []), phase]);
    this.#spend.add(phase, usage);
    if (simulated === true) this.#simulated = true;
    else if (usage.estimated === true) this.count("usage-estimated");
    if (inputChanged !== undefined) this.count("input-changed-by-server");
  }

  /** Tracks any call of the kit until it ends, and returns it. `keyOf`: returns its key, by which failed calls are ordered. */
  track<T>(call: Promise<T>, keyOf: () => Key): Promise<T> {
    const tracked = call
      .catch((error: unknown) => {
        this.#failedCalls.push({ key: keyOf(), error });
        throw error;
      })
      .finally(() => this.#callsInFlight.delete(tracked));
    this.#callsInFlight.add(tracked);
    return this.#pending?.waitFor(tracked) ?? tracked;
  }

  /**
   * Returns the result of a job once none of the kit's calls is in flight. A job that fails through one of several parallel calls throws
   * the same error in any order of replies: a call that ends the arm or the run first, else the call with the smallest key.
   */
  async whole<T>(job: Promise<T>): Promise<T> {
    const [result] = await Promise.allSettled([job]);
    if (result.status === "rejected") await setImmediate();
    while (this.#callsInFlight.size > 0) {
      await Promise.allSettled(this.#callsInFlight);
      await setImmediate(); // code that waited for a reply has made its next call by then
    }
    const failed = this.#failedCalls.splice(0);
    if (result.status === "fulfilled") return result.value;
    const isFailedCall = failed.some(({ error }) => error === result.reason);
    throw isFailedCall ? decisiveError(failed) : result.reason;
  }
}

function decisiveError(failed: readonly FailedCall[]): unknown {
  const ending = failed.filter(({ error }) => !(error instanceof Error) || endsRun(error));
  const candidates = ending.length > 0 ? ending : failed;
  return candidates.reduce((first, call) => (call.key < first.key ? call : first)).error;
}
