import type { Explained, ExplainedMethod } from "../../app/explain.js";
import type { CallRange } from "../../types/index.js";
import { indented, renderOptions } from "./list-text.js";

/** The explanation for a terminal of so many columns. */
export function renderExplained(explained: Explained, width: number): string {
  switch (explained.kind) {
    case "method":
      return methodText(explained, width);
    case "task":
      return [
        `${explained.name}: ${explained.title}`,
        `answers: ${explained.labels.length === 0 ? "text" : explained.labels.join(", ")}`,
        `metrics: ${explained.metrics.join(", ")}; the first is the headline`,
        `room for an answer: ${explained.maxAnswerTokens} tokens`,
      ]
        .flatMap((line) => indented(line, 0, width, 2))
        .join("\n");
    case "option": {
      const { usedBy } = explained;
      const readers = usedBy.length === 0 ? "every method, through the run" : usedBy.join(", ");
      return [renderOptions([explained], width), ...indented(`read by: ${readers}`, 6, width)].join("\n");
    }
  }
}

function methodText(method: ExplainedMethod, width: number): string {
  const { calls } = method;
  const past = `per user with ${calls.pastEvents} past events`;
  const blocks = [
    [
      ...indented(`${method.name}: ${method.summary}`, 0, width, 2),
      ...indented(`source: ${method.source}`, 0, width, 2),
      ...(method.needs.length === 0 ? [] : indented(`needs: ${method.needs.join(", ")}`, 0, width, 2)),
    ],
    [
      "Model calls, at the defaults",
      ...indented(`per question: ${callText(calls.perQuestion)}`, 2, width, 4),
      ...indented(`${past}: ${callText(calls.perUser)}`, 2, width, 4),
      ...(Object.keys(calls.perRun).length === 0
        ? []
        : indented(`once for all users: ${callText(calls.perRun)}`, 2, width, 4)),
    ],
    method.steps === undefined
      ? ["The docs do not describe its steps: it is not built in."]
      : ["What it does", "", ...docsText(method.steps, width)],
    method.options.length === 0
      ? ["It has no options of its own."]
      : ["Options (--set name=value)", renderOptions(method.options, width)],
    ...(method.fidelity === undefined
      ? []
      : [["What the defaults rest on, and where the source is silent", "", ...docsText(method.fidelity, width)]]),
  ];
  return blocks.map((lines) => lines.join("\n")).join("\n\n");
}

function callText(range: CallRange): string {
  const phases = Object.entries(range).filter(([, { high }]) => high > 0);
  if (phases.length === 0) return "none";
  return phases.map(([phase, { low, high }]) => `${phase} ${low === high ? low : `${low} to ${high}`}`).join(", ");
}

/** A page of the docs as a person reads it: headings without marks, a row of a table as its cells, code as it is. */
function docsText(markdown: string, width: number): string[] {
  const lines: string[] = [];
  let isCode = false;
  for (const paragraph of paragraphs(markdown)) {
    if (paragraph.startsWith("```")) isCode = !isCode;
    else if (isCode) lines.push(`    ${paragraph}`);
    else if (/^\|[\s:|-]+\|$/.test(paragraph)) continue;
    else if (paragraph.startsWith("|")) lines.push(...indented(tableRow(paragraph), 2, width, 6));
    else lines.push(...indented(plain(paragraph.replace(/^#+ /, "")), 2, width));
  }
  return lines;
}

/** Lines that belong together joined; code, tables and headings stay lines. */
function paragraphs(markdown: string): string[] {
  const joined: string[] = [];
  let isCode = false;
  let isOpen = false;
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const standsAlone = isCode || line.trim() === "" || /^(```|\||#)/.test(line);
    const starts = standsAlone || /^(- |\d+\. )/.test(line) || !isOpen;
    if (starts) joined.push(line);
    else joined.push(`${joined.pop() ?? ""} ${line.trim()}`);
    isOpen = !standsAlone;
  }
  return joined;
}

const tableRow = (row: string): string =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => plain(cell.trim().replaceAll("\\|", "|")))
    .filter((cell) => cell !== "")
    .join(" · ");

const plain = (text: string): string =>
  text
    .replace(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll("`", "");
