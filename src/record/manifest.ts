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

/** All that decides the rows of a run. Equal identity: a run is resumed; other identity: it needs another folder. */
export interface Identity {
  readonly arms: readonly ArmSpec[];
  readonly data: readonly {
    readonly task: string;
    readonly name: string;
    readonly files: FileFacts[];
    readonly facts: Readonly<Record<string, string | number>>;
    /** Content id of the visible histories and questions of all units. */
    readonly units: string;
    /** Content id of the texts of the task's prompts. */
    readonly wording: string;
  }[];
  readonly baseUrl?: string;
  /** The endpoints of the run's models, without keys and limits. */
  readonly endpoints?: Readonly<Record<string, Pick<Endpoint, "provider" | "baseUrl" | "api" | "quirks">>>;
  /** Content id of the recorded Wikipedia pages that are replayed. */
  readonly wikipedia?: string;
  /** Parameters that a model does not take. */
  readonly notApplied: readonly string[];
  /** Of an imported run: the files of its predictions, one for each repeat. */
  readonly imported?: readonly FileFacts[];
}

/** Description of a run in its log: written at the start, with facts that were added later. */
export interface Manifest {
  readonly format: typeof FORMAT;
  /** Another process can open the run from it. Holds no code and no logins. */
  readonly plan: Plan;
  readonly identity: Identity;
  /** API of each model, and content ids of its server and endpoint. */
  readonly models?: Readonly<
    Record<string, { readonly api?: string; readonly server?: string; readonly endpoint?: string }>
  >;
  /** Names of the runs whose answers were reused (`--reuse`). */
  readonly reused?: readonly string[];
  /** Name of the run that was replayed (`--replay`): nothing was sent. */
  readonly replayed?: string;
  /** Number of requests that the replayed run lacks. */
  readonly missed?: number;
  readonly simulated: boolean;
  /** Kind and axes of a sweep. */
  readonly sweep?: SweepFacts;
  /** Of a judge's run: the judged run, and how it is judged. */
  readonly judged?: {
    /** Folder of the judged run, relative to this run's. */
    readonly run: string;
    /** Where its data are, if that was given. */
    readonly data?: string;
    readonly judge: string;
    readonly range: readonly [number, number];
    readonly options: Readonly<Record<string, string>>;
    readonly against?: string;
    /** The judged arms. */
    readonly specs: readonly ArmSpec[];
  };
  /** The plug-ins of the run. They are not loaded from here. */
  readonly plugins?: readonly Omit<Plugin, "entry">[];
  readonly tasks: readonly {
    readonly task: string;
    readonly title: string;
    readonly dataset: string;
    readonly remarks: readonly string[];
    /** Baselines that need no model: an answer for each question, or one for all. */
    readonly baselines?: readonly {
      readonly name: string;
      readonly answers: string | Readonly<Record<string, string>>;
    }[];
    /** Methods that do not apply to the task, and why. */
    readonly unfit?: readonly { readonly method: string; readonly why: string }[];
  }[];
  readonly argv: readonly string[];
  readonly startedAt: string;
  readonly node: string;
  /** Time at which the run finished first. */
  readonly finishedAt?: string;
  /** Version of lamp-eval that finished it last. */
  readonly by?: string;
  /** SHA-256 of the rows file at that end. */
  readonly rows?: string;
  /** Model ids that providers returned. */
  readonly answeredBy?: readonly string[];
  /** Set where a draw came back at once and equal to an earlier one, which had taken its time. */
  readonly cachedDraws?: true;
  /** Set if a reply came in a batch. */
  readonly batch?: true;
  /** Tokens and day of the check of tool calls, by model. They belong to no row. */
  readonly probes?: Readonly<Record<string, TokenCounts & { readonly day: string }>>;
  /** By arm and model, calls that rows count although they were not sent: an equal request of the arm was. */
  readonly repeated?: Readonly<Record<string, Readonly<Record<string, PhaseTotals>>>>;
  /** Costly embedders: name and similarity of the options, and id. A replay needs the ids alone. */
  readonly embedders?: readonly { readonly named: string; readonly similarity: string; readonly id: string }[];
  /** Set for a shard of a run, with the number of its questions by task. */
  readonly part?: Shard & { readonly questions: Readonly<Record<string, number>> };
}

export const FORMAT = 4;

const text = z.string();
const options = z.record(text, z.union([text, z.number(), z.boolean()] satisfies z.ZodType<OptionValue>[]));

