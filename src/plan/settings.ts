import * as z from "zod";
import { endpointsSchema } from "../models/endpoints.js";
import { priceRowsSchema } from "../models/prices.js";
import type { Method, Metric, OptionValue, SweepKind, Task } from "../types/index.js";
import type { Additions } from "./catalogue.js";
import type { RunEvent } from "./io.js";
import { MOST_REPEATS } from "./types.js";

/** Used when no --model is given, whatever keys the environment holds. */
export const demoModel = "offline/lexical";

/** How a sweep is walked and shown. */
const sweepKinds = ["ablation", "scaling", "backbones", "grid", "controls"] as const satisfies readonly SweepKind[];

export type OneOrMore<T> = T | readonly T[];

/** A setting of a run. Its key is the name in a config file and in a request; its flag is the kebab-case form. */
export interface Setting {
  readonly type: z.ZodType;
  /** Heading of its flag in the help. */
  readonly group: string;
  /** One sentence for `--help`, the JSON Schema of configs and readers of this file. */
  readonly help: string;
  /** As the help shows it. Absent: no flag. */
  readonly flag?: string;
  /** Holds where neither a flag nor a file says otherwise. */
  readonly default?: number | string | boolean;
}

/** Adds the heading of the help to settings. */
const grouped = <const T extends Readonly<Record<string, Omit<Setting, "group">>>>(
  group: string,
  settings: T,
): { readonly [K in keyof T]: T[K] & Pick<Setting, "group"> } =>
  Object.fromEntries(Object.entries(settings).map(([key, setting]) => [key, { ...setting, group }])) as never;

const optionValue = z.union([z.string(), z.number(), z.boolean()]);
const optionMap = z.record(z.string(), optionValue);
const names = z.union([z.string(), z.array(z.string())]);
const count = z.int().positive();

/** The settings of a config file. */
export const configSettings = {
  ...grouped("What is run:", {
    task: { flag: "-t, --task <names>", type: names, help: "tasks, comma separated (lamp-eval list tasks)" },
    method: {
      flag: "-m, --method <names>",
      type: names,
      help: "methods, comma separated (lamp-eval list methods), or exec:COMMAND (docs/EXTENDING.md)",
    },
    model: {
      flag: "--model <provider/id>",
      type: names,
      help: `model, or several, comma separated (default: ${demoModel}, the embedded one)`,
    },
    metric: {
      flag: "--metric <names>",
      type: names,
      help: "metrics besides those of the tasks, comma separated: rmse, rouge-2, ...",
    },
    plugins: {
      type: names,
      help: "files or packages with your own methods, tasks, metrics, ...; paths start from the file that names them (docs/EXTENDING.md)",
    },
    repeats: {
      flag: "--repeats <n>",
      type: count.max(MOST_REPEATS),
      default: 1,
      help: "independent repeats of every question",
    },
    seed: { flag: "--seed <n>", type: z.int().nonnegative(), default: 0, help: "seed of everything random" },
    online: {
      flag: "--online",
      type: z.boolean(),
      default: false,
      help: "prequential: ask in order of time; each gold answer enters memory after its question is scored",
    },
  }),
  ...grouped("Data:", {
    data: {
      flag: "--data <dir>",
      type: z.string(),
      help: "data folder, or task=dir,task=dir (default: the built-in demo data)",
    },
    demo: {
      flag: "--demo",
      type: z.boolean(),
      help: "demo data, embedded model and encoder, recorded Wikipedia: run any config without network or key",
    },
    users: {
      flag: "--users <n>",
      type: count,
      help: "the first n users; --set data.users=drawn: users drawn by --seed",
    },
    queriesPerUser: {
      flag: "--queries-per-user <n>",
      type: count,
      help: "at most n questions a user, drawn at random, the same in any run",
    },
    limit: { flag: "--limit <n>", type: count, help: "at most n questions in all, taken from all users in turn" },
  }),
  ...grouped("Options and files:", {
    extends: { type: z.string(), help: "a preset to start from" },
    set: {
      flag: "--set <name=value>",
      type: optionMap,
      help: "set an option by its dotted name; repeatable (lamp-eval list options)",
    },
    perTask: {
      type: z.record(z.string(), optionMap),
      help: "options of one task, by task name: { lamp2m: { data.maxQueriesPerUser: 3 } }",
    },
    kind: { type: z.enum(sweepKinds), help: "how a sweep is walked and shown (default: grid where anything varies)" },
    sweep: {
      type: z.record(z.string(), z.array(optionValue).min(1)),
      help: "axes: the values that an option takes, { memory.k: [1, 2, 4] }",
    },
    points: {
      type: z.array(optionMap),
      help: "arms besides those of the axes: [{ memory.k: 2, align.iterations: 3 }]",
    },
  }),
  ...grouped("Servers and pace:", {
    concurrency: {
      flag: "--concurrency <n>",
      type: count.max(10_000),
      help: "most calls in flight at a server (default: 64; 8 on this machine; fewer where it refuses)",
    },
    giveUpAfter: {
      flag: "--give-up-after <time>",
      type: z.string().regex(/^\d+(\.\d+)?[smh]$/, "expected a time like 90s, 15m or 1h"),
      help: "stop when a server has sent no reply for this long, e.g. 90s, 1h; the same command resumes (default: 15m; 3 tries where it never accepts a connection)",
    },
    baseUrl: {
      flag: "--base-url <url>",
      type: z.url(),
      help: "server of the provider, e.g. http://localhost:8000/v1",
    },
    endpoints: {
      type: endpointsSchema,
      help: "servers by your own names, { lab: { provider: openai, baseUrl: http://lab:8000/v1 } }: then lab/MODEL is a model",
    },
  }),
  ...grouped("Batches:", {
    batch: {
      flag: "--batch [values]",
      type: z.union([
        z.boolean(),
        z
          .string()
          .regex(/^(agents|detach|resend)(,(agents|detach|resend))*$/, "expected a list of agents, detach and resend"),
      ]),
      help: "send calls as provider batches: half the price, replies within a day. A list of values: agents: also methods of several turns; detach: exit once all is sent, the same command collects; resend: send again what the provider may already have",
    },
  }),
  ...grouped("Cost and limits:", {
    maxCalls: {
      flag: "--max-calls <n>",
      type: z.int().nonnegative(),
      help: "stop after n calls, retries included; a higher cap resumes; each shard has its own",
    },
    maxUsd: {
      flag: "--max-usd <x>",
      type: z.number().nonnegative(),
      help: "stop before spending more US dollars than this; a higher cap resumes; each shard has its own",
    },
    prices: {
      flag: "--prices <file.yaml>",
      type: z.union([z.string(), priceRowsSchema]),
      help: "your own prices; they come before the built-in list (docs/MODELS.md)",
    },
    maxFailed: {
      flag: "--max-failed <share>",
      type: z.number().min(0).max(1),
      default: 0,
      help: "exit 1 when a larger share of questions failed",
    },
  }),
  ...grouped("Folder and parts of a run:", {
    out: {
      flag: "--out <dir>",
      type: z.string().min(1, "expected a folder; leave it out for the usual one"),
      help: "run folder (default: results/<tasks>-<methods>-<plan>)",
    },
  }),
};

