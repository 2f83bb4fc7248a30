import { recordedEmbedder } from "../embedders/cached.js";
import { defaultEmbedder, type EmbedderProvider, embedderProvider, openEmbedder } from "../embedders/index.js";
import { USE_LITE_INSTALL, useLite } from "../embedders/use-lite.js";
import { UsageError } from "../errors.js";
import { complete, readOptions } from "../registry/options.js";
import type { Embedder, OptionValue, Registry } from "../types/index.js";
import type { Io } from "./io.js";
import { ReplayMiss } from "./outside/answers.js";
import { runOptions } from "./plan/options.js";

type Given = Readonly<Record<string, OptionValue>>;

/** The embedders of a run, each opened once. */
export interface Embedders {
  /** The one that an arm's options name. */
  of(options: Given): Embedder;
  /** Whether the one that an arm's options name calls out or loads weights, so that its vectors are kept on disk. */
  isCostly(options: Given): boolean;
  readonly all: readonly Embedder[];
  /** Ids of the costly ones, by what the options name. */
  readonly costly: readonly { readonly named: string; readonly similarity: string; readonly id: string }[];
}

/**
 * Opens what `variants`, the options of all arms, name, by the families `among` which they are. Throws UsageError on one that is
 * missing; in a dry run the embedded one stands for it.
 */
export async function openEmbedders(
  variants: readonly Given[],
  among: Registry<EmbedderProvider>,
  io: Io,
  { recorded, dryRun = false }: { readonly recorded?: Embedders["costly"] | undefined; readonly dryRun?: boolean } = {},
): Promise<Embedders> {
  const opened = new Map<string, Opened>();
  for (const given of variants) {
    const key = keyOf(given);
    if (opened.has(key)) continue;
    const run = readOptions(runOptions, complete(runOptions, given));
    const { costly } = embedderProvider(run.embedder, among);
    const named = { named: run.embedder, similarity: run["embedder.similarity"], costly };
    if (costly && recorded !== undefined) {
      const known = recorded.find((one) => one.named === run.embedder && one.similarity === named.similarity);
      if (known === undefined) throw new UsageError(`the recording has no vectors of embedder ${run.embedder}`);
      opened.set(key, { ...named, embedder: recordedEmbedder(known.id, () => new ReplayMiss()) });
      continue;
    }
    const embedder = await openEmbedder(
      run.embedder,
      {
        env: io.env,
        clock: io.clock,
        cwd: io.cwd,
        tell: io.tell,
        similarity: run["embedder.similarity"],
        ...(run["embedder.baseUrl"] === "" ? {} : { baseUrl: run["embedder.baseUrl"] }),
      },
      among,
    ).catch(async (error: unknown) => {
      if (!costly || !(error instanceof UsageError)) throw error;
      if (!dryRun) throw new UsageError(`${error.message}; ${elsewise(run.embedder)}`);
      io.tell(
        `${error.message}; ${defaultEmbedder} stands for it in this estimate: other items may be retrieved, and prompts be longer or shorter`,
      );
      return { ...(await openEmbedder(defaultEmbedder, { env: {} })), id: run.embedder };
    });
    opened.set(key, { ...named, embedder });
  }
  const find = (options: Given) => {
    const found = opened.get(keyOf(options));
    if (found === undefined) throw new Error(`no embedder was opened for ${keyOf(options)}`);
    return found;
  };
  return {
    of: (options) => find(options).embedder,
    isCostly: (options) => find(options).costly,
    all: [...opened.values()].map(({ embedder }) => embedder),
    costly: [...opened.values()].flatMap(({ embedder: { id }, costly, named, similarity }) =>
      costly ? [{ named, similarity, id }] : [],
    ),
  };
}

/** What goes without the embedder: another one, and the demo, which takes a preset but neither model nor data. */
function elsewise(embedder: string): string {
  const demo = "lamp-eval run --demo (no --model or --data beside it)";
  if (embedder.startsWith(useLite.name)) return `or a run without it: ${demo}`;
  return `or a run without it: --set embedder=use-lite/en (${USE_LITE_INSTALL}), or ${demo}`;
}

interface Opened {
  readonly named: string;
  readonly similarity: string;
  readonly costly: boolean;
  readonly embedder: Embedder;
}

const knobs = ["embedder", "embedder.baseUrl", "embedder.similarity"] as const;

const keyOf = (given: Given): string => {
  const settings = complete(runOptions, given);
  return JSON.stringify(knobs.map((name) => settings[name]));
};
