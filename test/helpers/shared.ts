import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const repository = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

/** The `shared/` folder beside the checkout, where there is one. Tests that need it skip where there is none. */
export function sharedDir(): string | undefined {
  const folder = path.resolve(repository, "..", "shared");
  return existsSync(folder) ? folder : undefined;
}
