import * as z from "zod";
import { UsageError } from "../errors.js";
import type { State } from "../log/state.js";
import type { Endpoint } from "../models/endpoints.js";
import type { Plugin } from "../plan/catalogue.js";
import type { Plan, Shard } from "../plan/types.js";
import { contentId } from "../text/content-id.js";
import { placedIssue } from "../text/schema-issue.js";
import { shellWord } from "../text/words.js";
import type { ArmSpec, OptionValue, PhaseTotals, SweepFacts, TokenCounts } from "../types/index.js";

interface FileFacts {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** All that decides the rows of a run: a run is resumed where its identity is the same, and needs another folder where it differs. */
export interface Identity {
  readonly arms: readonly ArmSpec[];
  readonly data: readonly {
    readonly task: string;
    readonly name: string;
    readonly files: FileFacts[];
    readonly facts: Readonly<Record<string, string | number>>;
    /** Content id of every unit's visible history and questions. */
    readonly units: string;
    /** Content id of the task's wording: a changed prompt text is a changed run. */
    readonly wording: string;
  }[];
  readonly baseUrl?: string;
  /** The endpoints that models name, without keys and limits. */
  readonly endpoints?: Readonly<Record<string, Pick<Endpoint, "provider" | "baseUrl" | "api" | "quirks">>>;
  /** Content id of the recorded Wikipedia pages that are replayed. */
  readonly wikipedia?: string;
  /** Parameters that a model does not take. */
  readonly notApplied: readonly string[];
  /** The predictions files that the rows were taken from, one a repeat (`lamp-eval import`). */
  readonly imported?: readonly FileFacts[];
}

/** What a log says of its run besides calls: what it was begun with, and facts learned since. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** What was asked for: another process opens the run from it. Holds no code and no logins. */
  readonly plan: Plan;
  readonly identity: Identity;
  /** How each model was asked: wire, server, and endpoint by its content id. */
  readonly models?: Readonly<
    Record<string, { readonly api?: string; readonly server?: string; readonly endpoint?: string }>
  >;
  /** The logs that answers were taken from, as they were named. */
  readonly reused?: readonly string[];
  /** The one that answered in everyone's place, as it was named: nothing was sent. */
  readonly replayed?: string;
  /** How many requests that one lacked. */
  readonly missed?: number;
  readonly simulated: boolean;
  /** What varies between the arms, where the run is a sweep. */
  readonly sweep?: SweepFacts;
  /** Of a judge's run: whose replies are judged, and how. */
  readonly judged?: {
    /** The folder of the judged run, from this one. */
    readonly run: string;
    /** Its data, as they were named. */
    readonly data?: string;
    readonly judge: string;
    readonly range: readonly [number, number];
    readonly options: Readonly<Record<string, string>>;
    readonly against?: string;
    /** The judged arms. */
    readonly specs: readonly ArmSpec[];
  };
  /** Code from outside that the run was begun with. Nothing is loaded because it stands here. */
  readonly plugins?: readonly Omit<Plugin, "entry">[];
  readonly tasks: readonly {
    readonly task: string;
    readonly title: string;
    readonly dataset: string;
    readonly remarks: readonly string[];
    /** Answers that need no model, by question, or one for all. */
    readonly baselines?: readonly {
      readonly name: string;
      readonly answers: string | Readonly<Record<string, string>>;
    }[];
    /** Methods that say nothing on the task, and why. */
    readonly unfit?: readonly { readonly method: string; readonly why: string }[];
  }[];
  readonly argv: readonly string[];
  readonly startedAt: string;
  readonly node: string;
  /** When the run finished first, and the version that finished it last. */
  readonly finishedAt?: string;
  readonly by?: string;
  /** SHA-256 of the rows that it finished with. */
  readonly rows?: string;
  /** Model ids as the provider returned them. */
  readonly answeredBy?: readonly string[];
  /** Set where a draw came back at once and equal to an earlier one, which had taken its time. */
  readonly cachedDraws?: true;
  /** Set where replies came by batches. */
  readonly batch?: true;
  /** What the check of tool calls of each model spent, which belongs to no row: tokens, and the day. */
  readonly probes?: Readonly<Record<string, TokenCounts & { readonly day: string }>>;
  /** By arm and model, calls that rows count although an equal request of the arm had paid for them: they cost nothing. */
  readonly repeated?: Readonly<Record<string, Readonly<Record<string, PhaseTotals>>>>;
  /** Ids of the embedders, by what the options name: a replay is told by them without opening one. */
  readonly embedders?: readonly { readonly named: string; readonly similarity: string; readonly id: string }[];
  /** Set where the folder holds a shard, with its questions by task. */
  readonly part?: Shard & { readonly questions: Readonly<Record<string, number>> };
}

