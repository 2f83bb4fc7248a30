import { readFileSync } from "node:fs";

/** The part of a page of the docs under a heading of this title or number ("## 7. persona-agent"), its smaller headings included. */
export function docsSection(page: "METHODS" | "FIDELITY", title: string): string | undefined {
  const lines = readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), "utf8").split("\n");
  const start = lines.findIndex((line) => depthOf(line) > 0 && [headingOf(line), numberOf(line)].includes(title));
  if (start < 0) return undefined;
  const depth = depthOf(lines[start] ?? "");
  const length = lines.slice(start + 1).findIndex((line) => depthOf(line) > 0 && depthOf(line) <= depth);
  return lines
    .slice(start + 1, length < 0 ? undefined : start + 1 + length)
    .join("\n")
    .trim();
}

const depthOf = (line: string): number => /^(#{1,6}) /.exec(line)?.[1]?.length ?? 0;

const numberOf = (line: string): string | undefined => /^#+ ([\d.]*\d)\.? /.exec(line)?.[1];

/** Without marks and number. */
const headingOf = (line: string): string => line.replace(/^#+ (?:[\d.]+ )?/, "");
