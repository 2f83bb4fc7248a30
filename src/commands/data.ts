import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, Option } from "commander";
import { readCut } from "../data/cut.js";
import {
  type Download,
  type DownloadSettings,
  download,
  LAMP_LICENCE,
  LAMP_SITE,
  type PeopleSplit,
  suites,
} from "../data/download.js";
import { type Prepared, type PrepareSettings, prepare } from "../data/prepare.js";
import { readPaperData, writePaperData } from "../data/profile-questions/paper-data.js";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { shownAddress } from "../net/secrets.js";
import { catalogueOf } from "../run/catalogue.js";
import { profileQuestions } from "../tasks/profile-questions.js";
import { countOf, nounOf } from "../text/count.js";
import type { Task } from "../types/index.js";
import { auditCommand, inspectCommand } from "./data-look.js";
import { exitCodes, setExitCode } from "./exit-code.js";
import { gather, names, positive, wholeNumber } from "./flags.js";
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

/** Examples of own tasks by kind, each to be changed into the real one. */
const EXAMPLES = fileURLToPath(new URL("../../datasets/own", import.meta.url));

function exampleCommand(io: Terminal): Command {
  return new Command("example")
    .description("write own.yaml and rows.jsonl with three questions: the start of a task of your own")
    .argument("[folder]", "where to", ".")
    .addOption(new Option("--kind <kind>", "what is answered").choices(readdirSync(EXAMPLES)).default("label"))
    .action((folder: string, { kind }: { readonly kind: string }) => {
      const [task = "", rows = ""] = ["own.yaml", "rows.jsonl"].map((name) => {
        const path = resolve(io.cwd, folder, name);
        if (existsSync(path)) throw new UsageError(`${path}: is there already; name another folder`);
        return join(folder, name);
      });
      for (const path of [task, rows])
        writeWhole(resolve(io.cwd, path), readFileSync(join(EXAMPLES, kind, basename(path))));
      io.out(`wrote ${task} and ${rows}; next: lamp-eval run --task ${task} --data ${rows} --method prompt,rag`);
    });
}

interface DownloadFlags {
  readonly suite?: keyof typeof suites;
  /** `time`: the same users, later; `user`: other users. */
  readonly split: PeopleSplit;
  readonly part: "train" | "dev" | "test" | "all";
  readonly out?: string;
  readonly baseUrl: string;
  readonly json?: boolean;
}

function downloadCommand(io: Terminal): Command {
  const command = new Command("download");
  const choice = (flag: string, help: string, of: readonly string[]) => new Option(flag, help).choices(of);
  return command
    .description("fetch the official files of a task; resumes a download and checks what is there")
    .argument("[task]", "e.g. lamp3")
    .addOption(
      choice("--suite <name>", "all that a paper's tables need, a folder a task (--data FOLDER)", Object.keys(suites)),
    )
    .addOption(
      choice("--split <people>", "time: the same users, later; user: other users", ["time", "user"]).default("time"),
    )
    .addOption(choice("--part <part>", "which part of the files", ["train", "dev", "test", "all"]).default("dev"))
    .option("--out <dir>", "folder (default: datasets/<task>-<split>, or datasets/<suite>)")
    .option("--base-url <url>", "address of a mirror", LAMP_SITE)
    .option("--json", "print JSON")
    .addHelpText("after", `\n${LAMP_LICENCE}`)
    .action(async (task: string | undefined, flags: DownloadFlags) => {
      const wanted = wantedFiles(task, flags, io);
      refuseOtherSites(flags.baseUrl);
      io.tell(LAMP_LICENCE);
      const done = await interruptible(
        command,
        io,
        "interrupted; the same command goes on where it stopped",
        async (signal) => {
          const files: Download[] = [];
          for (const one of wanted) {
            const settings = { ...one, site: flags.baseUrl, clock: io.clock, signal, tell: io.tell };
            files.push(...(await download({ ...settings, onProgress: progressLines(io.tell) })));
          }
          return files;
        },
      );
      if (done === undefined) return;
      if (flags.json === true) return io.out(JSON.stringify(done.map(({ state, file }) => ({ state, ...file }))));
      for (const file of done) io.out(fileLine(file));
      for (const {
        task: { name },
        folder,
      } of wanted) {
        const shown = relative(io.cwd, folder) || ".";
        io.out(`in ${shown}; next: lamp-eval data inspect --task ${name} --data ${shown}`);
      }
    });
}

type Wanted = Pick<DownloadSettings, "task" | "folder" | "split" | "parts">;

/** What is to be fetched where. Throws UsageError where neither or both of a task and a suite are named. */
function wantedFiles(named: string | undefined, { suite, split, part, out }: DownloadFlags, io: Terminal): Wanted[] {
  const { tasks } = catalogueOf(io);
  if ((named === undefined) === (suite === undefined))
    throw new UsageError("name a task (lamp-eval data download lamp3), or a suite (--suite personaagent)");
  if (suite !== undefined) {
    const { tasks: of, ...files } = suites[suite];
    const root = resolve(io.cwd, out ?? `datasets/${suite}`);
    return of.map((name) => ({ task: tasks.get(name), folder: join(root, name), ...files }));
  }
  const task = tasks.get(named!, "download"); // one of the two is named
  const parts = part === "all" ? (["train", "dev", "test"] as const) : [part];
  return [{ task, folder: resolve(io.cwd, out ?? `datasets/${task.name}-${split}`), split, parts }];
}

/** Throws UsageError for what is no web address, and for a login, which no download takes. */
function refuseOtherSites(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`--base-url ${shownAddress(address)}: expected a URL, as ${LAMP_SITE}`);
  if (url.username !== "" || url.password !== "")
    throw new UsageError(`--base-url ${shownAddress(address)}: downloads take no login in the address; leave it out`);
}

