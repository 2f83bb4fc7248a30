import type { Endpoints } from "../models/endpoints.js";
import type {
  ArmSpec,
  Dataset,
  Method,
  Options,
  OptionTable,
  OptionValue,
  OthersPool,
  PriceRow,
  Sequence,
  SweepKind,
  Task,
  Unit,
} from "../types/index.js";

/** All that is decided before anything is opened: plain JSON, from which another process opens the same run. Holds no login and no key. */
export interface Plan {
  /** Each with its options: those for all tasks, and its own on top. */
  readonly tasks: readonly TaskPlan[];
  readonly methods: readonly string[];
  /** Empty: the embedded one. */
  readonly models: readonly string[];
  /** Metrics that every task is scored by besides its own. */
  readonly metrics: readonly string[];
  /** Options by dotted name, for all tasks. Files are named by their content: `labels.json@1f0c2a4b6d8e`. */
  readonly options: Given;
  /** Names of those options that the person wrote, not a preset. */
  readonly written: readonly string[];
  /** What varies between arms. Absent: methods and tasks only. */
  readonly sweep?: Sweep;
  readonly seed: number;
  readonly repeats: number;
  readonly online: boolean;
  /** True where the demo profile holds: no network, no key, no download. */
  readonly demo: boolean;
  /** A folder, or `task=dir,task=dir`. Absent: the built-in demo data. */
  readonly data?: string;
  readonly users?: number;
  readonly limit?: number;
  /** The users of this shard alone. */
  readonly shard?: Shard;
  readonly servers: ServerPlan;
  readonly caps: Caps;
  /** Prices of the person's own, which come before the list. */
  readonly prices: readonly PriceRow[];
  /** What a reader of the table must know of these settings. */
  readonly remarks: readonly string[];
}

interface TaskPlan {
  readonly name: string;
  readonly options: Given;
}

/** How servers are asked. */
export interface ServerPlan {
  readonly baseUrl?: string;
  readonly endpoints: Endpoints;
  readonly concurrency?: number;
  readonly giveUpAfterMs?: number;
  /** Absent: calls go out one by one. */
  readonly batch?: Batch;
}

/** Most calls and US dollars of the whole run, and the largest share of questions that may fail. */
interface Caps {
  readonly maxCalls?: number;
  readonly maxUsd?: number;
  readonly maxFailed: number;
}

export interface Batch {
  readonly agents: boolean;
  readonly detach: boolean;
  readonly resend: boolean;
}

/** Options as they are given, by dotted name. */
export type Given = Readonly<Record<string, OptionValue>>;

/** Some of the users of a run, in a folder of its own: one shard among `of`, counted from 1. */
export interface Shard {
  readonly shard: number;
  readonly of: number;
}

export interface Sweep {
  readonly kind: SweepKind;
  /** Values by option. */
  readonly axes: Readonly<Record<string, readonly OptionValue[]>>;
  /** Options of arms besides those that the axes give; those that a method does not have leave it as it is. */
  readonly points: readonly Given[];
}

/** A task with its data, cut to the visible history. */
export interface LoadedTask {
  readonly task: Task;
  readonly dataset: Dataset;
  /** Of a large data set read when they are asked for, and then forgotten. */
  readonly units: Sequence<Unit>;
  /** In all units. */
  readonly questions: number;
  readonly others: OthersPool;
  /** Options given for this task, by dotted name; those that a method does not have are left out of its arms. */
  readonly given: Given;
  /** The complete data options behind `units` and `others`: part of every arm. */
  readonly dataOptions: Given;
  /** What a reader of the table must know about the data: no order of time, questions without gold, ... */
  readonly remarks: readonly string[];
}

/** An arm, and the task data, method and options that its names stand for. */
export interface Arm {
  readonly spec: ArmSpec;
  readonly loaded: LoadedTask;
  readonly method: Method;
  readonly options: Options<OptionTable>;
}

/** `shard 3/8`, as messages name it. */
export const partName = ({ shard, of }: Shard): string => `shard ${shard}/${of}`;

/** Most repeats of a question. */
export const MOST_REPEATS = 1_000;
