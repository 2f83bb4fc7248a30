import { relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { type Audit, audit, type Grade, type LeakKind, leakKinds } from "../data/audit.js";
import { openSource } from "../data/formats/index.js";
import { inspect, type PartFacts } from "../data/inspect.js";
import type { Split } from "../data/source.js";
import { UsageError } from "../errors.js";
import { catalogueOf } from "../run/catalogue.js";
import { countOf, nounOf } from "../text/count.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface Flags {
  readonly task: string;
  readonly data?: string;
  readonly split: Split;
  readonly json?: boolean;
}

/** `lamp-eval data inspect`: counts, history lengths, dates and labels of each part. */
export function inspectCommand(io: Terminal): Command {
  return lookCommand("inspect", "print counts, history lengths, date ranges and how often each label occurs").action(
    async ({ json, ...flags }: Flags) => {
      const { source, task } = await opened(flags, io);
      const parts = await inspect(source, task);
      io.out(json === true ? JSON.stringify(parts) : parts.map((part) => partText(part, io.cwd)).join("\n\n"));
    },
  );
}

/** `lamp-eval data audit`: looks for test answers in what methods may see. */
export function auditCommand(io: Terminal): Command {
  const command = lookCommand(
    "audit",
    "look for test answers that methods could see; exit 1 on leaks that a run would show, 16 on suspicions only",
  );
  return command.action(async ({ json, ...flags }: Flags) => {
    const { source, task } = await opened(flags, io);
    const result = await audit(source, task, json === true ? Number.POSITIVE_INFINITY : undefined);
    if (result.questions === 0)
      throw new UsageError(`${flags.data ?? "demo data"}: there is no question to audit; check --data and --split`);
    io.out(json === true ? JSON.stringify(result) : auditText(result));
    if (result.verdict !== "clean") setExitCode(command, exitCodes.audit[result.verdict]);
  });
}

function lookCommand(name: string, description: string): Command {
  const parts = ["auto", "train", "dev", "test"];
  return new Command(name)
    .description(description)
    .requiredOption("--task <name>", "task of the files")
    .option("--data <dir>", "folder or file (default: the built-in demo data)")
    .addOption(new Option("--split <part>", "which official file is the test").choices(parts).default("auto"))
    .option("--json", "print JSON");
}

async function opened({ task: name, data, split }: Flags, io: Terminal) {
  const task = catalogueOf(io).tasks.get(name, "--task");
  return { task, source: await openSource(data === undefined ? undefined : resolve(io.cwd, data), task, { split }) };
}

/** What is in a part of the data. Files stand as paths from `cwd`. */
function partText(part: PartFacts, cwd: string): string {
  const { historyLengths: lengths, dates, undatedItems, items, withoutGold } = part;
  const gold = withoutGold > 0 ? ` (${withoutGold} without gold: never scored)` : "";
  return [
    `${part.part}: ${countOf(part.users, "user")}, ${countOf(part.questions, "question")}${gold}`,
    ...part.files.map(({ name, bytes, sha256 }) => `  file ${relative(cwd, name)}  ${bytes} bytes  sha256 ${sha256}`),
    ...(lengths ? [`  history length: min ${lengths.min}, median ${lengths.median}, max ${lengths.max}`] : []),
    dates === undefined ? "  dates: none" : `  dates: ${dates.first} to ${dates.last}`,
    ...(undatedItems > 0 && undatedItems < items ? [`  undated items: ${undatedItems} of ${items}`] : []),
    ...(part.golds.length > 0 ? [`  gold answers: ${shares(part.golds)}`] : []),
    ...(part.labels.length > 0 ? [`  labels of past items: ${shares(part.labels)}`] : []),
  ].join("\n");
}

function shares(counts: readonly (readonly [string, number])[]): string {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts.map(([label, count]) => `${label} ${count} (${((100 * count) / total).toFixed(1)} %)`).join(", ");
}

/** What an audit found, by grade, and the verdict; what could not be checked is part of it. */
function auditText({ questions, pairs, found, grades, sameDate, undatedQuestions, examples, verdict }: Audit): string {
  const part = (title: string, grade: Grade): string[] => {
    const lines = Object.entries(leakKinds).flatMap(([kind, { grade: ofKind, what }]) => {
      const count = found[kind as LeakKind]; // its keys are those of the table
      return ofKind === grade && count > 0 ? [`  ${what}: ${count}`] : [];
    });
    return [`${title}${lines.length === 0 ? ": none" : ":"}`, ...lines];
  };
  const all = grades.shown + grades.hidden + grades.suspicion;
  const some = all > examples.length ? `, ${examples.length} of ${all} (--json names every one)` : "";
  const words = {
    leaks: `LEAKS FOUND: ${grades.shown} that a run would show`,
    suspicions: "SUSPICIONS",
    clean: "clean",
  };
  const undated = nounOf(
    undatedQuestions,
    "the date of 1 question is",
    `the dates of ${undatedQuestions} questions are`,
  );
  const remarks = [
    ...(grades.hidden > 0 ? [`a run hides ${countOf(grades.hidden, "leak")}`] : []),
    ...(grades.suspicion > 0 ? [`${grades.suspicion} to look at`] : []),
    ...(undatedQuestions > 0 ? [`${undated} unchecked`] : []),
  ];
  return [
    `${countOf(questions, "question")}, ${countOf(pairs, "pair")} of question and past item`,
    ...part("leaks that a run would show", "shown"),
    ...part("leaks that a run hides (history.visible=strict, and the pool of other users)", "hidden"),
    ...part("suspicions", "suspicion"),
    `past items of the question's own date (allowed): ${sameDate}`,
    ...(undatedQuestions > 0
      ? [
          `${undatedQuestions} of ${countOf(questions, "question")} cannot be checked by date (no date on the question or on an item)`,
        ]
      : []),
    ...(examples.length === 0 ? [] : [`examples${some}:`, ...examples.map((example) => `  ${example}`)]),
    [words[verdict], ...remarks].join("; "),
  ].join("\n");
}
