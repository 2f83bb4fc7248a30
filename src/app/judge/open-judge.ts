import { join } from "node:path";
import { pricesAt } from "../../models/prices.js";
import type { ResponseStore as Replies } from "../../models/wrap/cached.js";
import type { JudgeSpend } from "../../report/judgements/text.js";
import { Attempts } from "../../run/attempts.js";
import { closeAll, type SetAside } from "../../run/journal.js";
import { ResponseStore } from "../../run/replies.js";
import { runFiles } from "../../run/run-files.js";
import type { Model, OptionValue } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import type { Io } from "../io.js";
import type { RunSettings } from "../run/config/resolve-settings.js";
import { unknownAnswers } from "../run/models/call-notices.js";
import { openRunModels, type RunModels } from "../run/models/models.js";
import { type NamedModels, openModels } from "../run/models/open-models.js";
import type { ModelSettings, Watch } from "../run/models/watched.js";
import { demoModel, settled } from "../run/settings.js";
import { spendOf } from "./ask.js";

export interface JudgeSettings {
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
  readonly baseUrl?: string | undefined;
  /** Workers make the calls: the address of their database; true: by LAMP_EVAL_WORKERS. */
  readonly workers?: string | true | undefined;
}

/** What of a judge's settings its calls depend on. */
export type CallSettings = Pick<JudgeSettings, "model" | "concurrency" | "maxCalls" | "maxUsd" | "baseUrl" | "workers">;

type SettingsOfCalls = ModelSettings &
  NamedModels &
  Pick<RunSettings, "drainSeconds"> & { readonly concurrency: number };

/** What a run with these settings would have: a judge's calls go through what a run's go through. */
export function asOfRun(settings: CallSettings, io: Io): SettingsOfCalls {
  const { model = demoModel, concurrency = DEFAULT_CONCURRENCY, maxCalls, maxUsd, baseUrl } = settings;
  return {
    ...settled({ maxCalls, maxUsd, baseUrl }),
    ...{ models: [model], catalogue: catalogueOf(io), set: {}, prices: [], endpoints: {}, limits: {} },
    ...{ concurrency, giveUpAfterMs: undefined, deadlineSeconds: undefined, drainSeconds: 30, cache: "auto" as const },
  };
}

/** Who judges, before anything is opened; with `workers` it is not asked from here. Throws UsageError as a run does, also where `--max-usd` caps a model without a known price. */
export async function judgingModel(settings: CallSettings, io: Io): Promise<Model> {
  const [provider] = await openModels(asOfRun(settings, io), [], io, { dryRun: settings.workers !== undefined });
  return provider!; // one is named
}

export function judgingModels(
  provider: Model,
  settings: CallSettings,
  store: Replies & Partial<Pick<ResponseStore, "records">>,
  watch: Pick<Watch, "attempts" | "sharedPurse" | "pace" | "stop">,
  io: Io,
): RunModels {
  const { clock, env, tell } = io;
  const ignore = (): void => undefined;
  const heard = { onCall: ignore, onReply: ignore, onRetry: ignore };
  return openRunModels([provider], asOfRun(settings, io), store, { ...watch, ...heard, clock, env, tell });
}

/** A judge's model in all its wrappers, over the replies that its folder holds. */
export interface OpenedJudge {
  readonly model: Model;
  readonly store: ResponseStore;
  readonly attempts: Attempts;
  /** Tries of this process. */
  spent(): number;
  /** What all replies of the folder took, at list prices. */
  total(): JudgeSpend;
  readonly damage: readonly SetAside[];
  close(): void;
}

/** Opens replies and tries of a judge's folder; caps hold for all processes that judged in it. Call `close`, whatever happens. */
export function openJudge(
  home: string,
  settings: JudgeSettings,
  { provider, stop }: { readonly provider: Model; readonly stop: AbortController },
  io: Io,
): OpenedJudge {
  const opened: { close(): void }[] = [];
  try {
    const store = new ResponseStore(join(home, runFiles.responses));
    opened.unshift(store);
    const attempts = new Attempts(join(home, runFiles.attempts), (key) => store.has(key));
    opened.unshift(attempts);
    for (const line of unknownAnswers(attempts.before)) io.tell(line);
    const models = judgingModels(provider, settings, store, { attempts, stop }, io);
    return {
      model: models.byId.get(provider.id)!, // opened above
      ...{ store, attempts },
      total: () => spendOf(store.records(), provider.id, pricesAt(io.clock.now(), [])),
      spent: () => models.sent(),
      damage: [...store.damage, ...attempts.damage],
      close: () => closeAll(opened),
    };
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

const DEFAULT_CONCURRENCY = 8;
