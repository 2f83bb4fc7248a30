import { ModelError } from "../../errors.js";
import type { Failure, Got, Key } from "../../log/entry.js";
import { ReplayMiss } from "../../models/wrap/cached.js";
import type { Json, ModelReply } from "../../types/index.js";
import type { Answers } from "./answers.js";

/** The calls that a program made of the run's models for one question. */
export interface Asked {
  /** Keys of those that were answered, each as often as it was made. */
  readonly asked: readonly Key[];
  /** Keys of those that failed. */
  readonly unanswered?: readonly Key[];
}

/** An answer that is known, and the replies that went into it. */
interface KnownAnswer {
  /** Throws ModelError where the program failed. */
  output(): string;
  readonly replies: readonly (readonly [Key, ModelReply])[];
  readonly unanswered: readonly Key[];
}

/** The answers of a run's programs. Until `keepIn` nothing is known and nothing is kept. */
export class Programs {
  readonly #settings: { readonly isReplay: boolean; readonly stop: AbortSignal };
  #answers: Answers | undefined;

  /** `isReplay`: no program may be asked. `stop` fires when no new question may be asked: what fails then may not have failed by itself. */
  constructor(settings: { readonly isReplay: boolean; readonly stop: AbortSignal }) {
    this.#settings = settings;
  }

  /** From now on answers are taken from there where they can be, and kept there. */
  keepIn(answers: Answers): void {
    this.#answers = answers;
  }

  /** Returns what is known of a question that was asked beside this model. Throws ReplayMiss where it may not be asked. */
  find(key: Key, model: string): KnownAnswer | undefined {
    const answers = this.#answers;
    if (answers === undefined) return undefined;
    const got = answers.get(key, model);
    const end = got ?? answers.failed(key);
    if (end !== undefined) {
      const { asked, unanswered = [] } = askedIn(end);
      const replies = asked.map((call) => [call, answers.get(call, model)?.value as ModelReply | undefined] as const); // `asked` names replies
      if (replies.every(hasReply)) return { unanswered, replies, output: () => outputOf(end) };
    }
    if (this.#settings.isReplay) throw new ReplayMiss();
    return undefined; // a reply that went into it is lost: asked again
  }

  /** Keeps what a program answered. Returns the answer that counts: another process may have been first. */
  async answered(key: Key, output: string, calls: Asked): Promise<string> {
    const end = await this.#answers?.end({
      t: "got",
      key,
      kind: "answer",
      value: { output, ...calls } as unknown as Json,
    });
    return end === undefined ? output : outputOf(end);
  }

  /** Keeps that it failed: it is asked again in a later process. */
  async failed(key: Key, error: unknown, calls: Asked): Promise<void> {
    const isOwn = error instanceof ModelError && error.scope === "call" && !this.#settings.stop.aborted;
    if (isOwn) await this.#answers?.end({ t: "no", key, billed: "none", error: error.message, final: true, ...calls });
  }
}

const hasReply = (pair: readonly [Key, ModelReply | undefined]): pair is readonly [Key, ModelReply] =>
  pair[1] !== undefined;

const askedIn = (end: Got | Failure): Asked =>
  end.t === "got"
    ? (end.value as unknown as Asked)
    : { asked: end.asked ?? [], ...(end.unanswered && { unanswered: end.unanswered }) };

function outputOf(end: Got | Failure): string {
  if (end.t === "no") throw new ModelError(end.error, { retryable: false });
  return (end.value as { readonly output: string }).output; // `answered` kept it
}
