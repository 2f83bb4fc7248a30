import type { Additions } from "../../catalogue.js";
import type { Endpoints } from "../../models/endpoints.js";
import type { PriceRow } from "../../models/price-row.js";
import type { Method, Metric, OptionValue, SweepKind, Task } from "../../types.js";
import type { RunEvent } from "./events.js";
import type { StopSignals } from "./stops.js";

/** A thing, or several. */
export type OneOrMore<T> = T | readonly T[];

/**
 * What a run is asked to do: the keys of a config file, where own things may stand in place of names, and who is told.
 * Settings here win over those of `config`, these over those of `preset`.
 */
export interface RunRequest extends Additions, StopSignals {
  /** What the experiment is called: one line, the title of its page. No result depends on it; a resumed run keeps its own. */
  readonly name?: string | undefined;
  /** Names (`lamp2m`, `LaMP_2`), or own tasks. */
  readonly task?: OneOrMore<string | Task> | undefined;
  /** Names (`rag`, `exec:./mine.py`), or own methods. */
  readonly method?: OneOrMore<string | Method> | undefined;
  /** `provider/model`; several make the run a comparison of backbones. Default: `offline/lexical`, the embedded one, SIMULATED. */
  readonly model?: OneOrMore<string> | undefined;
  /** Metrics besides those of the tasks: names, or own metrics. */
  readonly metric?: OneOrMore<string | Metric> | undefined;
  /** Files or packages with methods, tasks, metrics and so on; paths start from `cwd`. */
  readonly plugins?: OneOrMore<string> | undefined;
  /** A data folder, or `task=folder,task=folder`. Default: the built-in demo data, which are synthetic. */
  readonly data?: string | undefined;
  /** Demo data, embedded model, embedded encoder and recorded Wikipedia pages, whatever a config names. */
  readonly demo?: boolean | undefined;
  /** Only the first so many users. */
  readonly users?: number | undefined;
  /** At most so many questions of a user, drawn by `data.querySeed`. */
  readonly queriesPerUser?: number | undefined;
  /** At most so many questions in all. */
  readonly limit?: number | undefined;
  /** Cuts each history: `latest:20`. Default: `all`. */
  readonly historyLimit?: string | undefined;
  /** Options by dotted name: `{ "rag.k": 2 }`. `lamp-eval list options` prints all, with their defaults. */
  readonly options?: Readonly<Record<string, OptionValue>> | undefined;
  /** Options for one task only: `{ lamp2m: { "data.maxQueriesPerUser": 3 } }`. */
  readonly perTask?: Record<string, Record<string, OptionValue>> | undefined;
  /** How a sweep is walked and shown. Default: `grid` where anything varies. */
  readonly kind?: SweepKind | undefined;
  /** Axes of a sweep: `{ "rag.k": [1, 2, 4] }`. */
  readonly sweep?: Record<string, OptionValue[]> | undefined;
  /** Arms besides those of the axes: `[{ "memory.k": 2, "align.iterations": 3 }]`. */
  readonly points?: Record<string, OptionValue>[] | undefined;
  /** Independent repeats of every question. Default: 1. */
  readonly repeats?: number | undefined;
  /** Stops, resumably, before call n+1. Default: no cap. */
  readonly maxCalls?: number | undefined;
  /** Stops, resumably, before so many US dollars at list prices are spent. Default: no cap. */
  readonly maxUsd?: number | undefined;
  /** A file that runs, sweeps and judges share one cap by; the caps above are then those of all who name it. */
  readonly purse?: string | undefined;
  /** Prices of one's own, which come before the list: a YAML file, or its rows (docs/PROVIDERS.md). */
  readonly prices?: string | PriceRow[] | undefined;
  /** Share of failed questions, 0..1, above which the run ends as `failures`. Default: 0. */
  readonly maxFailed?: number | undefined;
  /** Share of unparsed replies, 0..1, above which the run ends as `failures`. Default: 0.5. */
  readonly maxUnparsed?: number | undefined;
  /** Most model calls in flight at a server; no result depends on it. Default: 64, at servers of this machine 8. */
  readonly concurrency?: number | undefined;
  /**
   * Calls go out in batches, at half the price and within a day (Anthropic, OpenAI); `agents`: also those of methods that ask
   * turn after turn, a batch a turn. Default: false.
   */
  readonly batch?: boolean | "agents" | undefined;
  /** Ends as `waiting` once everything that can be sent is out in batches; the same request collects them later. */
  readonly detach?: boolean | undefined;
  /** Sends requests again of which it cannot be told whether a batch has taken them: they may then be billed twice. */
  readonly batchAgain?: boolean | undefined;
  /** Requests a minute that the account allows. Default: as the server's headers say. */
  readonly rpm?: number | undefined;
  /** The same of input tokens. */
  readonly itpm?: number | undefined;
  /** The same of output tokens. */
  readonly otpm?: number | undefined;
  /** How long a server may refuse every call before the run stops: `90s`, `15m`, `1h`. Default: `15m`. */
  readonly giveUpAfter?: string | undefined;
  /** Seconds that one try of a call may take. Default: 120, and 600 where the model thinks. */
  readonly deadlineSeconds?: number | undefined;
  /** Seconds that calls in flight get after `signal`; those still open are then dropped. Default: 30. */
  readonly drainSeconds?: number | undefined;
  /** Seed of everything random. Default: 0. */
  readonly seed?: number | undefined;
  /** Where a model refuses a parameter: an error (default), or sent without it and said in the table. */
  readonly unsupported?: "error" | "drop" | undefined;
  /** Whether prompts are marked for the provider's cache where that saves money. No result depends on it. Default: `auto`. */
  readonly cache?: "auto" | "off" | undefined;
  /** Server of the provider: `http://localhost:8000/v1`. */
  readonly baseUrl?: string | undefined;
  /** Servers by names of one's own, `{ lab: { provider: "openai", baseUrl: "http://lab:8000/v1" } }`: then `lab/MODEL` is a model. */
  readonly endpoints?: Endpoints | undefined;
  /** Names of variables that programs of `exec:` get besides the usual ones. Default: none. */
  readonly execEnv?: string[] | undefined;
  /** Questions in order of time, each gold learned after its answer is scored. Default: false. */
  readonly online?: boolean | undefined;
  /** Of an estimate: asks the models' endpoints for the tokens of some prompts, where they count for free. Default: false. */
  readonly count?: boolean | undefined;
  /** Begins with so many users of each task, to find out what the whole run costs, and ends as `pilot` unless it may go on. */
  readonly pilot?: number | undefined;
  /** Goes on after a pilot whatever it finds. Absent: where the dearest it foretells is below `maxUsd`. */
  readonly yes?: boolean | undefined;
  /** The run folder. The same request on it resumes. Default: `results/<tasks>-<methods>-<plan>`. */
  readonly out?: string | undefined;
  /** A config file. */
  readonly config?: string | undefined;
  /** The knobs of a published table: `paper-000`. */
  readonly preset?: string | undefined;
  /** The folder or file of a recording, from which alone all is answered. */
  readonly replay?: string | undefined;
  /** `3/8`: only the users of this shard, by the hash of their ids; `merge` joins the shards to the whole run. Caps hold for each shard. */
  readonly shard?: string | undefined;
  /** What the person typed, kept in the manifest. */
  readonly argv?: readonly string[] | undefined;
  /** Is told all that happens. Absent: remarks go to `io.tell`, everything else to nobody. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}
