import type { Pool } from "pg";
import { UsageError } from "../errors.js";
import type { Clock } from "../types/index.js";
import { isGone } from "./connect.js";

/** `open`: workers ask; `filling`, `paused` and `ended`: they start nothing; `gone`: the database holds it no more. */
export type RunState = "filling" | "open" | "paused" | "ended" | "gone";

/** One operation of the SQL function `exchange` (schema.ts). */
type Op = { readonly op: string; readonly content?: string } & Readonly<Record<string, unknown>>;
type Answer = string | number | null | { readonly end?: string; readonly after?: number };

interface Asked {
  readonly op: Op;
  /** It begins something: once the worker stops, it is refused. */
  readonly begins: boolean;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

interface ExchangeSettings {
  readonly pool: Pool;
  readonly run: string;
  readonly worker: string;
  readonly clock: Clock;
  /** Texts that may stand in no entry. */
  readonly secrets: readonly string[];
  /** Once it fires nothing is begun; what came in is still told. */
  readonly stop: AbortSignal;
  /** Fires where telling must end, too. */
  readonly kill: AbortSignal;
  /** The run is no longer open. */
  onState(state: RunState): void;
  /** The database went away, or is back. */
  onGone(gone: boolean): void;
}

/** Most of one statement. */
const MOST_OPS = 250;
const MOST_CHARACTERS = 8_000_000;
const AGAIN_MS = 1_000;

/**
 * Everything that a worker asks and tells of one run. What comes up while a statement is out goes with the next one, in order and in
 * one transaction. While the database is away all of it waits here: nothing new starts, and answers are kept when it is back.
 */
export class Exchange {
  readonly #settings: ExchangeSettings;
  readonly #waiting: Asked[] = [];
  #out: Promise<void> | undefined;

  constructor(settings: ExchangeSettings) {
    this.#settings = settings;
    settings.stop.addEventListener("abort", () => this.#refuseWaiting(), { once: true });
  }

  /** Asks for something that begins. Throws once the worker stops. */
  async begin(op: Op): Promise<Answer> {
    const { stop } = this.#settings;
    stop.throwIfAborted();
    const answer = await this.ask(op, true);
    if (answer !== "stopped") return answer;
    stop.throwIfAborted();
    throw new Error(`lamp_eval.exchange: ${op.op} refused`); // `onState` has stopped the worker
  }

  /** Ends when the operation is done, also after the worker was told to stop. */
  async ask(op: Op, begins = false): Promise<Answer> {
    if (this.#settings.secrets.some((secret) => op.content?.includes(secret)))
      throw new UsageError("an entry would hold a key or login of the environment; nothing was written");
    return new Promise((resolve, reject) => {
      this.#waiting.push({ op, begins, resolve, reject });
      this.#out ??= this.#work().finally(() => {
        this.#out = undefined;
      });
    });
  }

  tell(op: Op): void {
    this.ask(op).catch(() => undefined); // the process ends without it
  }

  /** Ends when everything that was told is there. */
  async flushed(): Promise<void> {
    while (this.#out !== undefined) await this.#out;
  }

  async #work(): Promise<void> {
    const { kill, clock, onGone } = this.#settings;
    let gone = false;
    await Promise.resolve(); // what comes up in the same moment goes together
    while (this.#waiting.length > 0) {
      const batch = this.#batch();
      try {
        await this.#send(batch);
        if (gone) onGone(false);
        gone = false;
      } catch (error) {
        if (kill.aborted || !isPassing(error)) {
          for (const one of [...batch, ...this.#waiting.splice(0)]) one.reject(error);
          return;
        }
        this.#waiting.unshift(...batch);
        if (this.#settings.stop.aborted) this.#refuseWaiting();
        if (!gone && isGone(error)) onGone(true);
        gone ||= isGone(error);
        await clock.sleep(gone ? AGAIN_MS : 10, kill).catch(() => undefined);
      }
    }
  }

  #batch(): Asked[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ op }, index) => {
      characters += op.content?.length ?? 0;
      return index >= MOST_OPS || (index > 0 && characters > MOST_CHARACTERS);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #send(batch: readonly Asked[]): Promise<void> {
    const { pool, run, worker, onState } = this.#settings;
    const { rows } = await pool.query<{ told: { state: RunState; answers?: readonly Answer[] } }>({
      name: "exchange",
      text: "select lamp_eval.exchange($1, $2, $3) as told",
      values: [run, worker, JSON.stringify(batch.map(({ op }) => op))],
    });
    const { state, answers = [] } = rows[0]!.told; // a function returns one row
    if (state !== "open") onState(state);
    for (const [index, { resolve }] of batch.entries())
      resolve(answers[index] ?? (state === "gone" ? "stopped" : null));
  }

  #refuseWaiting(): void {
    for (const one of this.#waiting.splice(0))
      if (one.begins) one.reject(this.#settings.stop.reason);
      else this.#waiting.push(one);
  }
}

/** A lost connection, or a deadlock that the server resolved: nothing was done, or the same may be asked again. */
const isPassing = (error: unknown): boolean =>
  isGone(error) || ["40P01", "40001"].includes((error as { readonly code?: string }).code ?? "");
