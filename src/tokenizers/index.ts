import { registry } from "../registry.js";
import * as all from "./all.js";

/** Tokenizers that count LaMP's prompt budget (`rag.maxTokens`). */
export const tokenizers = registry("tokenizer", Object.values(all));
