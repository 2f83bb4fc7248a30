import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { download, LAMP_LICENCE, LAMP_SITE, type PeopleSplit, suites } from "../data/download.js";
import { type Prepared, type PrepareSettings, prepare } from "../data/prepare.js";
import { readLabels } from "../data/profile-questions/labels.js";
import { readPaperData, writePaperData } from "../data/profile-questions/paper-data.js";
import { UsageError } from "../errors.js";
import { shownAddress } from "../net/secrets.js";
import { catalogueOf } from "../plan/catalogue.js";
import { profileQuestions } from "../tasks/profile-questions.js";
import { countOf } from "../text/count.js";
import { shellWord } from "../text/words.js";
import type { Task } from "../types/index.js";
import { auditCommand } from "./data-audit.js";
import { wrapText } from "./fit-text.js";
import { gather, integer, names, positive } from "./flags.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval data`: everything that touches data files before a run. */
export const dataCommand = (io: Terminal): Command =>
  new Command("data").addCommand(downloadCommand(io)).addCommand(prepareCommand(io)).addCommand(auditCommand(io));

const choice = (flag: string, help: string, of: readonly string[]): Option => new Option(flag, help).choices(of);

interface DownloadFlags {
  readonly suite?: keyof typeof suites;
  readonly split: PeopleSplit;
  readonly part: "train" | "dev" | "test" | "all";
  readonly out?: string;
  readonly baseUrl: string;
}

function downloadCommand(io: Terminal): Command {
  const command = new Command("download")
    .description("fetch the official files of a task; resumes a download and checks what is there")
    .argument("[task]", "e.g. lamp3")
    .addOption(choice("--suite <name>", "all that a paper's tables need, a folder a task", Object.keys(suites)))
    .addOption(
      choice("--split <kind>", "LaMP's split: time (same users) or user (others)", ["time", "user"]).default("time"),
    )
    .addOption(choice("--part <part>", "which part of the files", ["train", "dev", "test", "all"]).default("dev"))
    .option("--out <dir>", "folder (default: datasets/<task>-<split>, or datasets/<suite>)")
    .option("--base-url <url>", "address of a mirror", LAMP_SITE)
    .addHelpText(
      "after",
      `\n${wrapText(LAMP_LICENCE, 80).join("\n")}\n\nExample: lamp-eval data download lamp3 --split time`,
    );
  return command.action(async (task: string | undefined, flags: DownloadFlags) => {
    const wanted = wantedFiles(task, flags, io);
    checkSiteUrl(flags.baseUrl);
    io.tell(LAMP_LICENCE);
    for (const { task, folder, split, parts } of wanted) {
      const settings = { site: flags.baseUrl, clock: io.clock, tell: io.tell, onProgress: progressLines(io.tell) };
      for (const { state, file } of await download({ task, folder, split, parts, ...settings })) {
        const { name, records, bytes, sha256 } = file;
        io.out(`${state.padEnd(8)} ${name}  ${countOf(records, "record")}  ${inMegabytes(bytes)} MB  sha256 ${sha256}`);
      }
      const shown = relative(io.cwd, folder) || ".";
      io.out(`in ${shown}; next: lamp-eval data audit --task ${task.name} --data ${shellWord(shown)}`);
    }
  });
}

/** Returns what is to be fetched where. Throws UsageError where neither or both of a task and a suite are named. */
function wantedFiles(named: string | undefined, { suite, split, part, out }: DownloadFlags, io: Terminal) {
  const { tasks } = catalogueOf(io);
  if (suite !== undefined && named === undefined) {
    const { tasks: of, ...files } = suites[suite];
    const root = resolve(io.cwd, out ?? `datasets/${suite}`);
    return of.map((name) => ({ task: tasks.get(name), folder: join(root, name), ...files }));
  }
  if (suite !== undefined || named === undefined)
    throw new UsageError("name a task (lamp-eval data download lamp3), or a suite (--suite personaagent)");
  const task = tasks.get(named, "download");
  const parts = part === "all" ? (["train", "dev", "test"] as const) : [part];
  return [{ task, folder: resolve(io.cwd, out ?? `datasets/${task.name}-${split}`), split, parts }];
}

/** Throws UsageError for what is no web address, and for a login, which no download takes. */
function checkSiteUrl(address: string): void {
  const { protocol, username, password } = URL.canParse(address) ? new URL(address) : { protocol: "" };
  if (/^https?:$/.test(protocol) && !username && !password) return;
  throw new UsageError(`--base-url ${shownAddress(address)}: expected a URL without a login, as ${LAMP_SITE}`);
}