export const FORMAT = 4;

const text = z.string();
const options = z.record(text, z.union([text, z.number(), z.boolean()] satisfies z.ZodType<OptionValue>[]));

/** Checked when a log is read: packs come from other people. */
const schema = z.looseObject({
  format: z.literal(FORMAT),
  plan: z.looseObject({
    tasks: z.array(z.looseObject({ name: text, options })),
    ...{ methods: z.array(text), metrics: z.array(text), options, prices: z.array(z.unknown()) },
  }),
  identity: z.looseObject({
    arms: z.array(
      z.looseObject({
        ...{ id: text, task: text, dataset: text, method: text, model: text, options },
        repeat: z.number(),
      }),
    ),
    data: z.array(z.looseObject({ task: text, name: text, facts: z.record(text, z.union([text, z.number()])) })),
    notApplied: z.array(text),
  }),
  simulated: z.boolean(),
  tasks: z.array(z.looseObject({ task: text, title: text, dataset: text, remarks: z.array(text) })),
  ...{ argv: z.array(text), startedAt: text, node: text },
});

/** Returns the name of a run's folder, `lamp2m-rag-1a2b3c4d`: of the same identity the same, so that the same command resumes. */
export function runName(identity: Identity): string {
  const part = (kind: "task" | "method"): string => {
    const names = [...new Set(identity.arms.map((arm) => arm[kind]))];
    return names.length <= 3 ? names.map(inFileName).join("+") : `${names.length}-${kind}s`;
  };
  return `${part("task")}-${part("method")}-${contentId(identity).slice(0, 8)}`;
}

/** Returns a name that any file system takes: `exec:./mine.py` becomes `exec-mine-py`. */
const inFileName = (name: string): string => name.replaceAll(/\W+/g, "-").replace(/^-|-$/g, "").slice(0, 40);

/** Returns the manifest in a log, with the facts learned since; undefined where there is none. Throws UsageError on one of another version. */
export function manifestOf({ plan, facts, end }: State, path: string): Manifest | undefined {
  if (plan === undefined) return undefined;
  const result = schema.safeParse({ ...Object(plan), ...Object.fromEntries(facts) });
  if (!result.success) throw new UsageError(`${path}: not a run of this version: ${placedIssue(result.error)}`);
  const { finishedAt, ...manifest } = result.data as unknown as Manifest; // written by this program, but for files of others
  return end === undefined || finishedAt === undefined
    ? manifest
    : { ...manifest, finishedAt, by: end.by, rows: end.rows };
}

type Described = Pick<Manifest, "plan" | "identity">;

/** Throws UsageError naming what was typed otherwise, else the first difference, where a folder holds a run of another identity. */
export function refuseChangedPlan(folder: string, old: Described, fresh: Described): void {
  const changed = changedSetting(old.identity, fresh.identity);
  if (changed === undefined) return;
  const typed = changedFlags(flagsOf(old.plan), flagsOf(fresh.plan));
  const what = typed.length > 0 ? typed.join("; ") : `${changed.name} ${changed.is}, was ${changed.was}`;
  throw new UsageError(
    `${folder} holds a run with other settings (${what}): choose another --out, or repeat the old command to resume`,
  );
}

