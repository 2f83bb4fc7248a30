import { UsageError } from "../../../errors.js";
import { assistant } from "./assistant.js";
import type { PaperParts } from "./part.js";
import { rums } from "./rums.js";
import { sage } from "./sage.js";

/** The papers whose every table, figure and study is listed. */
export const listedPapers: readonly PaperParts[] = [rums, sage, assistant];

/** Every table, figure and study of a paper, as made, partly or not. Throws UsageError on a paper that is not listed. */
export function renderParts(paper: string): string {
  const found = listedPapers.find((one) => one.paper === paper);
  if (found === undefined)
    throw new UsageError(
      `reproduce ${paper}: no list of this paper; papers: ${listedPapers.map((one) => one.paper).join(", ")}`,
    );
  const wide = Math.max(...found.parts.map(({ name }) => name.length));
  return [
    `${found.paper}: ${found.title}`,
    ...found.parts.map(
      ({ name, title, state, how }) => `${state.padEnd(6)}  ${name.padEnd(wide)}  ${title}\n        ${how}`,
    ),
    "contradictions:",
    ...found.contradictions.map((text) => `- ${text}`),
  ].join("\n");
}
