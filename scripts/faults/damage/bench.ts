import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startProviderServer } from "../../../test/helpers/provider-server.js";
import { chatReply } from "../../../test/helpers/rated-server.js";
import { reviewUser, writeReviews } from "../../../test/helpers/review-data.js";
import { comparedFiles } from "../../../test/helpers/run-folder.js";
import { type CommandResult, runCommandLine } from "../../../test/helpers/test-io.js";

/** Finished runs that hold every kind of file between them, and what commands say of them as they are. */
export interface DamageBench {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly runs: readonly SoundRun[];
  close(): Promise<void>;
}

export interface SoundRun {
  readonly name: string;
  /** The command that made it, with another folder. */
  readonly command: (out: string) => string;
  /** Names of its files, from its folder. */
  readonly files: readonly string[];
  /** Of every reader. */
  readonly said: Readonly<Record<string, CommandResult>>;
  /** The files that equal runs share. */
  readonly compared: Readonly<Record<string, string>>;
  readonly cassette: string;
}

/**
 * `hosted`: a served model, tries, vectors, a graph, personas, page and figures; `searched`: searches. A baseline for gate
 * beside each.
 */
export async function openDamageBench(): Promise<DamageBench> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-damage-"));
  const embeds = (path: string): boolean => path.endsWith("/embeddings");
  const server = await startProviderServer({
    forget: true,
    reply: (request) => (embeds(request.path) ? undefined : chatReply(request, "5")),
  });
  const env = { OPENAI_API_KEY: "sk-faults-0123456789" };
  writeReviews(
    join(cwd, "data"),
    ["ann", "bob"].map((id) => reviewUser(id, 2, 1)),
  );
  const dense = `--set rag.retriever=dense --set embedder=openai/small --set embedder.baseUrl=${server.url}/v1`;
  const lines = {
    hosted: `run --task lamp3 --method prompt,rag,pag --data data --model openai/m --base-url ${server.url}/v1 ${dense} --concurrency 1 --out`,
    searched: "run --task lamp2m --method prompt,react --users 1 --limit 1 --concurrency 1 --out",
  };
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(cwd, { recursive: true, force: true });
  };
  const runs: SoundRun[] = [];
  for (const [name, line] of Object.entries(lines)) runs.push(await soundRun({ cwd, env }, name, line));
  return { cwd, env, runs, close };
}

/** What is wrong with how commands take a run with one file changed; undefined where nothing is. */
export async function spoilt(
  { cwd, env }: DamageBench,
  run: SoundRun,
  file: string,
  change: (bytes: Buffer) => Buffer | "a folder",
): Promise<string | undefined> {
  const folder = join(cwd, COPY);
  cpSync(join(cwd, run.name), folder, { recursive: true });
  try {
    const before = readFileSync(join(folder, file));
    const after = change(before);
    if (after === "a folder") {
      rmSync(join(folder, file));
      mkdirSync(join(folder, file));
    } else writeFileSync(join(folder, file), after);
    for (const [reader, line] of Object.entries(readers(COPY, run.name))) {
      const wrong = wrongReading(await runCommandLine(line, { cwd, env }), run, reader);
      if (wrong !== undefined) return `${reader}: ${wrong}`;
      if (reader === "export" && isOther(cwd, run)) return "export: another cassette, and nothing is said";
    }
    const verified = await runCommandLine(verifyLine(COPY, run.name), { cwd, env });
    if (TRACE.test(verified.stderr)) return `verify: ${verified.stderr}`;
    const isSame = verified.code === run.said.verify?.code && plain(verified.stdout) === plain(run.said.verify.stdout);
    if (isSame && !UNSEALED.test(file) && !isLineEnds(before, after)) return "verify: nothing is said";
    return await resumed({ cwd, env }, run);
  } finally {
    for (const name of [COPY, `${COPY}-taken.jsonl`]) rmSync(join(cwd, name), { recursive: true, force: true });
  }
}

// --- internal ---

const COPY = "spoilt";
const TRACE = /internal error|^\s+at .*:\d+/m;
/** A line that says what is the matter. */
const LOUD =
  /damaged|edited|DAMAGED|EDITED|line \d+|is gone|was changed|was added|no run here|left out|not ended|not a manifest|not JSON|a folder stands where/;
