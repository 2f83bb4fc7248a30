import type { VectorStore } from "../embedders/cached.js";
import { ModelError } from "../errors.js";
import type { Answer, Failure, Key } from "../log/entry.js";
import type { Log } from "../log/log.js";
import type { Reused } from "../record/reused.js";
import type { Json, Model, ModelReply } from "../types/index.js";
import type { CapSettings, Tries } from "./caps.js";
import { failedAlike, type ReplyStore } from "./store.js";

/** Answers that several processes buy, each once. Whoever ends a key first, by an answer or a failure, decides for all. */
export interface SharedAnswers {
  /** Returns how another process has ended the key by now; undefined: this one is to ask, and then to `end` it. */
  claim(key: Key, signal: AbortSignal): Promise<Answer | Failure | undefined>;
  /** Returns the end that counts, once it is kept. */
  end(entry: Answer | Failure): Promise<Answer | Failure>;
}

/** The answers of a run: those in its own log, then those in the logs that it takes answers from, which are copied. */
export class Answers {
  readonly log: Log;
  readonly #others: readonly Reused[];
  /** Calls that failed in this process after all their tries: equal ones fail alike, unsent. */
  readonly #failed = new Map<Key, Failure>();
  /** Where several processes buy. */
  readonly shared: SharedAnswers | undefined;

  constructor(log: Log, others: readonly Reused[] = [], shared?: SharedAnswers) {
    this.log = log;
    this.#others = others;
    this.shared = shared;
  }

  /** Copies an answer of a reused log into the own one. `model`: the one that is asked, of a reply. */
  get(key: Key, model?: string): Answer | undefined {
    const own = this.log.get(key);
    if (own !== undefined) return own;
    for (const { name, log, models } of this.#others) {
      const found = model === undefined || models.has(model) ? log.get(key) : undefined;
      if (found === undefined) continue;
      const copy = { ...found, from: name };
      this.log.append(copy);
      return copy;
    }
    return undefined;
  }

  /** Returns why a call is not to be made: it failed in this process, or in the run that is replayed. */
  failed(key: Key): Failure | undefined {
    const replayed = this.#others.find(({ isReplay }) => isReplay);
    return this.#failed.get(key) ?? replayed?.log.state.failed.get(key);
  }

  /** Ends a key, and returns the end that counts: another process may have been first. */
  async end(entry: Answer | Failure): Promise<Answer | Failure> {
    if (this.shared !== undefined) return this.shared.end(entry);
    if (entry.t === "failure") this.#failed.set(entry.key, entry);
    if (entry.t === "failure" || this.get(entry.key) === undefined) this.log.append(entry);
    return entry;
  }

  /** Failures in the log are failures of this process, too. */
  keepFailures(): void {
    for (const [key, failure] of this.log.state.failed) this.#failed.set(key, failure);
  }
}

/** How replies are booked (`CapSettings`). What fails once `stop` has fired may have failed through the stop. */
interface Booking extends Required<Pick<CapSettings, "price" | "stop">> {
  readonly tries: Pick<Tries, "tookMs">;
}

/** The replies of one model. */
export function repliesOf(answers: Answers, model: string, { price, tries, stop }: Booking): ReplyStore {
  const { shared } = answers;
  return {
    /** Undefined also where an answer is no reply, as a log of somebody else may have it. */
    get(key) {
      const value = answers.get(key, model)?.value as Partial<ModelReply> | null | undefined;
      return typeof value?.text === "string" && Number.isFinite(value.usage?.in) ? (value as ModelReply) : undefined;
    },
    async claim(key, signal) {
      return replyOf(answers.failed(key) ?? (await shared?.claim(key, signal)));
    },
    put(key, request, reply) {
      const [usd, ms] = [price(reply.usage), reply.usage.batch === true ? undefined : tries.tookMs(key)];
      const answer: Answer = {
        ...{ t: "answer", key, kind: "reply", value: reply as unknown as Json, request }, // a reply is JSON
        ...(usd === undefined ? {} : { usd }),
        ...(ms === undefined ? {} : { ms }),
      };
      if (shared !== undefined) return shared.end(answer).then(replyOf);
      answers.log.append(answer);
      return undefined;
    },
    async failed(key, error) {
      if (!isCallFailure(error) || stop.aborted) return undefined;
      const end = await answers.end({ t: "failure", key, billed: "none", error: error.message, final: true });
      return end.t === "failure" && end.error === error.message ? undefined : replyOf(end);
    },
  };
}

