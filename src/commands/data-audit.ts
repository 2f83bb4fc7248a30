import { resolve } from "node:path";
import { Command, Option } from "commander";
import { type Audit, audit, type Grade, type LeakKind, leakKinds } from "../data/audit.js";
import { openSource } from "../data/formats/index.js";
import type { Split } from "../data/source.js";
import { UsageError } from "../errors.js";
import { catalogueOf } from "../plan/catalogue.js";
import { countOf } from "../text/count.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { printJson } from "./json.js";
import type { Terminal } from "./terminal.js";

interface AuditFlags {
  readonly task: string;
  readonly data?: string;
  readonly split: Split;
  readonly json?: boolean;
}

/** `lamp-eval data audit`: looks for test answers in what methods may see. */
export function auditCommand(io: Terminal): Command {
  const command = new Command("audit")
    .description(
      "look for test answers that methods could see; exit 1 on leaks that a run would show, 16 on suspicions only",
    )
    .requiredOption("--task <name>", "task of the files")
    .option("--data <dir>", "folder or file (default: the built-in demo data)")
    .addOption(
      new Option("--split <part>", "which official file is the test")
        .choices(["auto", "train", "dev", "test"])
        .default("auto"),
    )
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample: lamp-eval data audit --task lamp3 --data datasets/lamp3-time");
  return command.action(async ({ task: name, data, split, json = false }: AuditFlags) => {
    const task = catalogueOf(io).tasks.get(name, "--task");
    const source = await openSource(data === undefined ? undefined : resolve(io.cwd, data), task, { split });
    const result = await audit(source, task, json ? Number.POSITIVE_INFINITY : undefined);
    if (result.questions === 0)
      throw new UsageError(`${data ?? "demo data"}: there is no question to audit; check --data and --split`);
    const exitCode = result.verdict === "clean" ? exitCodes.done : exitCodes.audit[result.verdict];
    if (json) printJson(io, "data audit", result, exitCode);
    else io.out(auditText(result));
    setExitCode(command, exitCode);
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
    clean: "no leak that a run would show",
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