const MEGABYTE = 1_000_000;
const inMegabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);

/** Returns a listener that tells of every ten percent of a file, or every 100 MB where its size is not known. */
function progressLines(tell: (line: string) => void) {
  let last = "";
  return (file: string, bytes: number, total: number | undefined): void => {
    const step = `${file} ${Math.floor(total === undefined ? bytes / (100 * MEGABYTE) : (10 * bytes) / total)}`;
    if (step !== last)
      tell(`${file}: ${inMegabytes(bytes)}${total === undefined ? "" : ` of ${inMegabytes(total)}`} MB`);
    last = step;
  };
}

interface PrepareFlags {
  readonly task: readonly string[];
  readonly from: readonly string[];
  readonly out: string;
  readonly users: number;
  readonly others: number;
  readonly cut: PrepareSettings["cut"];
  readonly profiles?: string;
  readonly labels?: string;
  readonly limit: number;
}

function prepareCommand(io: Terminal): Command {
  const command = new Command("prepare")
    .description("make per-user files from official ones: the users with the longest histories, and a pool of others")
    .requiredOption("--task <names>", "task of the files; of several tasks --from and --out hold a folder each", names)
    .requiredOption("--from <path>", "folder of the official files; of profile-questions a file (repeatable)", gather)
    .requiredOption("--out <dir>", "folder for users.json and what belongs to it")
    .option("--profiles <file>", "of profile-questions: the profiles")
    .option("--labels <file>", "of profile-questions: what people said; it tags questions whose data set says nothing")
    .option("--limit <n>", "of profile-questions: most questions drawn of each file; 0 = all", integer, 0)
    .option("--users <n>", "test users: the longest histories, ties by user id", positive, 100)
    .option("--others <n>", "training users in the pool; 0 = all", integer, 0)
    .addOption(
      choice("--cut <where>", "what is asked: all official questions, or those of dev", ["questions", "dev"]).default(
        "questions",
      ),
    )
    .addHelpText("after", "\nExample: lamp-eval data prepare --task lamp3 --from lamp3-time --out t2/lamp3");
  return command.action(async (flags: PrepareFlags) => {
    const tasks = flags.task.map((name) => catalogueOf(io).tasks.get(name, "--task"));
    for (const task of tasks) {
      const made = await prepared(task, tasks.length > 1 ? task.name : "", flags, io);
      const plain = Object.entries(made).filter(([, value]) => typeof value !== "object");
      io.out(plain.map(([name, value]) => `${name}: ${value}`).join("\n"));
    }
  });
}

/** Makes per-user files out of official ones, in `folder` of --out. Returns the manifest that stands beside them. */
async function prepared(
  task: Task,
  folder: string,
  { from: [from = "", ...more], out, users, others, cut, profiles, labels, limit }: PrepareFlags,
  io: Terminal,
): Promise<Prepared> {
  const at = (path: string): string => resolve(io.cwd, path);
  if (task.format !== undefined || task.table !== undefined)
    throw new UsageError(`--task ${task.name}: its files are read as they are; give run their folder with --data`);
  if (task === profileQuestions) {
    if (profiles === undefined) throw new UsageError(`--task ${task.name}: name its profiles with --profiles FILE`);
    const data = await readPaperData({ queries: [from, ...more].map(at), profiles: at(profiles), limit });
    for (const { file, form, records, excluded, queries } of data.files)
      io.tell(
        `${file}: ${form}, ${countOf(records, "record")}, ${excluded} left out, ${countOf(queries.length, "question")} taken`,
      );
    const said = labels === undefined ? {} : readLabels(labels, io.cwd);
    return writePaperData(data, { out: join(at(out), folder), official: task.official, said });
  }
  if (more.length > 0) throw new UsageError(`--from: ${task.name} is made of one folder`);
  const folders = { from: join(at(from), folder), out: join(at(out), folder) };
  const made = await prepare({ task, users, others, ...folders, cut });
  if (Number(made.users) < users)
    io.tell(`${made.users} of ${users} users are written: no more have both a history and a question (--cut ${cut})`);
  if (made["training users"] === 0)
    io.tell(
      "the pool of other users is empty; for icl and graph-rag give a smaller --users, or run with --set others=leave-one-out",
    );
  return made;
}