/** Returns the flags that decide rows, with their values as text. Undefined: not given. */
function flagsOf({ tasks, methods, models, options, sweep, servers, ...plan }: Plan): Map<string, string | undefined> {
  const { metrics, seed, repeats, online, demo, data, users, limit } = plan;
  const list = (names: readonly string[]): string | undefined => (names.length === 0 ? undefined : names.join(","));
  const given = { "--data": data, "--users": users, "--limit": limit, "--base-url": servers.baseUrl };
  const plain = {
    "--seed": seed,
    "--repeats": repeats,
    "--online": online || undefined,
    "--demo": demo || undefined,
    ...given,
  };
  return new Map([
    ["--task", list(tasks.map(({ name }) => name))],
    ["--method", list(methods)],
    ["--model", list(models)],
    ["--metric", list(metrics)],
    ...Object.entries(plain).map(([flag, value]) => [flag, value?.toString()] as const),
    ...Object.entries(options).map(([name, value]) => [`--set ${name}`, String(value)] as const),
    ["the sweep", sweep && JSON.stringify(sweep)],
  ]);
}

type Flags = ReturnType<typeof flagsOf>;

/** `--users 24, was 12`; `--set rag.k=2, was not given`. */
const changedFlags = (old: Flags, fresh: Flags): string[] =>
  [...new Set([...fresh.keys(), ...old.keys()])].flatMap((flag) => {
    const [was = "not given", is] = [old.get(flag), fresh.get(flag)];
    if (was === (is ?? "not given")) return [];
    return [`${flag}${is === undefined ? " not given" : `${flag.startsWith("--set") ? "=" : " "}${is}`}, was ${was}`];
  });

/** Returns the name of the first value in which two identities differ, and both values as text; undefined where they are equal. */
export function changedSetting(
  old: Identity,
  fresh: Identity,
): { readonly name: string; readonly was: string; readonly is: string } | undefined {
  const before = leaves(old);
  const after = leaves(fresh);
  const differing = [...new Set([...before.keys(), ...after.keys()])].filter((at) => before.get(at) !== after.get(at));
  const path = differing.find((at) => !/^arms\.\d+\.id$/.test(at)) ?? differing[0]; // an id only follows from the rest
  if (path === undefined) return undefined;
  const shown = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  return { name: nameOf(path, fresh), was: shown(before.get(path)), is: shown(after.get(path)) };
}

/** `rag.k` of `arms.0.options.rag.k`, `users of lamp2m` of `data.0.facts.users`. */
function nameOf(path: string, { data }: Identity): string {
  const [kind, number = "", part = "", ...rest] = path.split(".");
  if (kind === "arms") return [part, ...rest].join(".").replace(/^options\./, "");
  if (kind !== "data") return path;
  const { task = "a task", files = [] } = data[Number(number)] ?? {};
  const names: Readonly<Record<string, string>> = {
    files: `data file ${files[Number(rest[0])]?.name ?? rest[0]}`,
    facts: rest.join("."),
    units: "histories and questions",
    wording: "prompts",
  };
  return `${names[part] ?? part} of ${task}`;
}

/** Returns all values in a value that are no objects, by their dotted path. */
function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  if (value === null || typeof value !== "object") return found.set(path, value);
  for (const [key, part] of Object.entries(value)) leaves(part, path === "" ? key : `${path}.${key}`, found);
  return found;
}

/** Returns the command line of a run as a person would type it, without --out. */
export function commandOf(argv: readonly string[]): string {
  const isOut = (word: string, w: number): boolean =>
    word === "--out" || argv[w - 1] === "--out" || word.startsWith("--out=");
  return ["lamp-eval", ...argv.filter((word, w) => !isOut(word, w)).map(shellWord)].join(" ");
}
