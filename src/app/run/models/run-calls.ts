import { isFromStore } from "../../../models/wrap/cached.js";
import type { RunFolder } from "../../../run/folder.js";
import type { Answers } from "../../../run/outside/answers.js";
import { wavesIn } from "../../../run/outside/tries.js";
import type { ModelReply } from "../../../types/index.js";
import { answeringFacts, type CallTally } from "../call-tally.js";
import type { Prepared } from "../prepare.js";
import { type Batching, openBatching, stillOut } from "./batching.js";
import { isCut, triesWithoutReply } from "./call-notices.js";
import { openRunModels, type RunModels } from "./models.js";

/** What the calls of a run go through. */
export interface OpenCalls {
  readonly models: RunModels;
  /** Undefined where calls go out one by one. */
  readonly batching: Batching | undefined;
  /** Sums up what the calls came to. */
  close(): void;
}

/** Opens them; what comes of each call is added to the tally. Throws UsageError where requests are out in batches that would be bought twice. */
export function openCalls(run: Prepared, home: RunFolder, answers: Answers, tally: CallTally): OpenCalls {
  const { models: providers, settings, folder, replay, stops, emit, io } = run;
  const { tell } = io;
  const batching =
    replay === undefined
      ? openBatching(settings, { folder, log: wavesIn(home.log), clock: io.clock, stops, tell })
      : undefined; // the log answers, however it was asked
  const models = openRunModels(providers, settings, answers, {
    clock: io.clock,
    env: io.env,
    stop: stops.stop,
    batching,
    onCall(cached) {
      if (cached) tally.fromStore += 1;
    },
    onReply(reply) {
      if (isNews(reply, tally) && replay === undefined) home.note(answeringFacts(tally)); // it has begun
      tally.replies += 1;
      if (isCut(reply)) tally.cut += 1;
      emit({ kind: "call", usage: reply.usage, fromStore: isFromStore(reply) });
    },
    onRetry: (error) => emit({ kind: "retry", error: error.message }),
    tell,
  });
  return {
    models,
    batching,
    close() {
      tally.sent = replay === undefined ? models.sent() : 0;
      tally.paid = replay === undefined ? models.spent() : undefined;
      tally.seen = models.seen();
      tally.withoutReply = [
        ...(replay === undefined ? triesWithoutReply(models.ends, tally.paid?.uncertainUsd) : []),
        ...stillOut(batching?.batches.linesOut ?? 0),
      ];
    },
  };
}

/** A model's name at its first reply, and the first reply by a batch. */
function isNews({ model, usage }: ModelReply, tally: CallTally): boolean {
  const isNew = (model !== "" && !tally.answeredBy.has(model)) || (usage.batch === true && !tally.batch);
  if (model !== "") tally.answeredBy.add(model);
  if (usage.batch === true) tally.batch = true;
  return isNew;
}
