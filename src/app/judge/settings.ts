import type { OptionValue } from "../../types.js";

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
