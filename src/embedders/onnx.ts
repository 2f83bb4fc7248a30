import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../errors.js";
import { fileTrouble } from "../text/file-trouble.js";
import type { Embedder } from "../types.js";
import { type EmbedderProvider, type EmbedderSettings, unitLength } from "./provider.js";
import { type LoadEncoder, loadWithTransformers, type ModelFiles } from "./transformers.js";

/** LaMP's encoder cuts texts here (METHODS 3.2), as BERT's positions end here. */
const MAX_TOKENS = 512;
/** One text at a time on one thread, so that a vector depends on its text alone, not on its batch or the machine's cores. */
const THREADS = 1;

/** Sentence-transformers as ONNX files, from a folder or the Hugging Face hub. */
export const onnx: EmbedderProvider = {
  name: "onnx",
  summary:
    "sentence-transformers on this machine (onnx/all-MiniLM-L6-v2, onnx/./folder); needs @huggingface/transformers",
  costly: true,
  open: (id, settings) => openOnnx(id, settings, loadWithTransformers),
};

/**
 * Mean-pooled token vectors. `id` is a folder (`./x`, `../x`, `/x`) or a hub model (`owner/name`, `owner/name@revision`;
 * a bare `name` is of `sentence-transformers`, as in that library). A folder's id carries the content of its files.
 */
export async function openOnnx(
  id: string,
  settings: Pick<EmbedderSettings, "similarity" | "cwd">,
  load: LoadEncoder,
): Promise<Embedder> {
  const files = filesOf(id, settings.cwd ?? "");
  const name = files.kind === "folder" ? `${id}@${await filesId(files.path)}` : hubName(files);
  const encoder = await load(files, THREADS);
  const { similarity = "cosine" } = settings;

  async function vectorOf(text: string): Promise<Float32Array> {
    const { hidden, mask, width } = await encoder.encode(text, MAX_TOKENS);
    const pooled = meanPool(hidden, mask, width);
    return similarity === "cosine" ? unitLength(pooled) : Float32Array.from(pooled);
  }

  const { length: dimensions } = await vectorOf("dimensions");
  return {
    id: `onnx/${name}${similarity === "cosine" ? "" : `#${similarity}`}`,
    dimensions,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await vectorOf(text));
      return vectors;
    },
  };
}

const FOLDER = /^(\.{0,2}[/\\]|[A-Za-z]:[/\\])/;
const HUB_NAME = /^(?:([\w.-]+)\/)?([\w.-]+)(?:@([\w./-]+))?$/;

function filesOf(id: string, cwd: string): ModelFiles {
  if (FOLDER.test(id)) return { kind: "folder", path: resolve(cwd, id) };
  const [, owner = "sentence-transformers", name, revision = "main"] = HUB_NAME.exec(id) ?? [];
  if (name === undefined)
    throw new UsageError(
      `embedder "onnx/${id}": expected a hub model such as onnx/sentence-transformers/all-MiniLM-L6-v2, or a folder such as onnx/./models/mine`,
    );
  return { kind: "hub", name: `${owner}/${name}`, revision };
}

function hubName({ name, revision }: { readonly name: string; readonly revision: string }): string {
  return revision === "main" ? name : `${name}@${revision}`;
}

/**
 * The mean of a text's token vectors, padding left out. `hidden` holds one vector of `width` numbers a token, `mask` a
 * nonzero number for every token that counts. Source: sentence-transformers, models/Pooling.py (`mean_tokens`).
 */
export function meanPool(hidden: Float32Array, mask: ArrayLike<number | bigint>, width: number): Float64Array {
  const sums = new Float64Array(width);
  let tokens = 0;
  for (let token = 0; token < mask.length; token++) {
    if (Number(mask[token]) === 0) continue;
    tokens++;
    for (let i = 0; i < width; i++) sums[i]! += hidden[token * width + i]!;
  }
  return tokens === 0 ? sums : sums.map((sum) => sum / tokens);
}

/** What transformers.js reads of a sentence-transformers folder: `optimum-cli export onnx` writes it all. */
const FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"];

/** The first 12 hex digits of the SHA-256 of a model folder's files. Throws UsageError naming a file that is missing. */
async function filesId(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of FILES) {
    hash.update(`\n${name}\n`);
    const path = join(folder, name);
    try {
      await pipeline(createReadStream(path), hash, { end: false });
    } catch (error) {
      throw new UsageError(`embedder onnx: ${path}: ${fileTrouble(error)}; a model folder holds ${FILES.join(", ")}`);
    }
  }
  return hash.digest("hex").slice(0, 12);
}
