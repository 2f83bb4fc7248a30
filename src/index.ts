/** lamp-eval as a library: what the commands do, as functions, and the types of things that can be added from outside. docs/EXTENDING.md. */

import { type OwnIo, run as runHere } from "./commands/library.js";
import type { RunResult } from "./commands/run-request.js";
import type { RunRequest } from "./plan/settings.js";

export type { CompareSettings } from "./commands/compare.js";
export type { EstimateLine, RunEstimate } from "./commands/estimate.js";
export type { BaselineSettings, GateSettings, WrittenBaseline } from "./commands/gate.js";
export {
  compare,
  estimateRun,
  gate,
  type OwnIo,
  report,
  reproduce,
  score,
  verify,
  writeBaseline,
} from "./commands/library.js";
export type { Report, ReportForm, ReportSettings } from "./commands/report.js";
export { type ReproduceSettings, renderReproducedAs } from "./commands/reproduce.js";
export type { RunResult } from "./commands/run-request.js";
export type { OfficialAnswers, Scored, ScoreSettings } from "./commands/score.js";
export type { Verified, VerifySettings } from "./commands/verify.js";
export { renderVerified } from "./commands/verify.js";
export type { EmbedderProvider, EmbedderSettings } from "./embedders/provider.js";
export { BudgetError, ModelError, ScoreError, UsageError } from "./errors.js";
export {
  defineEmbedder,
  defineJudge,
  defineMethod,
  defineMetric,
  defineProvider,
  defineRetriever,
  defineSelector,
  defineTask,
  option,
} from "./extend/define.js";
export { type Additions, builtIn, type Catalogue, extended } from "./plan/catalogue.js";
export type { Notice, RunEvent } from "./plan/io.js";
export type { RunRequest } from "./plan/settings.js";
export type { Counted } from "./registry/options.js";
export { renderComparisons, type TitledComparison } from "./report/compare.js";
export { type GateResult, renderGate, renderGateMarkdown, renderJunit } from "./report/gate.js";
export type { Reproduced } from "./report/papers/beside.js";
export type { MetricSummary, Summary } from "./results/summary.js";
export { metricOf, type SummaryChoice, summaryOf } from "./results/summary.js";
export type { RunEnd } from "./run/ending.js";
/**
 * Runs methods on tasks, or resumes, and writes the tables, as `lamp-eval run`. Prints nothing: all that happens is an event.
 * Throws UsageError before the first call where something is wrong with the request; a run that begins ends as `ended` says.
 */
export const run = (request: RunRequest, io?: OwnIo): Promise<RunResult> =>
  runHere(request, io, async (...given) => (await import("./workers/delegate.js")).delegateToWorkers(...given));
/** What the functions and the things of a plug-in speak of; no others. */
export type {
  Answerer,
  ArmSpec,
  AskRequest,
  AssembleSettings,
  BatchFacts,
  BatchState,
  BatchWire,
  CallPlan,
  CallRange,
  Capabilities,
  Clock,
  Embedder,
  EndpointFacts,
  Event,
  Example,
  Hit,
  Json,
  Judge,
  JudgeCase,
  Kit,
  KnownModel,
  LineReader,
  Message,
  Method,
  Metric,
  Model,
  ModelReply,
  ModelRequest,
  ModelRole,
  Note,
  OpenSelector,
  Option,
  Options,
  OptionTable,
  OptionValue,
  OthersPool,
  Outcome,
  Pair,
  Phase,
  PhaseAt,
  PhaseTotals,
  PoolEvent,
  PromptStyle,
  Provider,
  ProviderSettings,
  Question,
  Random,
  RawItem,
  RawQuery,
  Reading,
  Registry,
  Retriever,
  RetrieverDocument,
  RetrieverKit,
  Row,
  Search,
  SelectedItem,
  SelectionRequest,
  SelectionResult,
  Selector,
  SelectorContext,
  SharedContent,
  Spend,
  StopReason,
  SummaryWording,
  SweepKind,
  Task,
  TaskBrief,
  TokenLogprob,
  Tool,
  ToolCall,
  ToolResult,
  ToolSpec,
  ToolUse,
  Turn,
  Unit,
  Usage,
  User,
  Verdict,
} from "./types/index.js";
