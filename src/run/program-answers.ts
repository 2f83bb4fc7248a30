import type { Key, ProgramCalls } from "../log/entry.js";
import { type AnswerBook, keptFailure, type ProgramAnswer, ReplayMiss, replyKind } from "../outside/answers.js";
import { FailedBefore, type Kind, type Once } from "../outside/once.js";
import { contentId } from "../text/content-id.js";
import type { Json, Kit, ModelReply, PhaseAt } from "../types/index.js";
import type { Ledger } from "./ledger.js";

/** Incident of a user whom a program took in again with other calls. Those of the last time are counted. */
const INGEST_DIFFERS = "ingest-differs";

/** The kit at hand, as far as programs need it. */
interface ProgramPlace {
  readonly kit: Kit;
  /** Undefined: nothing is kept, and each answer is made. */
  readonly once: Once<AnswerBook> | undefined;
  readonly signal: AbortSignal;
  readonly stop: AbortSignal | undefined;
  readonly track: (<T>(job: Promise<T>) => Promise<T>) | undefined;
  readonly repeat: number;
  /** Id of the model's settings: part of the key. */
  readonly settings: Key;
  /** Counts the calls of answers. */
  readonly ledger: Ledger;
  /** Returns the id of the model that is asked in a phase. */
  modelAt(phase: PhaseAt): string;
  /** Opens the kit of one answer. */
  open(): { readonly kit: Kit; readonly ledger: Ledger; close(): void };
  explain(error: unknown): unknown;
}

type Answer = Parameters<Kit["program"]>[1];

/** Answers of programs, kept with the calls that the programs made. What is kept is what is counted. */
export class ProgramAnswers {
  readonly #place: ProgramPlace;

  constructor(place: ProgramPlace) {
    this.#place = place;
  }

  /** Is `Kit.program`. */
  async answer(job: Json, answer: Answer, again?: "again"): Promise<string> {
    const { kit, once, repeat, settings, signal, track, explain } = this.#place;
    if (once === undefined) return answer(kit, { repeat, allCounted: () => undefined });
    const key = contentId({ program: job, beside: settings });
    let work: Work | undefined;
    const make = (): Promise<ProgramAnswer> => {
      if (once.book.isReplay) throw new ReplayMiss();
      work = this.#begin(answer);
      return work.end;
    };
    const kind = this.#kind(once, () => work?.calls());
    const before = again === undefined ? undefined : once.book.find(key, kind);
    if (before !== undefined) {
      const now = await make();
      if (callsOf(now) !== callsOf(before)) await this.#replace(key, { before, now }, once);
      return now.output;
    }
    try {
      const bought = once.one(key, kind, async () => ({ value: asJson(await make()) }), signal);
      const { value } = await (track?.(bought) ?? bought);
      this.#count(value, once);
      return value.output;
    } catch (error) {
      this.#count(error instanceof FailedBefore ? error.failure : (work?.calls() ?? {}), once);
      throw explain(error);
    }
  }

  /** Puts what a program did now in the place of what it did before. */
  async #replace(
    key: Key,
    { before, now }: { readonly before: ProgramAnswer; readonly now: ProgramAnswer },
    once: Once<AnswerBook>,
  ): Promise<void> {
    const times = (before.incidents?.[INGEST_DIFFERS] ?? 0) + 1;
    const value = { ...now, incidents: { ...now.incidents, [INGEST_DIFFERS]: times } };
    await once.book.end({ t: "answer", key, kind: "program", replaces: true, value: asJson(value) });
    this.#place.ledger.restart();
    this.#count(value, once);
  }

  #begin(answer: Answer): Work {
    const { open, repeat } = this.#place;
    const { kit, ledger, close } = open();
    let allCounted = false;
    const use = {
      repeat,
      allCounted() {
        allCounted = true;
      },
    };
    const calls = (): ProgramCalls => ({ ...ledger.calls(), ...(allCounted ? { allCounted } : {}) });
    const output = ledger.whole(answer(kit, use)).finally(() => {
      close();
      this.#place.ledger.hasBought ||= ledger.hasBought;
    });
    return { end: output.then((text) => ({ output: text, ...calls() })), calls };
  }

  #kind({ book }: Once<AnswerBook>, calls: () => ProgramCalls | undefined): Kind<ProgramAnswer> {
    const { stop } = this.#place;
    return {
      name: "program",
      model: this.#place.modelAt("answer"),
      read: ({ kind, value }) => {
        if (kind !== "program") return undefined;
        const known = value as unknown as ProgramAnswer; // as `#begin` has made it
        const isWhole = known.answered.every(([key, phase]) => book.find(key, this.#replies(phase)) !== undefined);
        return isWhole ? known : undefined; // without the reply to one of its calls it is bought again
      },
      failure(error) {
        const failure = stop?.aborted === true ? undefined : keptFailure(error);
        return failure && { ...failure, ...calls() };
      },
    };
  }

  #replies(phase: PhaseAt): Kind<ModelReply> {
    const { modelAt, signal } = this.#place;
    return replyKind(modelAt(phase), signal);
  }

  #count(calls: Partial<ProgramCalls>, { book }: Once<AnswerBook>): void {
    const { ledger } = this.#place;
    ledger.allCounted = calls.allCounted === true && ledger.allCounted !== false;
    for (const [key, phase] of calls.answered ?? []) {
      const reply = book.find(key, this.#replies(phase));
      if (reply === undefined) continue;
      const { inputChanged: _, ...plain } = reply;
      ledger.addReply(key, phase, { ...plain, usage: { ...plain.usage, estimated: false } }); // its incidents are below
    }
    for (const key of calls.unanswered ?? []) ledger.addRequest(key);
    for (const [name, times] of Object.entries(calls.incidents ?? {}))
      for (let time = 0; time < times; time++) ledger.count(name);
  }
}

/** An answer that is being made, and its calls so far. */
interface Work {
  readonly end: Promise<ProgramAnswer>;
  calls(): ProgramCalls;
}

const callsOf = ({ answered }: ProgramCalls): string => JSON.stringify(answered.map((call) => call.join(" ")).sort());

const asJson = (answer: ProgramAnswer): Json => answer as unknown as Json;
