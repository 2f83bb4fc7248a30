import { relative, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { type Audit, audit, isClean } from "../data/audit.js";
import { readCut } from "../data/cut.js";
import { type Download, type DownloadedFile, download } from "../data/download.js";
import { LAMP_LICENCE, LAMP_SITE, type Part, type PeopleSplit } from "../data/download-site.js";
import { inspect, type PartFacts } from "../data/inspect.js";
import { openSource } from "../data/open-source.js";
import { type PrepareSettings, prepare } from "../data/prepare.js";
import type { Split } from "../data/source.js";
import { UsageError } from "../errors.js";
import { tasks } from "../tasks/index.js";
import type { Task } from "../types.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval data`: everything that touches data files before a run. */
export function dataCommand(io: Terminal): Command {
  return new Command("data")
    .addCommand(downloadCommand(io))
    .addCommand(prepareCommand(io))
    .addCommand(inspectCommand(io))
    .addCommand(auditCommand(io));
}

// --- internal ---

interface DownloadFlags {
  readonly split: PeopleSplit;
  readonly part: Part | "all";
  readonly out?: string;
  readonly baseUrl: string;
  readonly json?: boolean;
}

function downloadCommand(io: Terminal): Command {
  const command = new Command("download");
  return command
    .description("fetch the official files of a task, resuming what was broken off and checking what is there")
    .argument("<task>", "e.g. lamp3")
    .addOption(
      new Option("--split <people>", "time: the same users, later; user: other users")
        .choices(["time", "user"])
        .default("time"),
    )
    .addOption(new Option("--part <part>", "which part").choices(["train", "dev", "test", "all"]).default("dev"))
    .option("--out <dir>", "folder (default: datasets/<task>-<split>)")
    .option("--base-url <url>", "another place with the same folders", LAMP_SITE)
    .option("--json", "print JSON")
    .addHelpText("after", `\n${LAMP_LICENCE}`)
    .action(async (name: string, flags: DownloadFlags) => {
      const finished = await runDownload(tasks.get(name, "download"), flags, io);
      if (!finished) setExitCode(command, exitCodes.interrupted);
    });
}

/** False when Ctrl-C broke it off. */
async function runDownload(task: Task, flags: DownloadFlags, io: Terminal): Promise<boolean> {
  const folder = resolve(io.cwd, flags.out ?? `datasets/${task.name}-${flags.split}`);
  if (!URL.canParse(flags.baseUrl))
    throw new UsageError(`--base-url ${flags.baseUrl}: expected a URL, as ${LAMP_SITE}`);
  io.err(LAMP_LICENCE);
  const interrupted = new AbortController();
  const release = io.onInterrupt(() => interrupted.abort());
  try {
    const files = await download({
      task,
      split: flags.split,
      parts: flags.part === "all" ? ["train", "dev", "test"] : [flags.part],
      folder,
      site: flags.baseUrl,
      clock: io.clock,
      signal: interrupted.signal,
      onProgress: progressLines(io),
    });
    printFiles(files, task, relative(io.cwd, folder) || ".", flags.json === true, io);
    return true;
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    io.err("interrupted; the same command goes on where it stopped");
    return false;
  } finally {
    release();
  }
}

function printFiles(files: readonly Download[], task: Task, folder: string, asJson: boolean, io: Terminal): void {
  if (asJson) {
    io.out(JSON.stringify(files.map(({ state, file }) => ({ state, ...file }))));
    return;
  }
  for (const { state, file } of files) io.out(`${state.padEnd(8)} ${fileLine(file)}`);
  io.out(`in ${folder}; next: lamp-eval data inspect --task ${task.name} --data ${folder}`);
}

const MEGABYTE = 1_000_000;

/** A line whenever ten percent, or 100 MB where the size is not known, have come. */
function progressLines(io: Terminal): (file: string, bytes: number, total: number | undefined) => void {
  let shown = "";
  return (file, bytes, total) => {
    const step = Math.floor(total === undefined ? bytes / (100 * MEGABYTE) : (10 * bytes) / total);
    const key = `${file} ${step}`;
    if (key === shown) return;
    shown = key;
    const of = total === undefined ? "" : ` of ${(total / MEGABYTE).toFixed(1)}`;
    io.err(`${file}: ${(bytes / MEGABYTE).toFixed(1)}${of} MB`);
  };
}

const fileLine = ({ name, records, bytes, sha256 }: DownloadedFile): string =>
  `${name}  ${records} records  ${(bytes / MEGABYTE).toFixed(1)} MB  sha256 ${sha256}`;

interface PrepareFlags {
  readonly task: string;
  readonly from: string;
  readonly out: string;
  readonly users: number;
  readonly others: number;
  readonly cut: string;
  readonly lamp1Labels: PrepareSettings["lamp1Labels"];
  readonly json?: boolean;
}

function prepareCommand(io: Terminal): Command {
  return new Command("prepare")
    .description("make per-user files out of official ones: the users with the longest histories, and a pool of others")
    .requiredOption("--task <name>", "task of the files")
    .requiredOption("--from <dir>", "folder with {train|dev}_questions.json and _outputs.json")
    .requiredOption("--out <dir>", "folder for users.json, users_label.json, user_others.json, manifest.json")
    .option("--users <n>", "test users: the longest histories, ties by user id", positive, 100)
    .option("--others <n>", "most training users written; 0 = all", wholeNumber, 0)
    .option(
      "--cut <where>",
      "questions: ask all official questions, past = what all of them may see; dev: ask dev questions only; share:0.4: ask the last 40 % of the items",
      "questions",
    )
    .addOption(
      new Option("--lamp1-labels <source>", "labels of past papers (LaMP-1); further sources can be chosen per run")
        .choices(["auto", "user-train-questions", "none"])
        .default("auto"),
    )
    .option("--json", "print the manifest as JSON")
    .action(async (flags: PrepareFlags) => {
      const manifest = await prepare({
        task: tasks.get(flags.task, "--task"),
        from: resolve(io.cwd, flags.from),
        out: resolve(io.cwd, flags.out),
        users: flags.users,
        others: flags.others,
        cut: readCut(flags.cut),
        lamp1Labels: flags.lamp1Labels,
      });
      if (manifest["training users"] === 0)
        io.err(
          `the pool of other users is empty: all ${String(manifest["users in the files"])} users are test users; for icl and graph-rag give a smaller --users, or run with --set others=leave-one-out`,
        );
      if (flags.json === true) return io.out(JSON.stringify(manifest));
      const facts = Object.entries(manifest).filter(([, value]) => typeof value !== "object");
      io.out(facts.map(([name, value]) => `${name}: ${String(value)}`).join("\n"));
    });
}

interface LookFlags {
  readonly task: string;
  readonly data?: string;
  readonly split: Split;
  readonly json?: boolean;
}

function lookCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption("--task <name>", "task of the files")
    .option("--data <dir>", "folder or file (default: the built-in demo data)")
    .addOption(
      new Option("--split <part>", "which official file is the test")
        .choices(["auto", "train", "dev", "test"])
        .default("auto"),
    )
    .option("--json", "print JSON");
}

