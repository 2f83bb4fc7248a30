import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { UsageError } from "../errors.js";
import { fileTrouble } from "../text/file-trouble.js";

/** What transformers.js reads of a sentence-transformers folder: `optimum-cli export onnx` writes it all. */
const FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"];

/** The first 12 hex digits of the SHA-256 of a model folder's files. Throws UsageError naming a file that is missing. */
export async function filesId(folder: string): Promise<string> {
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
