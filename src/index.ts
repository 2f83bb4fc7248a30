/** lamp-eval as a library: what the commands do, as functions, and the types of things that can be added from outside. */

export { type CompareSettings, renderComparisons } from "./app/compare/compare.js";
export type { BaselineSettings, WrittenBaseline } from "./app/gate/baseline.js";
export { type GateResult, type GateSettings, renderGate, renderGateMarkdown, renderJunit } from "./app/gate/gate.js";
export type { Report, ReportForm, ReportSettings } from "./app/report/report.js";
export { type Reproduced, type ReproduceSettings, renderReproducedAs } from "./app/reproduce/reproduce.js";
export type { EstimateLine, RunEstimate } from "./app/run/estimate.js";
export type { ArmProgress, RunEvent } from "./app/run/events.js";
export type { RunEnd, RunResult } from "./app/run/result.js";
export type { RunRequest } from "./app/run/run.js";
export type { Scored, ScoreSettings } from "./app/score.js";
export { type Check, renderChecks, type VerifySettings } from "./app/verify/verify.js";
export { type Additions, builtIn, type Catalogue, extended } from "./catalogue.js";
export {
  defineEmbedder,
  defineMethod,
  defineMetric,
  defineProvider,
  defineRetriever,
  defineTask,
} from "./define.js";
export type { EmbedderProvider, EmbedderSettings } from "./embedders/provider.js";
export { BudgetError, ModelError, ScoreError, UsageError } from "./errors.js";
export {
  compare,
  estimateRun,
  gate,
  type OwnIo,
  report,
  reproduce,
  run,
  score,
  verify,
  writeBaseline,
} from "./library.js";
export * as option from "./options.js";
export type { Registry } from "./registry.js";
export type * from "./types.js";
