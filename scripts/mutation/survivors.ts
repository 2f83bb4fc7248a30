import { readFileSync } from "node:fs";
import type Stryker from "@stryker-mutator/core";
import { parse, stringify } from "yaml";
import * as z from "zod";

export type MutantResult = Awaited<ReturnType<Stryker["runMutationTest"]>>[number];

/** A mutant that no test kills: what stands in the code, and what the mutant puts in its place. Spaces and line ends count as one space. */
export type Survivor = { readonly file: string; readonly line: string; readonly code: string; readonly mutant: string };

const Accepted = z.record(
  z.string(),
  z.array(z.strictObject({ line: z.string(), code: z.string(), mutant: z.string(), reason: z.string().min(10) })),
);

/** The list of accepted survivors, with the reason of each. Throws where an entry has no reason. */
export function acceptedSurvivors(path: string): Survivor[] {
  const files = Accepted.parse(parse(readFileSync(path, "utf8")) ?? {});
  return Object.entries(files).flatMap(([file, entries]) => entries.map((entry) => ({ file, ...entry })));
}

/** Where in the code of its file a mutant stands, and what it says, by text: entries outlive a change of line numbers. */
export function asSurvivor({ location, replacement = "" }: MutantResult, file: string, source: string): Survivor {
  const { start, end } = location; // counted from 1
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const [line] = lines;
  const last = lines.at(-1);
  if (line === undefined || last === undefined)
    throw new Error(`${file} has no line ${start.line}: it changed while its mutants ran, run it again`);
  lines[lines.length - 1] = last.slice(0, end.column - 1);
  lines[0] = lines[0]!.slice(start.column - 1);
  return { file, line: oneLine(line), code: oneLine(lines.join("\n")), mutant: oneLine(replacement) };
}

export function isSame(a: Survivor, b: Survivor): boolean {
  return a.file === b.file && a.line === b.line && a.code === b.code && a.mutant === b.mutant;
}

/**
 * Entries whose code does not stand on their line any more, and entries that are there already. `sourceOf`: the text of a file
 * that is mutated, undefined of any other.
 */
export function staleEntries(
  survivors: readonly Survivor[],
  sourceOf: (file: string) => string | undefined,
): Survivor[] {
  return survivors.filter(
    (entry, i) =>
      !standsIn(sourceOf(entry.file) ?? "", entry) || survivors.slice(0, i).some((earlier) => isSame(earlier, entry)),
  );
}

/** Entries in the form of the list, still without their reasons. */
export function entries(survivors: readonly Survivor[]): string {
  const files: Record<string, object[]> = {};
  for (const { file, line, code, mutant } of survivors) {
    files[file] ??= [];
    files[file].push({ line, code, mutant, reason: "" });
  }
  return stringify(files, { lineWidth: 0 });
}

/** Whether a line of the source is the entry's, and its code begins there; of a long code, both ends are looked for. */
function standsIn(source: string, { line, code }: Survivor): boolean {
  const lines = source.split("\n");
  const [start = "", end = ""] = code.length < 110 ? [code] : code.split(" ... ");
  return lines.some((text, i) => {
    if (oneLine(text) !== line) return false;
    const rest = lines.slice(i).join(" ").replaceAll(/\s+/g, " ");
    const at = rest.indexOf(start);
    return at >= 0 && rest.indexOf(end, at + start.length) >= 0;
  });
}

/** The text on one line, the middle of a long one left out. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= 120 ? line : `${line.slice(0, 60)} ... ${line.slice(-50)}`;
}