/** The members that readers rely on. Checked since packs come from other people. */
const schema = z.looseObject({
  format: z.literal(FORMAT),
  plan: z.looseObject({
    tasks: z.array(z.looseObject({ name: text, options })),
    methods: z.array(text),
    metrics: z.array(text),
    options,
    prices: z.array(z.unknown()),
  }),
  identity: z.looseObject({
    arms: z.array(
      z.looseObject({
        id: text,
        task: text,
        dataset: text,
        method: text,
        model: text,
        options,
        repeat: z.number(),
      }),
    ),
    data: z.array(z.looseObject({ task: text, name: text, facts: z.record(text, z.union([text, z.number()])) })),
    notApplied: z.array(text),
  }),
  simulated: z.boolean(),
  tasks: z.array(z.looseObject({ task: text, title: text, dataset: text, remarks: z.array(text) })),
  argv: z.array(text),
  startedAt: text,
  node: text,
});

/** Returns the usual folder name of a run, such as `lamp2m-rag-1a2b3c4d`. It depends on the identity alone: the same command resumes. */
export function runName(identity: Identity): string {
  const part = (kind: "task" | "method"): string => {
    const names = [...new Set(identity.arms.map((arm) => arm[kind]))];
    return names.length <= 3 ? names.map(inFileName).join("+") : `${names.length}-${kind}s`;
  };
  return `${part("task")}-${part("method")}-${contentId(identity).slice(0, 8)}`;
}

/** Returns a name that is valid in all file systems: `exec-mine-py` for `exec:./mine.py`. */
const inFileName = (name: string): string => name.replaceAll(/\W+/g, "-").replace(/^-|-$/g, "").slice(0, 40);

/** Returns the manifest in a log, with its facts; undefined if there is none. Throws UsageError if another version has written it. */
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

/** Throws UsageError if a folder holds a run of another identity. The message names the changed flags, or the first difference. */
export function refuseChangedPlan(folder: string, old: Described, fresh: Described): void {
  const changed = changedSetting(old.identity, fresh.identity);
  if (changed === undefined) return;
  const flags = changedFlags(flagsOf(old.plan), flagsOf(fresh.plan));
  const what = flags.length > 0 ? flags.join("; ") : `${changed.name} ${changed.is}, was ${changed.was}`;
  throw new UsageError(
    `${folder} holds a run with other settings (${what}): choose another --out, or repeat the old command to resume`,
  );
}

/** Returns the flags that decide rows, with their values as text; undefined for a flag that is not set. */
function flagsOf({ tasks, methods, models, options, sweep, servers, ...plan }: Plan): Map<string, string | undefined> {
  const { metrics, seed, repeats, online, demo, data, users, limit } = plan;
  const list = (names: readonly string[]): string | undefined => (names.length === 0 ? undefined : names.join(","));
  const plain = {
    "--seed": seed,
    "--repeats": repeats,
    "--online": online || undefined,
    "--demo": demo || undefined,
    "--data": data,
    "--users": users,
    "--limit": limit,
    "--base-url": servers.baseUrl,
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

/** Returns the flags with other values: `--users 24, was 12`; `--set rag.k=2, was not given`. */
function changedFlags(old: Flags, fresh: Flags): string[] {
  const all = [...new Set([...fresh.keys(), ...old.keys()])];
  const changed = all.filter((flag) => fresh.get(flag) !== old.get(flag));
  return changed.map((flag) => {
    const separator = flag.startsWith("--set") ? "=" : " ";
    const value = fresh.get(flag);
    const shown = value === undefined ? " not given" : `${separator}${value}`;
    return `${flag}${shown}, was ${old.get(flag) ?? "not given"}`;
  });
}

/** Returns name and values of the first difference between two identities; undefined if they are equal. */
export function changedSetting(
  old: Identity,
  fresh: Identity,
): { readonly name: string; readonly was: string; readonly is: string } | undefined {
  const before = leaves(old);
  const after = leaves(fresh);
  const differing = [...new Set([...before.keys(), ...after.keys()])].filter((at) => before.get(at) !== after.get(at));
  const path = differing.find((at) => !/^arms\.\d+\.id$/.test(at)) ?? differing[0]; // the id of an arm follows from its other members
  if (path === undefined) return undefined;
  const shown = (value: unknown) => (value === undefined ? "absent" : JSON.stringify(value));
  return { name: nameOf(path, fresh), was: shown(before.get(path)), is: shown(after.get(path)) };
}

/** Returns a readable name of a path: `rag.k` for `arms.0.options.rag.k`, `users of lamp2m` for `data.0.facts.users`. */
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

/** Returns all values in an object, at any depth, by their dotted paths. */
function leaves(value: unknown, path = "", found = new Map<string, unknown>()): Map<string, unknown> {
  if (value === null || typeof value !== "object") return found.set(path, value);
  for (const [key, part] of Object.entries(value)) leaves(part, path === "" ? key : `${path}.${key}`, found);
  return found;
}

/** Returns the command line of a run, quoted for a shell, without --out. */
export function commandOf(argv: readonly string[]): string {
  const isOut = (word: string, w: number): boolean =>
    word === "--out" || argv[w - 1] === "--out" || word.startsWith("--out=");
  return ["lamp-eval", ...argv.filter((word, w) => !isOut(word, w)).map(shellWord)].join(" ");
}
