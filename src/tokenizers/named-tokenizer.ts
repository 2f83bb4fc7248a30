import type { Tokenizer } from "../types.js";

export interface NamedTokenizer extends Tokenizer {
  readonly name: string;
  readonly summary: string;
}
