import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../errors.js";
import { fileTrouble, firstLine } from "../text/file-trouble.js";
import type { Embedder } from "../types/index.js";
import { type EmbedderProvider, type EmbedderSettings, fromPackage, unitLength } from "./provider.js";

/** LaMP's encoder cuts texts here (METHODS 3.2), as BERT's positions end here. */
const MAX_TOKENS = 512;

/** Sentence-transformers as ONNX files, from a folder or the Hugging Face hub. */
export const onnx: EmbedderProvider = {
  name: "onnx",
  summary:
    "sentence-transformers on this machine (onnx/all-MiniLM-L6-v2, onnx/./folder); needs @huggingface/transformers",
  costly: true,
  open: (id, settings) => openOnnx(id, settings, async (files) => encoderOf(await importTransformers(), files)),
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
  const revision = files.kind === "hub" && files.revision !== "main" ? `@${files.revision}` : "";
  const name = files.kind === "folder" ? `${id}@${await filesId(files.path)}` : `${files.name}${revision}`;
  const encoder = await load(files);
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

/** A variable, so that neither the compiler nor a bundler asks for a package that most installations do not have. */
const PACKAGE: string = "@huggingface/transformers";

/** The runtime's install step downloads GPU libraries; the variable leaves them out. */
const INSTALL = `ONNXRUNTIME_NODE_INSTALL=skip npm install ${PACKAGE}@4`;

/** The part of transformers.js (4.x) that is used. */
export interface Transformers {
  readonly AutoTokenizer: { from_pretrained(name: string, options: object): Promise<TransformersTokenizer> };
  readonly AutoModel: { from_pretrained(name: string, options: object): Promise<TransformersModel> };
  readonly Tensor: new (type: "int64", data: BigInt64Array, dims: readonly number[]) => TokenTensor;
}

interface TransformersTokenizer {
  (text: string, options: object): TokenInputs;
  /** Models without a limit state a huge number or none. */
  readonly model_max_length?: number | null;
}

export type TransformersModel = (
  inputs: TokenInputs,
) => Promise<Readonly<Record<string, { readonly data: unknown; readonly dims: readonly number[] } | undefined>>>;

/** One row of numbers each: `input_ids`, `attention_mask` and, for some models, `token_type_ids`. */
export type TokenInputs = Readonly<Record<string, TokenTensor>> & {
  readonly input_ids: TokenTensor;
  readonly attention_mask: TokenTensor;
};

interface TokenTensor {
  readonly data: BigInt64Array;
}

/** The package itself. Throws UsageError with the command to type where it is missing or does not load. */
export async function importTransformers(load: () => Promise<unknown> = importPackage): Promise<Transformers> {
  return (await fromPackage(PACKAGE, load, { embedder: "onnx", install: INSTALL })) as Transformers;
}

/** Model and tokenizer in these files. Throws UsageError where they cannot be loaded or give no token vectors. */
export async function encoderOf(transformers: Transformers, files: ModelFiles): Promise<TokenEncoder> {
  const [tokenizer, model] = await loadPair(transformers, files);
  const limit = tokenizer.model_max_length ?? Number.POSITIVE_INFINITY;
  const tokens = (text: string): TokenInputs => tokenizer(text, { padding: false, truncation: false });
  const empty = tokens("").input_ids.data;

  function cut(inputs: TokenInputs, max: number): TokenInputs {
    const row = inputs.input_ids.data;
    if (row.length <= max) return inputs;
    const closing = closingTokens(row, empty);
    const shorter = ({ data }: TokenTensor): TokenTensor =>
      new transformers.Tensor("int64", cutTokens(data, max, closing), [1, max]);
    const rest = Object.entries(inputs).map(([name, tensor]) => [name, shorter(tensor)]);
    return {
      ...Object.fromEntries(rest),
      input_ids: shorter(inputs.input_ids),
      attention_mask: shorter(inputs.attention_mask),
    };
  }

  return {
    async encode(text, maxTokens) {
      const inputs = cut(tokens(text), Math.min(maxTokens, limit));
      const outputs = await model(inputs);
      const hidden = outputs.last_hidden_state ?? outputs.token_embeddings;
      if (!(hidden?.data instanceof Float32Array) || hidden.dims.length !== 3)
        throw new UsageError(
          `embedder onnx: ${filesName(files)} gives ${Object.keys(outputs).join(", ")}, no float last_hidden_state; export it with: optimum-cli export onnx --task feature-extraction`,
        );
      return { hidden: hidden.data, mask: inputs.attention_mask.data, width: hidden.dims[2]! };
    },
  };
}

const importPackage = (): Promise<unknown> => import(/* @vite-ignore */ PACKAGE);

const filesName = (files: ModelFiles): string => (files.kind === "folder" ? files.path : files.name);

async function loadPair({ AutoTokenizer, AutoModel }: Transformers, files: ModelFiles) {
  const name = filesName(files);
  const options = files.kind === "folder" ? { local_files_only: true } : { revision: files.revision };
  try {
    return await Promise.all([
      AutoTokenizer.from_pretrained(name, options),
      AutoModel.from_pretrained(name, {
        ...options,
        dtype: "fp32",
        device: "cpu",
        session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 }, // a vector must not hang on the machine's cores
      }),
    ]);
  } catch (error) {
    throw new UsageError(
      `embedder onnx: cannot load ${name}: ${firstLine(error)}; check the name and the network, or give a downloaded folder: onnx/./folder`,
    );
  }
}

/**
 * Cuts a row of token numbers as Python's tokenizers do: the text loses its end, the `closing` special tokens after it
 * stay. (transformers.js 4.3 would cut those off with the text, so that a long text lacked its [SEP].)
 */
function cutTokens(row: BigInt64Array, maxTokens: number, closing: number): BigInt64Array {
  if (row.length <= maxTokens) return row;
  const cut = row.slice(0, maxTokens);
  cut.set(row.subarray(row.length - closing), maxTokens - closing);
  return cut;
}

/** How many special tokens close a text, told from its tokens and those of the empty text, which has nothing between. */
function closingTokens(row: BigInt64Array, empty: BigInt64Array): number {
  let opening = 0;
  while (opening < empty.length && row[opening] === empty[opening]) opening++;
  return empty.length - opening;
}

/** A transformer with its tokenizer: text in, one vector a token out. */
interface TokenEncoder {
  /** The first `maxTokens` tokens of the text, special tokens included. */
  encode(
    text: string,
    maxTokens: number,
  ): Promise<{ readonly hidden: Float32Array; readonly mask: ArrayLike<number | bigint>; readonly width: number }>;
}

/** Where a model's files are: a folder on this machine, or a repository of the Hugging Face hub. */
export type ModelFiles =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "hub"; readonly name: string; readonly revision: string };

/** Loads the ONNX model and the tokenizer in these files. Throws UsageError. */
export type LoadEncoder = (files: ModelFiles) => Promise<TokenEncoder>;
