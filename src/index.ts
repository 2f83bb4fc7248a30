/** lamp-eval as a library: what the commands do, as functions, and the types of things that can be added from outside. docs/EXTENDING.md. */

export { renderComparisons, type TitledComparison } from "./app/compare/compare.js";
export type { WrittenBaseline } from "./app/gate/baseline.js";
export { type GateResult, renderGate, renderGateMarkdown, renderJunit } from "./app/gate/gate.js";
export type { MergeResult } from "./app/merge/merge.js";
export type { MetricSummary, Report, ReportForm, Summary } from "./app/report/report.js";
export { metricOf, type SummaryChoice, summaryOf } from "./app/report/summary-of.js";
export { type Reproduced, renderReproducedAs } from "./app/reproduce/reproduce.js";
export type { EstimateLine, RunEstimate } from "./app/run/estimate/estimate.js";
export type { ArmProgress, Notice, RunEvent } from "./app/run/events.js";
export type { RunEnd, RunResult } from "./app/run/result.js";
export type { RunRequest } from "./app/run/settings.js";
export type { OfficialAnswers, Scored } from "./app/score.js";
export { type Check, renderChecks } from "./app/verify/verify.js";
export { type Additions, builtIn, type Catalogue, extended } from "./catalogue.js";
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
} from "./define.js";
export type { EmbedderProvider, EmbedderSettings } from "./embedders/provider.js";
export { BudgetError, ModelError, ScoreError, UsageError } from "./errors.js";
export {
  type BaselineRequest,
  type CompareRequest,
  compare,
  estimateRun,
  type GateRequest,
  gate,
  type MergeRequest,
  merge,
  type OwnIo,
  type ReportRequest,
  type ReproduceRequest,
  report,
  reproduce,
  run,
  type ScoreRequest,
  type StoredRun,
  score,
  type VerifyRequest,
  verify,
  writeBaseline,
} from "./library.js";
export type { Counted } from "./options.js";
export type { Registry } from "./registry.js";
/** What the functions and the things of a plug-in speak of; no others. */
export type {
  Answerer,
  AskRequest,
  AssembleSettings,
  BatchState,
  BatchWire,
  CallPlan,
  CallRange,
  Capabilities,
  Cell,
  Chosen,
  Clock,
  Embedder,
  EndpointFacts,
  Event,
  Example,
  Figure,
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
  ModelEndpoint,
  ModelReply,
  ModelRequest,
  ModelRole,
  Note,
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
  Retriever,
  RetrieverDocument,
  RetrieverKit,
  Row,
  Search,
  Selecting,
  Selection,
  SelectionAsk,
  Selector,
  SelectorUse,
  ServerFacts,
  SharedCodec,
  SharedContent,
  Spend,
  StopReason,
  SummaryWording,
  SweepKind,
  Task,
  TaskBrief,
  Tokenizer,
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
  WaveFacts,
} from "./types.js";
