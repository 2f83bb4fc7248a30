import { BudgetError, ModelError, UsageError } from "../errors.js";
import type { Answer, Failure, Key, ProgramCalls } from "../log/entry.js";
import type { Log } from "../log/log.js";
import type { Reused } from "../record/reused.js";
import { sha256 } from "../text/content-id.js";
import { countOf } from "../text/count.js";
import { messageOf } from "../text/file-trouble.js";
import type { Embedder, Json, Model, ModelReply } from "../types/index.js";
import { type Book, type End, FailedBefore, type KeptFailure, type Kind, type Once, type Purchase } from "./once.js";

/** The part of a book that several processes share. */
export type SharedAnswers = Required<Pick<Book, "claim" | "release" | "end">>;

/** The answers of a run: those in its own log, then those in reused logs, which are copied into it. */
export class AnswerBook implements Book {
  readonly log: Log;
  readonly #reused: readonly Reused[];
  /** Calls that failed in this process after all tries: equal calls are not sent. */
  readonly #failed = new Map<Key, Failure>();
  /** Set where several processes buy. */
  readonly #shared: SharedAnswers | undefined;

  constructor(log: Log, reused: readonly Reused[] = [], shared?: SharedAnswers) {
    this.log = log;
    this.#reused = reused;
    this.#shared = shared;
  }

  /** True in a replay: every answer must come from the recording. */
  get isReplay(): boolean {
    return this.#reused.some(({ isReplay }) => isReplay);
  }

  find<T>(key: Key, kind: Kind<T>): T | undefined {
    const own = this.log.get(key);
    const value = own && kind.read(own);
    return value ?? this.#copied(key, kind);
  }

  #copied<T>(key: Key, kind: Kind<T>): T | undefined {
    const found = this.findElsewhere(key, kind);
    if (found !== undefined) this.#keep({ ...found.answer, from: found.from });
    return found?.value;
  }

  findElsewhere<T>(key: Key, kind: Kind<T>) {
    for (const { name, log, models, isReplay } of this.#reused) {
      if (kind.model !== undefined && !models.has(kind.model)) continue;
      const answer = log.get(key);
      const value = answer && kind.read(answer);
      if (answer !== undefined && value !== undefined) return { value, answer, from: name };
      if (answer !== undefined && kind.name === "reply" && !isReplay)
        throw new UsageError(
          `--reuse ${name}: its answer ${key.slice(0, 12)} is no reply of a model; take a copy that nothing has edited, or leave --reuse out`,
        );
    }
    return undefined;
  }

  failed(key: Key): Failure | undefined {
    const replayed = this.#reused.find(({ isReplay }) => isReplay);
    return this.#failed.get(key) ?? replayed?.log.state.failures.get(key);
  }

  claim(key: Key, signal: AbortSignal): Promise<End | undefined> | undefined {
    return this.#shared?.claim(key, signal);
  }

  release(key: Key): void {
    this.#shared?.release(key);
  }

  end(entry: End): End | Promise<End> {
    if (this.#shared !== undefined) return this.#shared.end(entry);
    if (entry.t === "failure") this.#failed.set(entry.key, entry);
    if (entry.t === "answer") this.#keep(entry);
    else this.log.append(entry);
    return entry;
  }

  /** An answer that the log has already could not be read: this one counts. */
  #keep(answer: Answer): void {
    this.log.append(this.log.state.answers.has(answer.key) ? { ...answer, replaces: true } : answer);
  }

  /** Treats the failures in the log as failures of this process. */
  keepFailures(): void {
    for (const [key, failure] of this.log.state.failures) this.#failed.set(key, failure);
  }
}

/** Returns the failure to store where it concerns one call, not the server or the run. */
export function keptFailure(error: unknown): KeptFailure | undefined {
  const isOfCall = error instanceof ModelError && error.scope === "call" && !(error instanceof ReplayMiss);
  return isOfCall ? { error: error.message } : undefined;
}

/** Returns the reply in an answer; undefined where it is none: logs may come from other people. */
export function storedReply({ value }: Answer): ModelReply | undefined {
  const reply = value as Partial<ModelReply> | null;
  return typeof reply?.text === "string" && Number.isFinite(reply.usage?.in) ? (reply as ModelReply) : undefined;
}

