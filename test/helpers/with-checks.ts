import { readFileSync, writeFileSync } from "node:fs";
import { recordLine } from "../../src/run/record-lines.js";

/** The lines of a journal whose records were changed, each with the check of what it holds now: an edit that knows how. */
export function withChecks(text: string): string {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      if (!line.endsWith("}")) return `${line}\n`;
      const { "#": _check, ...record } = JSON.parse(line);
      return recordLine(record).toString();
    })
    .join("");
}

/** Changes a journal file so that every record is whole. */
export function editRecords(path: string, change: (text: string) => string): void {
  writeFileSync(path, withChecks(change(readFileSync(path, "utf8"))));
}
