import { join } from "node:path";
import { catalogueOf } from "../../catalogue.js";
import { openModel } from "../../models/index.js";
import { type Prices, pricesAt } from "../../models/prices.js";
import { Limiters } from "../../models/rate/limiters.js";
import { openPurse, unpriced } from "../../models/wrap/budgeted.js";
import { layered } from "../../models/wrap/layered.js";
import { seeded } from "../../random/seeded.js";
import type { JudgeSpend } from "../../report/judgements/text.js";
import { Attempts } from "../../run/attempts.js";
import type { SetAside } from "../../run/journal/journal.js";
import { runFiles } from "../../run/run-files.js";
import { ResponseStore } from "../../run/stores/response-store.js";
import type { Judge, Model, OptionValue } from "../../types.js";
import type { Io } from "../io.js";
import { openSharedPurse, sharedCaps } from "../run/models/open-purse.js";
import { unknownAnswers } from "../run/models/tries.js";
import { closing } from "../run/models/watched.js";
import { closeAll } from "../run/records/open-records.js";
import { demoModel } from "../run/settings.js";
import { type Kept, spendOf } from "./ask.js";

export interface JudgeSettings {
  /** Run folder. */
  readonly run: string;
  /** Name of the way of judging. Default: `dialogue-score`, with `against` `better-reply`. */
  readonly judge?: string | undefined;
  /** `provider/model`. Default: the embedded one, SIMULATED. */
  readonly model?: string | undefined;
  /** Method, or `select=NAME`, whose replies all others are compared with, in both orders. */
  readonly against?: string | undefined;
  /** The data of the run, where they are not the built-in ones. */
  readonly data?: string | undefined;
  /** `judge.*` options; over those of the run. */
  readonly set?: Readonly<Record<string, OptionValue>> | undefined;
  readonly concurrency?: number | undefined;
  readonly maxCalls?: number | undefined;
  readonly maxUsd?: number | undefined;
  /** A file that runs, sweeps and judges share their caps by. */
  readonly purse?: string | undefined;
  readonly baseUrl?: string | undefined;
}

/** Who judges, before anything is opened. */
interface JudgingModel {
  readonly provider: Model;
  readonly prices: Prices;
}

/** Throws UsageError where `--max-usd` caps a model without a known price. */
export async function judgingModel(settings: JudgeSettings, io: Io): Promise<JudgingModel> {
  const { model = demoModel, concurrency = DEFAULT_CONCURRENCY, baseUrl } = settings;
  const cap = settings.maxUsd ?? sharedCaps(settings, io)?.maxUsd;
  const provider = await openModel(
    model,
    { env: io.env, concurrency, ...(baseUrl === undefined ? {} : { baseUrl }) },
    catalogueOf(io).providers,
  );
  const prices = pricesAt(io.clock.now(), []);
  if (cap !== undefined && prices.ofCall(provider.id, { in: 1, out: 1 }) === undefined)
    throw unpriced(provider.id, cap);
  return { provider, prices };
}

/** A judge's model in all its wrappers, over the replies that its folder holds. */
export interface OpenedJudge {
  readonly model: Model;
  /** Tries of this process. */
  spent(): number;
  /** What all replies of the folder took, at list prices, and what these judgements took whose replies are gone. */
  total(kept: readonly Kept[], judge: Judge): JudgeSpend;
  /** What was damaged and is set aside. */
  readonly damage: readonly SetAside[];
  close(): void;
}

/** Opens replies and tries of a judge's folder; caps hold for all processes that judged in it. Call `close`, whatever happens. */
export function openJudge(
  home: string,
  settings: JudgeSettings,
  { provider, prices, stop }: JudgingModel & { readonly stop: AbortController },
  io: Io,
): OpenedJudge {
  const { concurrency = DEFAULT_CONCURRENCY, purse: named, baseUrl } = settings;
  const { maxCalls, maxUsd } = named === undefined ? settings : {};
  const sharedPurse = openSharedPurse(settings, { io, tell: io.tell });
  const opened: { close(): void }[] = sharedPurse === undefined ? [] : [sharedPurse];
  try {
    const store = new ResponseStore(join(home, runFiles.responses));
    opened.unshift(store);
    const attempts = new Attempts(join(home, runFiles.attempts), (key) => store.has(key));
    opened.unshift(attempts);
    for (const line of unknownAnswers(attempts.before)) io.tell(line);
    const { billable, unansweredUsd } = attempts.before;
    let [calls, usd] = [0, 0];
    for (const { reply } of store.records()) {
      calls += 1;
      usd += prices.ofCall(provider.id, reply.usage) ?? 0;
    }
    const before = { calls: Math.max(billable, calls), usd, uncertainUsd: unansweredUsd };
    let sent = 0;
    const random = seeded("judge/jitter");
    const paced = { concurrency, clock: io.clock, random, stop: stop.signal };
    const model = layered(provider, {
      unsupported: "drop",
      limiters: new Limiters({ endpoints: {}, env: io.env, baseUrl, ...paced }),
      store: closing(attempts, store),
      clock: io.clock,
      random,
      budget: {
        ...(maxCalls === undefined ? {} : { maxCalls }),
        ...(maxUsd === undefined ? {} : { maxUsd }),
        ...(sharedPurse === undefined ? {} : { sharedPurse }),
        purse: openPurse(before),
        stop: stop.signal,
        price: (usage) => prices.ofCall(provider.id, usage),
        ...(provider.simulated ? {} : { log: attempts }),
      },
      observe: ({ attempts: tries }) => {
        sent += tries;
      },
    });
    return {
      model,
      total: (kept, judge) => spendOf(() => store.records(), kept, judge, model, prices),
      spent: () => sent,
      damage: [...store.damage, ...attempts.damage],
      close: () => closeAll(opened),
    };
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

const DEFAULT_CONCURRENCY = 8;