/** What no number and no reply stands in, and pictures that are drawn from others beside them. */
const UNSEALED = /^(attempts\.jsonl|damaged\.jsonl|\.artifacts)|\.png$/;

type Place = Pick<DamageBench, "cwd" | "env">;

const readers = (run: string, sound: string): Readonly<Record<string, string>> => ({
  report: `report ${run}`,
  compare: `compare ${run} --method prompt --method-b ${sound === "hosted" ? "pag" : "react"}`,
  gate: `gate ${run} --baseline ${sound}.json --max-failed 1`,
  export: `cassette export ${run} --out ${run}-taken.jsonl`,
});
/** The demo data are always at hand. */
const verifyLine = (run: string, sound: string): string =>
  sound === "hosted" ? `verify ${run} --data data` : `verify ${run}`;

async function soundRun(place: Place, name: string, line: string): Promise<SoundRun> {
  const { cwd } = place;
  const command = (out: string): string => `${line} ${out}`;
  for (const made of [command(name), `report ${name} --html --figures`, `gate ${name} --write-baseline ${name}.json`]) {
    const { code, stderr } = await runCommandLine(made, place);
    if (code !== 0) throw new Error(`${made}: ${stderr}`);
  }
  const said: Record<string, CommandResult> = {};
  const asked = { ...readers(name, name), verify: verifyLine(name, name) };
  for (const [reader, read] of Object.entries(asked)) said[reader] = await runCommandLine(read, place);
  if (said.verify?.code === 2) throw new Error(said.verify.stderr);
  const cassette = readFileSync(join(cwd, `${name}-taken.jsonl`), "latin1");
  const all = readdirSync(join(cwd, name), { recursive: true, encoding: "utf8" }).sort();
  const files = all.filter((file) => {
    const facts = statSync(join(cwd, name, file));
    return facts.isFile() && facts.size > 0;
  });
  return { name, command, files, said, compared: compared(join(cwd, name)), cassette };
}

/** Without the name of the folder, which outputs repeat. */
const plain = (text: string): string => text.replaceAll(/\b(hosted|searched|spoilt)\b/g, "RUN");

function wrongReading(found: CommandResult, { said }: SoundRun, reader: string): string | undefined {
  const sound = said[reader];
  if (TRACE.test(found.stderr)) return found.stderr;
  if (found.code === sound?.code && plain(found.stdout) === plain(sound.stdout)) return undefined;
  return LOUD.test(`${found.stdout}\n${found.stderr}`)
    ? undefined
    : `exit ${found.code}, other output, and nothing is said: ${found.stdout}\n${found.stderr}`;
}

/** Whether an export is there that differs, of a run about which nothing is said. */
function isOther(cwd: string, { cassette }: SoundRun): boolean {
  const path = join(cwd, `${COPY}-taken.jsonl`);
  try {
    return readFileSync(path, "latin1") !== cassette;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

/** The same command over the spoilt run, and its report afterwards. */
async function resumed(place: Place, run: SoundRun): Promise<string | undefined> {
  const again = await runCommandLine(run.command(COPY), place);
  if (TRACE.test(again.stderr)) return `run: ${again.stderr}`;
  if (again.code === 2) {
    const [last] = again.stderr.split("\n").slice(-1);
    return last?.startsWith("lamp-eval: ") ? undefined : `run: exit 2: ${again.stderr}`;
  }
  if (again.code !== 0) return `run: exit ${again.code}: ${again.stderr}`;
  const found = compared(join(place.cwd, COPY));
  const other = Object.keys(run.compared).filter((name) => found[name] !== run.compared[name]);
  const report = await runCommandLine(readers(COPY, run.name).report ?? "", place);
  const wrong = wrongReading(report, run, "report");
  if (wrong !== undefined) return `report after the same command: ${wrong}`;
  return other.length === 0 || LOUD.test(`${again.stderr}\n${report.stdout}`)
    ? undefined
    : `the same command gives other ${other.join(", ")}, and nothing is said`;
}

const compared = (folder: string): Record<string, string> =>
  Object.fromEntries(comparedFiles.map((name) => [name, readFileSync(join(folder, name), "utf8")]));

function isLineEnds(before: Buffer, after: Buffer | "a folder"): boolean {
  if (after === "a folder") return false;
  const even = (bytes: Buffer): string => bytes.toString("latin1").replaceAll(/\r\n?/g, "\n").replace(/\n+$/, "");
  return even(before) === even(after);
}
