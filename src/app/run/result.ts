import type { Summary } from "../../results/summary.js";
import type { Catalogue } from "../../run/catalogue.js";
import type { Manifest } from "../../run/manifest.js";
import type { Row } from "../../types/index.js";
import type { Notice } from "./events.js";

/**
 * How a run ended. `done`: every question has its row; `failures`: so it is, but a larger share failed than is allowed;
 * `stale`: a replay asked for what its recording lacks. The others ended early and can be resumed: `interrupted` from outside,
 * `cap` by a limit of calls or dollars, `refused` by the provider (a
 * key, money, a model's name, every request), `waiting` with `detach`: everything that can be sent is out in batches, which the same
 * request collects.
 */
export type RunEnd = "done" | "failures" | "stale" | "interrupted" | "cap" | "refused" | "waiting";

export interface RunResult {
  readonly ended: RunEnd;
  /** The run folder, absolute. */
  readonly folder: string;
  /** What its names stand for, own things and plug-ins included: hand it to whatever reads the run. */
  readonly catalogue: Catalogue;
  readonly manifest: Manifest;
  /** One an arm. */
  readonly summaries: readonly Summary[];
  /** The last row of every question, read from the folder each time: keep it where it is needed twice. */
  readonly rows: readonly Row[];
  /** The tables; `text` is empty where the run ended before its first answer. */
  readonly tables: { readonly text: string; readonly json: string };
  /** Calls of this process, and the US dollars that its replies were billed at (absent: no price is known). */
  readonly calls: { readonly sent: number; readonly fromStore: number; readonly paidUsd?: number };
  /** All that was told, and at the end what a person should read below the tables: failures, where everything is, what to do next. */
  readonly notices: readonly Notice[];
}