/** Does work that Ctrl-C ends; undefined, with the exit code set, where it did. */
async function interruptible<T>(
  command: Command,
  io: Terminal,
  ended: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const interrupt = new AbortController();
  const release = io.onInterrupt(() => interrupt.abort());
  try {
    return await work(interrupt.signal);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    io.tell(ended);
    setExitCode(command, exitCodes.interrupted);
    return undefined;
  } finally {
    release();
  }
}

const MEGABYTE = 1_000_000;

/** A fetched file, and whether it was there already. */
const fileLine = ({ state, file: { name, records, bytes, sha256 } }: Download): string =>
  `${state.padEnd(8)} ${name}  ${countOf(records, "record")}  ${(bytes / MEGABYTE).toFixed(1)} MB  sha256 ${sha256}`;

/** Tells how far a download is: a line whenever ten percent have come, or 100 MB where the size is not known. */
function progressLines(tell: (line: string) => void): DownloadSettings["onProgress"] {
  let last = "";
  return (file, bytes, total) => {
    const step = `${file} ${Math.floor(total === undefined ? bytes / (100 * MEGABYTE) : (10 * bytes) / total)}`;
    if (step === last) return;
    last = step;
    const of = total === undefined ? "" : ` of ${(total / MEGABYTE).toFixed(1)}`;
    tell(`${file}: ${(bytes / MEGABYTE).toFixed(1)}${of} MB`);
  };
}

interface PrepareFlags extends Pick<PrepareSettings, "out" | "users" | "others"> {
  readonly task: readonly string[];
  readonly from: readonly string[];
  /** `questions`, `dev` or `share:0.4`. */
  readonly cut: string;
  readonly profiles?: string;
  readonly limit: number;
  readonly json?: boolean;
}

function prepareCommand(io: Terminal): Command {
  const command = new Command("prepare");
  return command
    .description("make per-user files from official ones: test users with the longest histories, and a pool of others")
    .requiredOption("--task <names>", "task of the files; of several tasks --from and --out hold a folder each", names)
    .requiredOption(
      "--from <path>",
      "folder with {train|dev}_questions.json and _outputs.json; of profile-questions files of PersonaFeedback, FreebaseQA or WildChat (repeatable)",
      gather,
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
    .action(async (flags: PrepareFlags) => {
      const tasks = flags.task.map((name) => catalogueOf(io).tasks.get(name, "--task"));
      const made = await interruptible(command, io, "interrupted: nothing was written", async (signal) => {
        const manifests: Prepared[] = [];
        for (const task of tasks) manifests.push(await prepared(task, tasks.length > 1, flags, signal, io));
        return manifests;
      });
      if (made === undefined) return;
      if (flags.json === true) return io.out(JSON.stringify(made.length === 1 ? made[0] : made));
      const shown = (manifest: Prepared) => Object.entries(manifest).filter(([, value]) => typeof value !== "object");
      io.out(
        made
          .map((one) =>
            shown(one)
              .map(([name, value]) => `${name}: ${value}`)
              .join("\n"),
          )
          .join("\n\n"),
      );
    });
}

/** Makes per-user files out of official ones. Returns the manifest that stands beside them. */
async function prepared(
  task: Task,
  several: boolean,
  flags: PrepareFlags,
  signal: AbortSignal,
  io: Terminal,
): Promise<Prepared> {
  if (task.format !== undefined || task.table !== undefined)
    throw new UsageError(`--task ${task.name}: its files are read as they are; give run their folder with --data`);
  const within = (path: string): string => resolve(io.cwd, path, several ? task.name : "");
  if (task === profileQuestions) return preparedQuestions(flags, within(flags.out), io);
  const [from = "", ...more] = flags.from;
  if (more.length > 0)
    throw new UsageError(`--from ${flags.from.join(" --from ")}: ${task.name} is made of one folder`);
  if (flags.profiles !== undefined)
    throw new UsageError(`--profiles ${flags.profiles}: works with --task ${profileQuestions.name}`);
  const { users, others, cut } = flags;
  const manifest = await prepare({
    task,
    users,
    others,
    signal,
    from: within(from),
    out: within(flags.out),
    cut: readCut(cut),
  });
  const { users: written, "users in the files": all } = manifest;
  if (Number(written) < users)
    io.tell(
      `${written} of the ${users} users asked for ${nounOf(Number(written), "is", "are")} written: no more have both a question to ask (--cut ${cut}) and a past`,
    );
  if (manifest["training users"] === 0)
    io.tell(
      `the pool of other users is empty: ${all === 1 ? "the only user is a test user" : `all ${all} users are test users`}; for icl and graph-rag give a smaller --users, or run with --set others=leave-one-out`,
    );
  return manifest;
}

/** Makes data of profile-questions out of the files of RUMS. */
async function preparedQuestions(
  { from, profiles, limit }: PrepareFlags,
  out: string,
  io: Terminal,
): Promise<Prepared> {
  const { name, official } = profileQuestions;
  if (profiles === undefined) throw new UsageError(`--task ${name}: name its profiles with --profiles FILE`);
  const at = (path: string): string => resolve(io.cwd, path);
  const data = await readPaperData({ queries: from.map(at), profiles: at(profiles), limit });
  if (data.files.some(({ queries }) => queries.some(({ personal }) => personal === undefined)))
    io.tell("which questions of WildChat gain from a profile people must say: lamp-eval rums eval --labels FILE");
  for (const { file, form, records, left, queries } of data.files)
    io.tell(
      `${file}: ${form}, ${countOf(records, "record")}, ${left} left out, ${countOf(queries.length, "question")} taken`,
    );
  return writePaperData(data, { out, official });
}
