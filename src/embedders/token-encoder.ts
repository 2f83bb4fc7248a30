/** A transformer with its tokenizer: text in, one vector a token out. */
export interface TokenEncoder {
  /** The first `maxTokens` tokens of the text, special tokens included. */
  encode(text: string, maxTokens: number): Promise<TokenVectors>;
}

interface TokenVectors {
  /** Row after row, one row of `width` numbers a token. */
  readonly hidden: Float32Array;
  /** Zero for padding. */
  readonly mask: ArrayLike<number | bigint>;
  readonly width: number;
}

/** Where a model's files are: a folder on this machine, or a repository of the Hugging Face hub. */
export type ModelFiles =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "hub"; readonly name: string; readonly revision: string };

/** Loads the ONNX model and the tokenizer in these files, to be run on `threads` threads. Throws UsageError. */
export type LoadEncoder = (files: ModelFiles, threads: number) => Promise<TokenEncoder>;
