import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { sealedLines } from "../../src/app/evidence/file.js";

/** A line of a file of evidence: its kind, and what it holds. */
// biome-ignore lint/suspicious/noExplicitAny: a forger changes whatever there is
export type Line = Record<string, any>;

/** The lines of a file without the checksum. */
export function linesOf(file: string): Line[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return text
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

/** Writes a file whose checksum holds: the hand that knows everything. */
export function writeForged(file: string, lines: readonly Line[]): void {
  writeFileSync(file, [...sealedLines(lines)].join(""));
}
