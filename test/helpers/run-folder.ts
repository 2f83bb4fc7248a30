import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runFiles } from "../../src/record/rows.js";
import { entriesOf } from "./planted-log.js";

/** The files that equal runs share byte for byte. */
const comparedFiles = [runFiles.rows, runFiles.traces, runFiles.markdown, runFiles.latex, runFiles.csv, runFiles.json];

/** The compared files of a finished run. */
export function comparable(folder: string): Record<string, string> {
  return Object.fromEntries(comparedFiles.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** The prompts whose replies are on disk, as `promptOf` reads them from the wire. */
export function answeredPrompts(folder: string): Set<string> {
  const requests = entriesOf(folder).flatMap((entry) => (entry.t === "answer" ? (entry.request ?? []) : []));
  return new Set(
    requests.map((request) =>
      [
        ...(request.system === undefined ? [] : [request.system]),
        ...request.messages.map((message) => ("content" in message ? message.content : "")),
      ].join("\n"),
    ),
  );
}

/** Every file of a folder, as text. */
export function everyFile(folder: string): Record<string, string> {
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}
