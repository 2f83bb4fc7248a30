import { relative } from "node:path";
import { Command, Option } from "commander";
import {
  type DownloadSettings,
  downloadData,
  LAMP_LICENCE,
  LAMP_SITE,
  type PrepareDataSettings,
  prepareData,
} from "../app/data/data.js";
import { exampleKinds, writeOwnExample } from "../app/data/example.js";
import { fileText } from "../app/data/texts.js";
import { auditCommand, inspectCommand } from "./data-look.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { positive, wholeNumber } from "./flags.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval data`: everything that touches data files before a run. */
export function dataCommand(io: Terminal): Command {
  return new Command("data")
    .addCommand(downloadCommand(io))
    .addCommand(prepareCommand(io))
    .addCommand(inspectCommand(io))
    .addCommand(auditCommand(io))
    .addCommand(exampleCommand(io));
}

function exampleCommand(io: Terminal): Command {
  return new Command("example")
    .description("write own.yaml and rows.jsonl with three questions: the start of a task of your own")
    .argument("[folder]", "where to", ".")
    .addOption(new Option("--kind <kind>", "what is answered").choices(exampleKinds).default("label"))
    .action((folder: string, { kind }: { readonly kind: (typeof exampleKinds)[number] }) => {
      const [task, rows] = writeOwnExample(folder, kind, io).map((path) => relative(io.cwd, path));
      io.out(`wrote ${task} and ${rows}; next: lamp-eval run --task ${task} --data ${rows} --method prompt,rag`);
    });
}

type WithJson<T> = T & { readonly json?: boolean };

function downloadCommand(io: Terminal): Command {
  const command = new Command("download");
  return command
    .description("fetch the official files of a task; resumes a download and checks what is there")
    .argument("<task>", "e.g. lamp3")
    .addOption(
      new Option("--split <people>", "time: the same users, later; user: other users")
        .choices(["time", "user"])
        .default("time"),
    )
    .addOption(
      new Option("--part <part>", "which part of the files").choices(["train", "dev", "test", "all"]).default("dev"),
    )
    .option("--out <dir>", "folder (default: datasets/<task>-<split>)")
    .option("--base-url <url>", "address of a mirror", LAMP_SITE)
    .option("--json", "print JSON")
    .addHelpText("after", `\n${LAMP_LICENCE}`)
    .action(async (task: string, { json, ...flags }: WithJson<Omit<DownloadSettings, "task" | "signal">>) => {
      const interrupt = new AbortController();
      const release = io.onInterrupt(() => interrupt.abort());
      const found = await downloadData({ ...flags, task, signal: interrupt.signal }, io).finally(release);
      if (found.ended === "interrupted") return setExitCode(command, exitCodes.interrupted);
      if (json === true) return io.out(JSON.stringify(found.files.map(({ state, file }) => ({ state, ...file }))));
      for (const file of found.files) io.out(fileText(file));
      const folder = relative(io.cwd, found.folder) || ".";
      io.out(`in ${folder}; next: lamp-eval data inspect --task ${found.task} --data ${folder}`);
    });
}

function prepareCommand(io: Terminal): Command {
  const command = new Command("prepare");
  return command
    .description("make per-user files from official ones: test users with the longest histories, and a pool of others")
    .requiredOption("--task <name>", "task of the files")
    .requiredOption(
      "--from <path>",
      "folder with {train|dev}_questions.json and _outputs.json; of profile-questions files of PersonaFeedback, FreebaseQA or WildChat (repeatable)",
      (path: string, before: readonly string[] = []) => [...before, path],
    )
    .requiredOption("--out <dir>", "folder for users.json, users_label.json and what else belongs to them")
    .option("--profiles <file>", "of profile-questions: profiles, with attributes as fields, in sections, or as lines")
    .option("--limit <n>", "of profile-questions: most questions drawn of each file; 0 = all", wholeNumber, 0)
    .option("--users <n>", "test users: the longest histories, ties by user id", positive, 100)
    .option("--others <n>", "training users in the pool; 0 = all", wholeNumber, 0)
    .option(
      "--cut <where>",
      "questions: ask all official questions, past = what all of them may see; dev: ask dev questions only; share:0.4: ask the last 40 % of the items",
      "questions",
    )
    .option("--json", "print the manifest as JSON")
    .action(async ({ json, ...flags }: WithJson<Omit<PrepareDataSettings, "signal">>) => {
      const interrupt = new AbortController();
      const release = io.onInterrupt(() => interrupt.abort());
      const manifest = await prepareData({ ...flags, signal: interrupt.signal }, io).finally(release);
      if (manifest === undefined) return setExitCode(command, exitCodes.interrupted);
      if (json === true) return io.out(JSON.stringify(manifest));
      const facts = Object.entries(manifest).filter(([, value]) => typeof value !== "object");
      io.out(facts.map(([name, value]) => `${name}: ${String(value)}`).join("\n"));
    });
}
