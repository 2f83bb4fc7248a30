import { relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { type Audit, audit, type Grade, type LeakKind, leakKinds } from "../data/audit.js";
import { openSource } from "../data/formats/index.js";
import { inspect, type PartFacts } from "../data/inspect.js";
import type { Split } from "../data/source.js";
import { UsageError } from "../errors.js";
import { catalogueOf } from "../run/catalogue.js";
import { countOf } from "../text/count.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

interface LookFlags {
  readonly task: string;
  readonly data?: string;
  readonly split: Split;
  readonly json?: boolean;
}

const lookCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .requiredOption("--task <name>", "task of the files")
    .option("--data <dir>", "folder or file (default: the built-in demo data)")
    .addOption(
      new Option("--split <part>", "which official file is the test")
        .choices(["auto", "train", "dev", "test"])
        .default("auto"),
    )
    .option("--json", "print JSON")
    .addHelpText("after", `\nExample: lamp-eval data ${name} --task lamp3 --data datasets/lamp3-time`);

async function opened({ task: name, data, split }: LookFlags, io: Terminal) {
  const task = catalogueOf(io).tasks.get(name, "--task");
  return { task, source: await openSource(data === undefined ? undefined : resolve(io.cwd, data), task, { split }) };
}

/** `lamp-eval data inspect`: counts, history lengths, dates and labels of each part. */
export const inspectCommand = (io: Terminal): Command =>
  lookCommand("inspect", "print counts, history lengths, date ranges and how often each label occurs").action(
    async (flags: LookFlags) => {
      const { source, task } = await opened(flags, io);
      const parts = await inspect(source, task);
      io.out(flags.json === true ? JSON.stringify(parts) : parts.map((part) => partText(part, io.cwd)).join("\n\n"));
    },
  );

function partText(part: PartFacts, cwd: string): string {
  const { historyLengths: lengths, dates, undatedItems, items, withoutGold, golds, labels } = part;
  const gold = withoutGold > 0 ? ` (${withoutGold} without gold: never scored)` : "";
  return [
    `${part.part}: ${countOf(part.users, "user")}, ${countOf(part.questions, "question")}${gold}`,
    ...part.files.map(({ name, bytes, sha256 }) => `  file ${relative(cwd, name)}  ${bytes} bytes  sha256 ${sha256}`),
    ...(lengths ? [`  history length: min ${lengths.min}, median ${lengths.median}, max ${lengths.max}`] : []),
    `  dates: ${dates === undefined ? "none" : `${dates.first} to ${dates.last}`}`,
    ...(undatedItems > 0 && undatedItems < items ? [`  undated items: ${undatedItems} of ${items}`] : []),
    ...(golds.length > 0 ? [`  gold answers: ${shares(golds)}`] : []),
    ...(labels.length > 0 ? [`  labels of history items: ${shares(labels)}`] : []),
  ].join("\n");
}

function shares(counts: readonly (readonly [string, number])[]): string {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts.map(([label, count]) => `${label} ${count} (${((100 * count) / total).toFixed(1)} %)`).join(", ");
}

/** `lamp-eval data audit`: looks for test answers in what methods may see. */
export function auditCommand(io: Terminal): Command {
  const command = lookCommand(
    "audit",
    "look for test answers that methods could see; exit 1 on leaks that a run would show, 16 on suspicions only",
  );
  return command.action(async (flags: LookFlags) => {
    const { source, task } = await opened(flags, io);
    const result = await audit(source, task, flags.json === true ? Number.POSITIVE_INFINITY : undefined);
    if (result.questions === 0)
      throw new UsageError(`${flags.data ?? "demo data"}: there is no question to audit; check --data and --split`);
    io.out(flags.json === true ? JSON.stringify(result) : auditText(result));
    if (result.verdict !== "clean") setExitCode(command, exitCodes.audit[result.verdict]);
  });
}

const grades: readonly (readonly [Grade, title: string])[] = [
  ["shown", "leaks that a run would show"],
  ["hidden", "leaks that a run hides (history.visible=strict, and the pool of other users)"],
  ["suspicion", "suspicions"],
];

/** Formats what an audit found by grade, what could not be checked, and the verdict. */
function auditText({
  questions,
  pairs,
  found,
  grades: counts,
  sameDate,
  undatedQuestions,
  examples,
  verdict,
}: Audit): string {
  const kinds = Object.entries(leakKinds) as [LeakKind, (typeof leakKinds)[LeakKind]][];
  const parts = grades.flatMap(([grade, title]) => {
    const lines = kinds.flatMap(([kind, { grade: of, what }]) =>
      of === grade && found[kind] > 0 ? [`  ${what}: ${found[kind]}`] : [],
    );
    return [`${title}:${lines.length === 0 ? " none" : ""}`, ...lines];
  });
  const all = counts.shown + counts.hidden + counts.suspicion;
  const some = all > examples.length ? `, ${examples.length} of ${all} (--json names every one)` : "";
  const verdicts = {
    leaks: `LEAKS FOUND: ${counts.shown} that a run would show`,
    suspicions: "SUSPICIONS",
    clean: "clean",
  };
  const remarks = [
    ...(counts.hidden > 0 ? [`a run hides ${countOf(counts.hidden, "leak")}`] : []),
    ...(counts.suspicion > 0 ? [`${counts.suspicion} to look at`] : []),
    ...(undatedQuestions > 0 ? [`${countOf(undatedQuestions, "question")} unchecked by date`] : []),
  ];
  return [
    `${countOf(questions, "question")}, ${countOf(pairs, "pair")} of question and history item`,
    ...parts,
    `history items of the question's own date (allowed): ${sameDate}`,
    ...(examples.length === 0 ? [] : [`examples${some}:`, ...examples.map((example) => `  ${example}`)]),
    [verdicts[verdict], ...remarks].join("; "),
  ].join("\n");
}