const open = (flags: LookFlags, task: Task, io: Terminal) =>
  openSource(flags.data === undefined ? undefined : resolve(io.cwd, flags.data), task, flags.split);

function inspectCommand(io: Terminal): Command {
  return lookCommand("inspect", "counts, history lengths, date ranges and label distribution").action(
    async (flags: LookFlags) => {
      const task = tasks.get(flags.task, "--task");
      const parts = await inspect(await open(flags, task, io), task);
      io.out(flags.json === true ? JSON.stringify(parts) : parts.map((part) => partText(part, io)).join("\n\n"));
    },
  );
}

function partText(part: PartFacts, io: Terminal): string {
  const { historyLengths: lengths, dates } = part;
  const lines = [
    `${part.part}: ${part.users} users, ${part.questions} questions${part.withoutGold > 0 ? ` (${part.withoutGold} without gold: never scored)` : ""}`,
    ...part.files.map(
      ({ name, bytes, sha256 }) => `  file ${relative(io.cwd, name)}  ${bytes} bytes  sha256 ${sha256}`,
    ),
    lengths && `  history length: min ${lengths.min}, median ${lengths.median}, max ${lengths.max}`,
    dates === undefined ? "  dates: none" : `  dates: ${dates.first} to ${dates.last}`,
    part.undatedItems > 0 && part.undatedItems < part.items && `  undated items: ${part.undatedItems} of ${part.items}`,
    part.golds.length > 0 && `  gold answers: ${shares(part.golds)}`,
    part.labels.length > 0 && `  labels of past items: ${shares(part.labels)}`,
  ];
  return lines.filter((line) => typeof line === "string").join("\n");
}

function shares(counts: readonly (readonly [string, number])[]): string {
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return counts.map(([label, count]) => `${label} ${count} (${((100 * count) / total).toFixed(1)} %)`).join(", ");
}

function auditCommand(io: Terminal): Command {
  const command = lookCommand(
    "audit",
    "look for leaks of test answers into what methods may see; exit 1 when there are any",
  );
  return command.action(async (flags: LookFlags) => {
    const task = tasks.get(flags.task, "--task");
    const result = await audit(await open(flags, task, io), task);
    if (result.questions === 0)
      throw new UsageError(`${flags.data ?? "demo data"}: there is no question to audit; check --data and --split`);
    io.out(flags.json === true ? JSON.stringify(result) : auditText(result));
    if (!isClean(result)) setExitCode(command, exitCodes.failures);
  });
}

function auditText(result: Audit): string {
  const { leaks } = result;
  const undated = `${result.undatedQuestions} of ${result.questions} questions cannot be checked by date (no date on the question or on an item)`;
  return [
    `${result.questions} questions, ${result.pairs} pairs of question and past item`,
    `past items dated after the question: ${leaks.later}`,
    `past items that are the question itself: ${leaks.own}`,
    `past items with the question's text: ${leaks.sameText}`,
    `test users among the training users: ${leaks.testUsersInTraining}`,
    `training items with the text of a test question: ${leaks.questionTextInTraining}`,
    `past items of the question's own date (allowed): ${result.sameDate}`,
    ...(result.undatedQuestions > 0 ? [undated] : []),
    `history.visible=strict hides ${result.hiddenByStrict} pairs`,
    ...result.examples.map((example) => `  ${example}`),
    verdict(result),
  ].join("\n");
}

/** What could not be checked is part of the verdict. */
function verdict(result: Audit): string {
  if (!isClean(result)) return "LEAKS FOUND";
  return result.undatedQuestions === 0
    ? "clean"
    : `clean, but the dates of ${result.undatedQuestions} questions are unchecked`;
}

function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError(`"${text}" is no whole number.`);
  return Number(text);
}

function positive(text: string): number {
  const n = wholeNumber(text);
  if (n === 0) throw new InvalidArgumentError("expected 1 or more.");
  return n;
}
