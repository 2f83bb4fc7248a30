import { isFromStore } from "../../../models/wrap/cached.js";
import type { RunFolder, RunRecords } from "../../../run/folder.js";
import type { ModelReply } from "../../../types/index.js";
import { answeringFacts, type CallTally } from "../call-tally.js";
import type { Prepared } from "../prepare.js";
import { type Batching, openBatching, stillOut } from "./batching.js";
import { isCut, triesWithoutReply } from "./call-notices.js";
import { openRunModels, type RunModels } from "./models.js";

/** What the calls of a run go through: its batches and its models. Work that ends while they are opened is summed up, too. */
export class RunCalls {
  readonly #run: Prepared;
  #batching: Batching | undefined;
  #models: RunModels | undefined;

  constructor(run: Prepared) {
    this.#run = run;
  }

  /** Opens both. What comes of each call is added to the tally. Throws UsageError where requests are out in batches that would be bought twice. */
  open({ store, attempts, batches: log }: RunRecords, home: RunFolder, tally: CallTally): OpenCalls {
    const { models: providers, settings, folder, stops, emit, io } = this.#run;
    const { tell } = io;
    const batching =
      log === undefined
        ? undefined
        : openBatching(settings, { folder, log, idle: home.idle, clock: io.clock, stops, tell });
    this.#batching = batching;
    const note = (reply: ModelReply): void => this.#note(reply, home, tally);
    const models = openRunModels(providers, settings, store, {
      clock: io.clock,
      env: io.env,
      attempts,
      stop: stops.stop,
      batching,
      onCall(cached) {
        if (cached) tally.fromStore += 1;
      },
      onReply(reply) {
        note(reply);
        tally.replies += 1;
        if (isCut(reply)) tally.cut += 1;
        emit({ kind: "call", usage: reply.usage, fromStore: isFromStore(reply) });
      },
      onRetry: (error) => emit({ kind: "retry", error: error.message }),
      tell,
    });
    this.#models = models;
    return { models, batching };
  }

  /** Writes down a model's name at its first reply, and the first reply by a batch. */
  #note({ model, usage }: ModelReply, home: RunFolder, tally: CallTally): void {
    const isNews = (model !== "" && !tally.answeredBy.has(model)) || (usage.batch === true && !tally.batch);
    if (!isNews) return;
    if (model !== "") tally.answeredBy.add(model);
    if (usage.batch === true) tally.batch = true;
    home.write(answeringFacts(this.#run, tally, home.manifest), { onceBegun: true });
  }

  /** The models; undefined until they are open. */
  get models(): RunModels | undefined {
    return this.#models;
  }

  close(tally: CallTally): void {
    const { replay } = this.#run;
    const models = this.#models;
    tally.sent = models?.sent() ?? 0;
    tally.paid = replay === undefined ? models?.spent() : undefined;
    tally.seen = models?.seen() ?? [];
    tally.withoutReply = [
      ...(models === undefined || replay !== undefined ? [] : triesWithoutReply(models.ends, tally.paid?.uncertainUsd)),
      ...stillOut(this.#batching?.batches.linesOut ?? 0),
    ];
  }
}

/** What answers; `batching` is undefined where calls go out one by one. */
export interface OpenCalls {
  readonly models: RunModels;
  readonly batching: Batching | undefined;
}