/** Returns the kind of a model's replies. Failures after `stop` are not stored: they may come of the stop. */
export const replyKind = (model: string, stop: AbortSignal): Kind<ModelReply> => ({
  name: "reply",
  model,
  read: storedReply,
  failure: (error) => (stop.aborted ? undefined : keptFailure(error)),
});

/** The error of a request that a recording does not hold. */
export class ReplayMiss extends ModelError {
  constructor() {
    super("not in the recording", { retryable: false, bill: "none" });
  }
}

/** Returns the model of a replay: it rejects every request, since all replies must come from the recording. */
export const replaying = ({ id, capabilities, simulated }: Model): Model => ({
  id,
  capabilities,
  simulated,
  complete: () => Promise.reject(new ReplayMiss()),
});

/** An answer of a program, with the calls that it made for it. */
export interface ProgramAnswer extends ProgramCalls {
  readonly output: string;
}

/** Vectors of an encoder. Failures are stored too: otherwise rows would depend on which of equal calls came first. */
const vectorKind: Kind<Float32Array> = {
  name: "vector",
  read: readVector,
  failure(error) {
    const endsRun = error instanceof UsageError || error instanceof BudgetError;
    if (endsRun || !(error instanceof Error)) return undefined;
    return error instanceof ModelError ? keptFailure(error) : { error: messageOf(error) };
  },
};

/** Number of texts whose vectors are stored together. */
const BATCH_TEXTS = 64;

/** Returns an embedder that computes each text once. A text that the server refuses fails alone, whatever it was sent with. */
export function embeddedOnce(embedder: Embedder, once: Once, signal?: AbortSignal): Embedder {
  async function compute(texts: readonly string[]): Promise<(Purchase | ModelError)[]> {
    try {
      return await computeTogether(texts);
    } catch (error) {
      const isRefused = error instanceof ModelError && keptFailure(error) !== undefined && !error.retryable;
      if (!isRefused) throw error;
      if (texts.length === 1) return [error];
      const half = Math.ceil(texts.length / 2);
      return [...(await compute(texts.slice(0, half))), ...(await compute(texts.slice(half)))];
    }
  }
  async function computeTogether(texts: readonly string[]): Promise<Purchase[]> {
    const vectors = await embedder.embed(texts);
    if (vectors.length !== texts.length)
      throw new Error(
        `${embedder.id} returned ${countOf(vectors.length, "vector")} for ${countOf(texts.length, "text")}`,
      );
    return vectors.map((vector) => ({ value: vectorValue(vector) }));
  }
  return {
    id: embedder.id,
    get dimensions() {
      return embedder.dimensions;
    },
    async embed(texts) {
      const keys = texts.map((text) => sha256(`${embedder.id}\n${text}`));
      const textOf = new Map(keys.map((key, at) => [key, texts[at]!]));
      const buy = (some: readonly Key[]) => compute(some.map((key) => textOf.get(key)!));
      const missing = [...textOf.keys()].filter((key) => once.book.find(key, vectorKind) === undefined);
      const errors: unknown[] = [];
      for (let at = 0; at < missing.length; at += BATCH_TEXTS)
        await once.all(missing.slice(at, at + BATCH_TEXTS), vectorKind, buy, signal).catch((error: unknown) => {
          if (signal?.aborted === true || vectorKind.failure(error) === undefined) throw error;
          errors.push(error); // the other batches go on: no text depends on the order of batches
        });
      const failed = keys.map((key) => once.book.failed?.(key)).find((failure) => failure !== undefined);
      if (errors.length > 0) throw failed === undefined ? errors[0] : new FailedBefore(failed);
      const bought = await once.all(keys, vectorKind, buy, signal);
      return bought.map(({ value }) => value);
    },
  };
}

/** Encodes a vector: 32-bit floats, little-endian, base64. */
function vectorValue(vector: Float32Array): Json {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4);
  return { floats: bytes.toString("base64") };
}

function readVector({ kind, value }: Answer): Float32Array | undefined {
  const { floats } = Object(value) as { readonly floats?: unknown };
  if (kind !== "vector" || typeof floats !== "string") return undefined;
  const bytes = Buffer.from(floats, "base64"); // as it is kept
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4));
}

/** Returns the embedder of a replay: it rejects every text, since all vectors must come from the recording. */
export const recordedEmbedder = (id: string): Embedder => ({
  id,
  dimensions: 0,
  embed: () => Promise.reject(new ReplayMiss()),
});