/** Returns true where the failure concerns this call alone, not its server or the run. */
const isCallFailure = (error: unknown): error is ModelError =>
  error instanceof ModelError && error.scope === "call" && !(error instanceof ReplayMiss);

/** The reply that ended a key. Throws where a failure did. */
function replyOf(end: Answer | Failure | undefined): ModelReply | undefined {
  if (end?.t === "failure") throw failedAlike(end.error);
  return end?.value as ModelReply | undefined; // `put` made it
}

/** A request that a recording does not hold. Never tried again: the recording will not grow. */
export class ReplayMiss extends ModelError {
  constructor() {
    super("not in the recording", { retryable: false, bill: "none" });
  }
}

/** Stands in a provider's place where every reply must come from a recording: reaches nothing, and misses what it is asked. */
export const replaying = ({ id, capabilities, simulated }: Model): Model => ({
  ...{ id, capabilities, simulated },
  complete: () => Promise.reject(new ReplayMiss()),
});

/** The calls that a program made of the run's models for one question. */
export interface ProgramCalls {
  /** Keys of those that were answered, each as often as it was made. */
  readonly asked: readonly Key[];
  /** Keys of those that failed. */
  readonly unanswered?: readonly Key[];
}

/** The answers of a run's programs. Until `keepIn` nothing is known and nothing is kept. */
export class ProgramAnswers {
  readonly #isReplay: boolean;
  readonly #stop: AbortSignal;
  #answers: Answers | undefined;

  /** `isReplay`: no program may be asked. `stop` fires when no new question may be asked: what fails then may have failed through the stop. */
  constructor({ isReplay, stop }: { readonly isReplay: boolean; readonly stop: AbortSignal }) {
    this.#isReplay = isReplay;
    this.#stop = stop;
  }

  /** From now on answers are taken from there where they can be, and kept there. */
  keepIn(answers: Answers): void {
    this.#answers = answers;
  }

  /**
   * Returns what is known of a question put to a program with this model, and the replies that went into it; `output` throws ModelError
   * where the program failed. Throws ReplayMiss where it may not be asked.
   */
  find(key: Key, model: string) {
    const answers = this.#answers;
    const end = answers?.get(key, model) ?? answers?.failed(key);
    if (end !== undefined) {
      const { asked = [], unanswered = [] } = end.t === "answer" ? (end.value as unknown as ProgramCalls) : end;
      const replies = asked.flatMap((call) => {
        const reply = answers?.get(call, model)?.value as ModelReply | undefined; // `asked` names replies
        return reply === undefined ? [] : [[call, reply] as const];
      });
      if (replies.length === asked.length) return { unanswered, replies, output: (): string => outputOf(end) };
    }
    if (this.#isReplay) throw new ReplayMiss();
    return undefined; // a reply that went into it is lost: asked again
  }

  /** Keeps what a program answered. Returns the answer that counts: another process may have been first. */
  async answered(key: Key, output: string, calls: ProgramCalls): Promise<string> {
    const value = { output, ...calls } as unknown as Json;
    const end = await this.#answers?.end({ t: "answer", key, kind: "program", value });
    return end === undefined ? output : outputOf(end);
  }

  /** Keeps that it failed: it is asked again in a later process. */
  async failed(key: Key, error: unknown, calls: ProgramCalls): Promise<void> {
    if (!isCallFailure(error) || this.#stop.aborted) return;
    await this.#answers?.end({ t: "failure", key, billed: "none", error: error.message, final: true, ...calls });
  }
}

function outputOf(end: Answer | Failure): string {
  if (end.t === "failure") throw new ModelError(end.error, { retryable: false });
  return (end.value as { readonly output: string }).output; // `answered` kept it
}

/** The vectors of a run's encoders. */
export const vectorsOf = (answers: Answers): VectorStore => ({
  get: (key) => vectorIn(answers.get(key)),
  put: (key, vector) => answers.log.append(vectorAnswer(key, vector)),
});

/** The answer that a vector is: 32-bit floats, little-endian, as base64. */
export function vectorAnswer(key: Key, vector: Float32Array): Answer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4);
  return { t: "answer", key, kind: "vector", value: { floats: bytes.toString("base64") } };
}

/** The vector of an answer; undefined where it holds none. */
export function vectorIn(found: Answer | undefined): Float32Array | undefined {
  if (found?.kind !== "vector") return undefined;
  const bytes = Buffer.from((found.value as { readonly floats: string }).floats, "base64"); // as it is put
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}
