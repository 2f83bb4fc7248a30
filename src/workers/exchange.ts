import type { Pool } from "pg";
import type { Clock } from "../types/index.js";
import { isGone } from "./connect.js";

/** `open`: workers buy; `paused` and `ended`: they start nothing; `gone`: the run was collected or forgotten. */
export type RunState = "open" | "paused" | "ended" | "gone";
/** What a run keeps by key: replies of models, vectors of texts, searches outside. */
export type Kind = "reply" | "vector" | "search";

type Op = { readonly op: string } & Readonly<Record<string, unknown>>;
type Answer = string | null | { readonly content?: string; readonly after?: number } | number;

interface Asked {
  readonly op: Op;
  /** It begins something: once the worker stops, it is turned away. */
  readonly begins: boolean;
  resolve(answer: Answer): void;
  reject(reason: unknown): void;
}

interface ExchangeSettings {
  readonly pool: Pool;
  readonly run: string;
  readonly worker: string;
  readonly clock: Clock;
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
/** Between two looks at what another worker has out. */
const WAIT_MS = 250;
const AGAIN_MS = 1_000;

/**
 * All that a worker asks and tells of one run. What comes up while a statement is out goes with the next, in order and in one
 * transaction. While the database is away everything waits here: nothing new starts, and what arrives is told when it is back.
 */
export class Exchange {
  readonly #settings: ExchangeSettings;
  readonly #waiting: Asked[] = [];
  #out: Promise<void> | undefined;
  #attempts = 0;

  constructor(settings: ExchangeSettings) {
    this.#settings = settings;
    settings.stop.addEventListener("abort", () => this.#turnAway(), { once: true });
  }

  /** What is kept of the key, once it is there; undefined: this worker is to get it, and then to `keep` or `release` it. */
  async claim(kind: Kind, key: string, signal: AbortSignal): Promise<string | undefined> {
    for (;;) {
      const found = await this.look(kind, key);
      if (found === "mine") return undefined;
      if (found !== "wait") return found.content;
      await this.#settings.clock.sleep(WAIT_MS, AbortSignal.any([signal, this.#settings.stop]));
    }
  }

  /** The same without waiting for another worker that is to get it. */
  async look(kind: Kind, key: string): Promise<"mine" | "wait" | { readonly content: string }> {
    return (await this.#begin({ op: "claim", kind, key })) as "mine" | "wait" | { readonly content: string };
  }

  release(kind: Kind, key: string): void {
    this.#tell({ op: "release", kind, key });
  }

  /** Ends when the account may be sent the call, under its limits a minute and what its server asked to wait. */
  async start(
    account: string,
    cost: { readonly input: number; readonly output: number },
    perMinute: { readonly [measure in "requests" | "input" | "output"]?: number | undefined },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, stop } = this.#settings;
    const either = AbortSignal.any([signal, stop]);
    for (;;) {
      const answer = await this.#begin({ op: "start", account, input: cost.input, output: cost.output, perMinute });
      if (typeof answer === "number") await clock.sleep(answer, either);
      else {
        const after = typeof answer === "object" ? (answer?.after ?? 0) : 0;
        if (after >= 1) await clock.sleep(after, either);
        return;
      }
    }
  }

  /** The account's server asked to wait. */
  hold(account: string, ms: number): void {
    this.#tell({ op: "hold", account, ms });
  }

  /** Counts a try under the caps; `calls` and `usd`: that cap is reached; `later`: tries in flight stand in the way. */
  async take(key: string, usd: number): Promise<"go" | "later" | "calls" | "usd"> {
    this.#attempts += 1;
    return (await this.#begin({ op: "take", key, usd, attempt: this.#attempts })) as "go" | "later" | "calls" | "usd";
  }

  /** A counted try has ended: billable or not, US dollars billed, and US dollars that may have been. */
  settle(key: string, end: { readonly calls: 0 | 1; readonly usd: number; readonly uncertainUsd: number }): void {
    this.#tell({ op: "settle", key, calls: end.calls, usd: end.usd, uncertain: end.uncertainUsd });
  }

  /** Ends when it is kept. Returns what stands: another worker may have been first. */
  async keep(kind: Kind, key: string, content: string, request?: string): Promise<string> {
    const answer = await this.#ask({ op: "keep", kind, key, content, request }, false);
    return typeof answer === "object" ? (answer?.content ?? content) : content;
  }

  /** The records of a unit, all at once; those that stand already stay. */
  async result(cell: string, unit: string, content: string): Promise<void> {
    await this.#ask({ op: "result", cell, unit, content }, false);
  }

  /** Ends when all that was told is there. */
  async flushed(): Promise<void> {
    while (this.#out !== undefined) await this.#out;
  }

  close(): Promise<void> {
    return this.#settings.pool.end();
  }

  async #begin(op: Op): Promise<Answer> {
    const { stop } = this.#settings;
    stop.throwIfAborted();
    const answer = await this.#ask(op, true);
    if (answer !== "stopped") return answer;
    stop.throwIfAborted();
    throw new Error(`lamp_eval.exchange: ${op.op} stopped`); // whoever is told of the state stops
  }

  #tell(op: Op): void {
    this.#ask(op, false).catch(() => undefined); // the process ends without it
  }

  #ask(op: Op, begins: boolean): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ op, begins, resolve, reject });
      this.#out ??= this.#work().finally(() => {
        this.#out = undefined;
      });
    });
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
        if (this.#settings.stop.aborted) this.#turnAway();
        if (!gone && isGone(error)) onGone(true);
        gone ||= isGone(error);
        await clock.sleep(gone ? AGAIN_MS : 10, kill).catch(() => undefined);
      }
    }
  }

  #batch(): Asked[] {
    let characters = 0;
    const end = this.#waiting.findIndex(({ op }, index) => {
      characters += String(op.content ?? "").length + String(op.request ?? "").length;
      return index >= MOST_OPS || (index > 0 && characters > MOST_CHARACTERS);
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : end);
  }

  async #send(batch: readonly Asked[]): Promise<void> {
    const { pool, run, worker, onState } = this.#settings;
    const ops = JSON.stringify(batch.map(({ op }) => op));
    const { rows } = await pool.query<{ told: { state: RunState; answers?: readonly Answer[] } }>({
      name: "exchange",
      text: "select lamp_eval.exchange($1, $2, $3) as told",
      values: [run, worker, ops],
    });
    const { state, answers = [] } = rows[0]!.told; // a function returns one row
    if (state !== "open") onState(state);
    for (const [index, { resolve }] of batch.entries())
      resolve(answers[index] ?? (state === "gone" ? "stopped" : null));
  }

  #turnAway(): void {
    const { stop } = this.#settings;
    for (const one of this.#waiting.splice(0))
      if (one.begins) one.reject(stop.reason);
      else this.#waiting.push(one);
  }
}

/** A break of the connection, or a deadlock that the server resolved: nothing was done, or the same may be asked again. */
const isPassing = (error: unknown): boolean =>
  isGone(error) || ["40P01", "40001"].includes((error as { readonly code?: string }).code ?? "");