/** Settings of a command or a program that no config file may hold. */
export const commandSettings = {
  ...grouped("Options and files:", {
    preset: {
      flag: "--preset <name>",
      type: z.string(),
      help: "all options as a published table has them, e.g. personaagent-t2",
    },
    config: { flag: "--config <file.yaml>", type: z.string(), help: "settings from a file; flags win" },
  }),
  ...grouped("Folder and parts of a run:", {
    reuse: {
      flag: "--reuse <run>",
      type: z.union([z.string(), z.array(z.string())]),
      help: "take answers from this run, or pack, where they are to equal requests; repeatable",
    },
    replay: {
      flag: "--replay <run>",
      type: z.string(),
      help: "answer only from this run, or pack (lamp-eval export --form pack); nothing is sent",
    },
    workers: {
      flag: "--workers [url]",
      type: z.union([z.boolean(), z.string()]),
      help: "hand the users to workers (lamp-eval worker) by this PostgreSQL database (default: LAMP_EVAL_WORKERS; docs/SCALE.md)",
    },
    shard: {
      flag: "--shard <i/n>",
      type: z.string(),
      help: "only the users of this shard, e.g. 3/8; a run with --reuse of each shard joins them (docs/SCALE.md)",
    },
  }),
};

type Table = Readonly<Record<string, Setting>>;
type SettingsOf<T extends Table> = { -readonly [K in keyof T]?: z.infer<T[K]["type"]> | undefined };

/** The content of a config file. */
export type RunConfig = Readonly<SettingsOf<typeof configSettings>>;
type Named = "task" | "method" | "model" | "metric" | "plugins";

/** Signals that stop a run. */
export interface StopSignals {
  /** Fires: no new call starts; calls in flight are finished and stored, for at most `server.drainSeconds`. */
  readonly signal?: AbortSignal | undefined;
  /** Fires: calls in flight are dropped, too. */
  readonly kill?: AbortSignal | undefined;
}

/**
 * All that a person or a program can ask of a run: the settings of a config file, with own tasks, methods and metrics in place of names,
 * and a listener. `lamp-eval run --help` explains each setting. Settings here win over those of `config`, these over those of `preset`.
 */
export interface RunRequest
  extends Additions,
    StopSignals,
    Readonly<Omit<SettingsOf<typeof configSettings>, Named | "set" | "extends">>,
    Readonly<SettingsOf<typeof commandSettings>> {
  /** Names (`lamp2m`, `LaMP_2`), or own tasks. */
  readonly task?: OneOrMore<string | Task> | undefined;
  /** Names (`rag`, `exec:./mine.py`), or own methods. */
  readonly method?: OneOrMore<string | Method> | undefined;
  /** `provider/model`; several make the run a comparison of backbones. */
  readonly model?: OneOrMore<string> | undefined;
  /** Metrics besides those of the tasks: names, or own metrics. */
  readonly metric?: OneOrMore<string | Metric> | undefined;
  /** Files or packages with methods, tasks, metrics and so on; paths start from `cwd`. */
  readonly plugins?: OneOrMore<string> | undefined;
  /** Options by dotted name: `{ "rag.k": 2 }`. `lamp-eval list options` prints all, with their defaults. */
  readonly options?: Readonly<Record<string, OptionValue>> | undefined;
  /** The command line, for the manifest. */
  readonly argv?: readonly string[] | undefined;
  /** Called with each event of the run. Absent: only notices are printed, by `io.tell`. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

const schemaOf = <T extends Table>(table: T) =>
  z.strictObject(
    Object.fromEntries(Object.entries(table).map(([key, { type }]) => [key, type.optional()])),
  ) as z.ZodObject & z.ZodType<SettingsOf<T>>;

export const configSchema = schemaOf(configSettings);
export const requestSchema = schemaOf({ ...configSettings, ...commandSettings });

/** Returns the flag of a setting: `--queries-per-user` of `queriesPerUser`. */
export const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
