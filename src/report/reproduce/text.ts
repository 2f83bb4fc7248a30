import { nounOf } from "../../text/count.js";
import { TOO_NARROW } from "../compare/compare.js";
import { renderMarkdown } from "../tables/markdown.js";
import { renderText } from "../tables/text.js";
import type { CheckedClaim, Reproduced, ReproducedLine } from "./beside-paper.js";
import type { OwnArm, View } from "./paper-tables.js";
import { reproducedTable } from "./table.js";

/** Own runs beside a published table, for a terminal (`text`) or a document (`markdown`). */
export function renderReproduced(reproduced: Reproduced, form: "text" | "markdown"): string {
  const { table, lines, claims, remarks, arms } = reproduced;
  const heading = `${table.name} · ${table.title} · ours beside theirs`;
  const titles = [...new Set(lines.map(({ title }) => title))];
  const blocks = titles.map((title) => taskBlock(title, lines, arms, form));
  const views = viewsFor(table.views, arms);
  return [
    `${form === "text" ? "" : "### "}${heading}${form === "text" ? "\n" : "\n\n"}${table.source}`,
    ...(table.columns.length === 0
      ? [`no published numbers: the values of ${table.name} stand in a picture only`]
      : blocks),
    ...(claims.length === 0 ? [] : [[...claims.map(claimLines), ...intervalNote(claims)].join("\n")]),
    [...remarks, ...table.caveats, ...table.notes].map((note) => `- ${note}`).join("\n"),
    ...(views.length === 0 ? [] : [viewLines(views)]),
    ...(lines.length === 0 ? [] : [LEGEND.join(form === "text" ? "\n" : "  \n")]),
  ].join("\n\n");
}

/** The commands that show what a figure shows, for the first arm of the method and its first answered question. */
export function viewsFor(views: readonly View[], arms: readonly OwnArm[]): string[] {
  return views.flatMap(({ command, method }) => {
    const arm = arms.find(({ cell }) => cell.method === method);
    const row = arm?.rows.find(({ outcome }) => outcome.kind === "answered");
    if (arm === undefined || row === undefined) return [];
    const filled = command.replace("RUN", arm.run).replace("QUESTION", row.question).replace("USER", row.user);
    return [`lamp-eval ${filled}`];
  });
}

/** What the marks in the lines of one task stand for: published values that are no target, failed questions. */
export function markNotes(lines: readonly ReproducedLine[]): { readonly mark: "!" | "*"; readonly note: string }[] {
  const unique = (notes: readonly string[]) => [...new Set(notes)];
  const suspects = lines.flatMap(({ method, suspect }) => (suspect === undefined ? [] : [`${method}: ${suspect}`]));
  const failures = lines.flatMap(({ arm, failed }) =>
    failed === 0 ? [] : [`${arm}: ${failed} question${failed === 1 ? "" : "s"} failed and not in the scores`],
  );
  return [
    ...unique(suspects).map((note) => ({ mark: "!", note }) as const),
    ...unique(failures).map((note) => ({ mark: "*", note }) as const),
  ];
}

const LEGEND = [
  "ours: strict reading, 95 % interval for users drawn like these (a dash below 10 users); delta: ours - theirs",
  "ours - theirs: 95 % interval with both errors and the rounding in it, the paper's by its derived counts at one question a user (accuracy, MAE, RMSE), of macro metrics by the error of ours at its n; a dash elsewhere; differs: whether 0 lies outside",
  "n: scored questions, ours / the paper's test set (derived; ? where it cannot be); != marks another test set, ! a published value that is no target, * failed questions",
];

function taskBlock(
  title: string,
  lines: readonly ReproducedLine[],
  arms: readonly OwnArm[],
  form: "text" | "markdown",
): string {
  const ofTitle = lines.filter((line) => line.title === title);
  if (ofTitle.every(({ arm }) => arm === undefined))
    return `${form === "text" ? "" : "#### "}${title}: ${whyNone(arms.filter(({ cell }) => cell.task === ofTitle[0]?.task))}`;
  const table = reproducedTable(ofTitle);
  const notes = markNotes(ofTitle).map(({ mark, note }) => `${mark} ${note}`);
  return form === "text"
    ? [title, renderText(table), ...notes].join("\n")
    : [`#### ${title}`, "", renderMarkdown(table), "", ...notes.map((note) => `${note}  `)].join("\n").trimEnd();
}

/** Of a task: what the runs have of it that stands in no row of the table. */
function whyNone(there: readonly OwnArm[]): string {
  if (there.length === 0) return "not in these runs";
  const named = [...new Set(there.map(({ cell }) => `${cell.method} with ${cell.model}`))];
  return `in these runs, but with no method of the table (there: ${named.join(", ")})`;
}

function claimLines({ text, source, needs, finding, withheld }: CheckedClaim): string {
  const claim = `claim: ${text} (${source})`;
  if (withheld !== undefined)
    return [
      `${claim}`,
      "  not judged: a method that it rests on mostly failed",
      ...withheld.map((why) => `    ${why}`),
    ].join("\n");
  if (finding === undefined) return `${claim}\n  not checked: needs ${needs}, with scored answers of 10 users or more`;
  const { holds, open, without, significant, evidence } = finding;
  const extent = without === undefined ? "" : `, as far as these runs go (without ${without.join(", ")})`;
  const sure =
    significant === undefined
      ? ""
      : `; ${significant.count} of ${significant.of} ${nounOf(significant.of, "difference")} significant at .05`;
  return [
    `${claim}`,
    `  ${open === true ? "neither shown nor refuted" : holds ? "holds" : "does not hold"} here${extent}${sure}`,
    ...evidence.map((line) => `    ${line}`),
  ].join("\n");
}

/** Where a claim's differences have intervals. */
const intervalNote = (claims: readonly CheckedClaim[]): string[] =>
  claims.some(({ finding }) => finding?.evidence.some((line) => line.includes("], p ")))
    ? [`in brackets: 95 % interval of the difference over users, ${TOO_NARROW}; p of each by itself`]
    : [];

const viewLines = (views: readonly string[]): string =>
  ["to look at it:", ...views.map((line) => `  ${line}`)].join("\n");
