import { registry } from "../../registry/registry.js";
import { words } from "./words.js";

/** Tokenizers that count LaMP's prompt budget (`rag.maxTokens`). */
export const tokenizers = registry("tokenizer", [words]);
