import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir } from "./temp-dir.js";

/** A fresh folder with a plug-in of a task, a method and a metric in `moods/`, and data for the task in `moods/data/`. */
export function pluginFolder(): string {
  const folder = tempDir();
  cpSync(fileURLToPath(new URL("../fixtures/plugins", import.meta.url)), folder, { recursive: true });
  return folder;
}
