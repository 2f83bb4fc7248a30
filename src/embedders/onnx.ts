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
  open: (id, settings) => openOnnx(id, settings, importTransformers),
};

/**
 * Mean-pooled token vectors. `id` is a folder (`./x`, `../x`, `/x`) or a hub model (`owner/name`, `owner/name@revision`;
 * a bare `name` is of `sentence-transformers`, as in that library). A folder's id carries the content of its files.
 */
export async function openOnnx(
  id: string,
  { similarity = "cosine", cwd = "" }: Pick<EmbedderSettings, "similarity" | "cwd">,
  load: () => Promise<Transformers>,
): Promise<Embedder> {
  const files = await filesOf(id, cwd);
  const encode = await encoderOf(await load(), files);
  const vectorOf = async (text: string): Promise<Float32Array> => {
    const pooled = await encode(text);
    return similarity === "cosine" ? unitLength(pooled) : Float32Array.from(pooled);
  };
  const { length: dimensions } = await vectorOf("dimensions");
  return {
    id: `onnx/${files.id}${similarity === "cosine" ? "" : `#${similarity}`}`,
    dimensions,
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await vectorOf(text));
      return vectors;
    },
  };
}

/** A model's files, as transformers.js is told: a folder on this machine, or a repository of the hub. */
interface ModelFiles {
  /** The model with its revision, or the folder with a hash of its files. */
  readonly id: string;
  readonly name: string;
  readonly options: { readonly local_files_only: true } | { readonly revision: string };
}

const FOLDER = /^(\.{0,2}[/\\]|[A-Za-z]:[/\\])/;
const HUB_NAME = /^(?:([\w.-]+)\/)?([\w.-]+)(?:@([\w./-]+))?$/;

async function filesOf(id: string, cwd: string): Promise<ModelFiles> {
  if (FOLDER.test(id)) {
    const name = resolve(cwd, id);
    return { id: `${id}@${await filesId(name)}`, name, options: { local_files_only: true } };
  }
  const [, owner = "sentence-transformers", model, revision = "main"] = HUB_NAME.exec(id) ?? [];
  if (model === undefined)
    throw new UsageError(
      `embedder "onnx/${id}": expected a hub model such as onnx/sentence-transformers/all-MiniLM-L6-v2, or a folder such as onnx/./models/mine`,
    );
  const name = `${owner}/${model}`;
  return { id: revision === "main" ? name : `${name}@${revision}`, name, options: { revision } };
}

/** Files that transformers.js reads of a sentence-transformers folder: `optimum-cli export onnx` writes it all. */
const FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"];

/** Returns the first 12 hex digits of the SHA-256 of a model folder's files. Throws UsageError naming a file that is missing. */
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
export type TokenInputs = Readonly<Record<"input_ids" | "attention_mask", TokenTensor>> &
  Readonly<Record<string, TokenTensor>>;

interface TokenTensor {
  readonly data: BigInt64Array;
}

/** Returns the package itself. Throws UsageError with the command to type where it is missing or does not load. */
export async function importTransformers(
  load: () => Promise<unknown> = () => import(/* @vite-ignore */ PACKAGE),
): Promise<Transformers> {
  return (await fromPackage(PACKAGE, load, { embedder: "onnx", install: INSTALL })) as Transformers;
}

/** Returns a function from a text to its pooled vector. Throws UsageError where the files cannot be loaded. */
async function encoderOf(
  { AutoTokenizer, AutoModel, Tensor }: Transformers,
  { name, options }: ModelFiles,
): Promise<(text: string) => Promise<Float64Array>> {
  const session_options = { intraOpNumThreads: 1, interOpNumThreads: 1 }; // a vector must not hang on the machine's cores
  const [tokenizer, model] = await Promise.all([
    AutoTokenizer.from_pretrained(name, options),
    AutoModel.from_pretrained(name, { ...options, dtype: "fp32", device: "cpu", session_options }),
  ]).catch((error: unknown) => {
    throw new UsageError(
      `embedder onnx: cannot load ${name}: ${firstLine(error)}; check the name and the network, or give a downloaded folder: onnx/./folder`,
    );
  });
  const most = Math.min(MAX_TOKENS, tokenizer.model_max_length ?? MAX_TOKENS);
  const tokens = (text: string): TokenInputs => tokenizer(text, { padding: false, truncation: false });
  const empty = tokens("").input_ids.data;
  return async (text) => {
    const whole = tokens(text);
    const row = whole.input_ids.data;
    const closing = closingTokens(row, empty);
    const length = Math.min(row.length, most);
    const cut = Object.entries(whole).map(([name, { data }]): [string, TokenTensor] => [
      name,
      new Tensor("int64", cutTokens(data, length, closing), [1, length]),
    ]);
    const inputs = Object.fromEntries(cut) as TokenInputs; // the same names
    const outputs = await model(inputs);
    const hidden = outputs.last_hidden_state ?? outputs.token_embeddings;
    if (!(hidden?.data instanceof Float32Array) || hidden.dims.length !== 3)
      throw new UsageError(
        `embedder onnx: ${name} gives ${Object.keys(outputs).join(", ")}, no float last_hidden_state; export it with: optimum-cli export onnx --task feature-extraction`,
      );
    return meanPool(hidden.data, inputs.attention_mask.data, hidden.dims[2]!);
  };
}

/**
 * Cuts a row of token numbers as Python's tokenizers do: the text loses its end, the `closing` special tokens after it
 * stay. (transformers.js 4.3 would cut those off with the text, so that a long text lacked its [SEP].)
 */
function cutTokens(row: BigInt64Array, most: number, closing: number): BigInt64Array {
  const cut = row.slice(0, most);
  if (row.length > most) cut.set(row.subarray(row.length - closing), most - closing);
  return cut;
}

/** Counts the special tokens that close a text, told from its tokens and those of the empty text, which has nothing between. */
function closingTokens(row: BigInt64Array, empty: BigInt64Array): number {
  let opening = 0;
  while (opening < empty.length && row[opening] === empty[opening]) opening++;
  return empty.length - opening;
}

/**
 * Returns the mean of a text's token vectors, padding left out. `hidden` holds one vector of `width` numbers a token, `mask` a
 * nonzero number for every token that counts. Source: sentence-transformers, models/Pooling.py (`mean_tokens`).
 */
function meanPool(hidden: Float32Array, mask: BigInt64Array, width: number): Float64Array {
  const sums = new Float64Array(width);
  let tokens = 0;
  for (const [token, counts] of mask.entries()) {
    if (Number(counts) === 0) continue;
    tokens++;
    for (let i = 0; i < width; i++) sums[i]! += hidden[token * width + i]!;
  }
  return tokens === 0 ? sums : sums.map((sum) => sum / tokens);
}
