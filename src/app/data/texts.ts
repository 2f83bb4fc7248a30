import { relative } from "node:path";
import { type Audit, type Grade, type LeakKind, leakKinds } from "../../data/audit.js";
import type { Download } from "../../data/download.js";
import type { PartFacts } from "../../data/inspect.js";
import { nounOf } from "../../text/count.js";

const MEGABYTE = 1_000_000;

/** A fetched file, and whether it was there already. */
export const fileText = ({ state, file: { name, records, bytes, sha256 } }: Download): string =>
  `${state.padEnd(8)} ${name}  ${records} ${nounOf(records, "record")}  ${(bytes / MEGABYTE).toFixed(1)} MB  sha256 ${sha256}`;

/** Lines that tell how far a download is: one whenever ten percent have come, or 100 MB where the size is not known. */
export function downloadLines(
  tell: (line: string) => void,
): (file: string, bytes: number, total: number | undefined) => void {
  let shown = "";
  return (file, bytes, total) => {
    const step = Math.floor(total === undefined ? bytes / (100 * MEGABYTE) : (10 * bytes) / total);
    const key = `${file} ${step}`;
    if (key === shown) return;
    shown = key;
    const of = total === undefined ? "" : ` of ${(total / MEGABYTE).toFixed(1)}`;
    tell(`${file}: ${(bytes / MEGABYTE).toFixed(1)}${of} MB`);
  };
}

/** What is in a part of the data. Files stand as paths from `cwd`. */
export function partText(part: PartFacts, cwd: string): string {
  const { historyLengths: lengths, dates } = part;
  const lines = [
    `${part.part}: ${part.users} ${nounOf(part.users, "user")}, ${part.questions} ${nounOf(part.questions, "question")}${part.withoutGold > 0 ? ` (${part.withoutGold} without gold: never scored)` : ""}`,
    ...part.files.map(({ name, bytes, sha256 }) => `  file ${relative(cwd, name)}  ${bytes} bytes  sha256 ${sha256}`),
    lengths && `  history length: min ${lengths.min}, median ${lengths.median}, max ${lengths.max}`,
    dates === undefined ? "  dates: none" : `  dates: ${dates.first} to ${dates.last}`,
    part.undatedItems > 0 && part.undatedItems < part.items && `  undated items: ${part.undatedItems} of ${part.items}`,
    part.golds.length > 0 && `  gold answers: ${shares(part.golds)}`,
    part.labels.length > 0 && `  labels of past items: ${shares(part.labels)}`,
  ];
  return lines.filter((line) => typeof line === "string").join("\n");
}

/** What an audit found, by grade, and the verdict. */
export function auditText(result: Audit): string {
  const undated = `${result.undatedQuestions} of ${result.questions} ${nounOf(result.questions, "question")} cannot be checked by date (no date on the question or on an item)`;
  const ofGrade = (grade: Grade): string[] =>
    Object.entries(leakKinds).flatMap(([kind, { grade: ofKind, what }]) => {
      const count = result.found[kind as LeakKind]; // its keys are those of the table
      return ofKind === grade && count > 0 ? [`  ${what}: ${count}`] : [];
    });
  const part = (title: string, lines: readonly string[]): string[] => [
    `${title}${lines.length === 0 ? ": none" : ":"}`,
    ...lines,
  ];
  return [
    `${result.questions} ${nounOf(result.questions, "question")}, ${result.pairs} ${nounOf(result.pairs, "pair")} of question and past item`,
    ...part("leaks that a run would show", ofGrade("shown")),
    ...part("leaks that a run hides (history.visible=strict, and the pool of other users)", ofGrade("hidden")),
    ...part("suspicions", ofGrade("suspicion")),
    `past items of the question's own date (allowed): ${result.sameDate}`,
    ...(result.undatedQuestions > 0 ? [undated] : []),
    ...(result.examples.length === 0
      ? []
      : [examplesTitle(result), ...result.examples.map((example) => `  ${example}`)]),
    verdict(result),
  ].join("\n");
}

function shares(counts: readonly (readonly [string, number])[]): string {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts.map(([label, count]) => `${label} ${count} (${((100 * count) / total).toFixed(1)} %)`).join(", ");
}

function examplesTitle({ grades, examples }: Audit): string {
  const all = grades.shown + grades.hidden + grades.suspicion;
  return all > examples.length ? `examples, ${examples.length} of ${all} (--json names every one):` : "examples:";
}

/** What could not be checked is part of the verdict. */
function verdict(result: Audit): string {
  const { shown, hidden, suspicion } = result.grades;
  const left = [
    ...(hidden > 0 ? [`a run hides ${hidden} ${nounOf(hidden, "leak")}`] : []),
    ...(suspicion > 0 ? [`${suspicion} to look at`] : []),
    ...(result.undatedQuestions > 0
      ? [
          nounOf(
            result.undatedQuestions,
            "the date of 1 question is unchecked",
            `the dates of ${result.undatedQuestions} questions are unchecked`,
          ),
        ]
      : []),
  ];
  const words = { leaks: `LEAKS FOUND: ${shown} that a run would show`, suspicions: "SUSPICIONS", clean: "clean" };
  return [words[result.verdict], ...left].join("; ");
}
