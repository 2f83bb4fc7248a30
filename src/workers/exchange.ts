import { UsageError } from "../errors.js";
import type { Board, RunState } from "./board.js";

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
  readonly board: Board;
  readonly run: string;
  readonly worker: string;
  /** Texts that may stand in no entry. */
  readonly secrets: readonly string[];
  /** Once it fires nothing is begun; what came in is still told. */
  readonly stop: AbortSignal;
  /** The run is no longer open. */
  onClosed(): void;
}

/** Most operations of one statement. */
const MOST_OPS = 100;

/**
 * Everything that a worker asks and tells of one run. What comes up while a statement is out goes with the next one, in order and in
 * one transaction. While the database is away all of it waits here: nothing new starts, and answers are kept when it is back.
 */
export class Exchange {
  readonly #settings: ExchangeSettings;
  #waiting: Asked[] = [];
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
    if (answer === "stopped") stop.throwIfAborted(); // `onClosed` has stopped it
    return answer;
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
    await Promise.resolve(); // what comes up in the same moment goes together
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, MOST_OPS);
      await this.#send(batch).catch((error: unknown) => {
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error);
      });
    }
  }

  async #send(batch: readonly Asked[]): Promise<void> {
    const { board, run, worker, onClosed } = this.#settings;
    const [row] = await board.query<{ told: { state: RunState; answers?: readonly Answer[] } }>(
      "select lamp_eval.exchange($1, $2, $3) as told",
      ...[run, worker, JSON.stringify(batch.map(({ op }) => op))],
    );
    const { state, answers = [] } = row!.told; // a function returns one row
    if (state !== "open") onClosed();
    for (const [i, { resolve }] of batch.entries()) resolve(answers[i] ?? (state === "gone" ? "stopped" : null));
  }

  #refuseWaiting(): void {
    for (const { begins, reject } of this.#waiting) if (begins) reject(this.#settings.stop.reason);
    this.#waiting = this.#waiting.filter(({ begins }) => !begins);
  }
}
