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
  readonly kind: RunKind;
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

/** How a run is made and read. */
interface RunKind {
  /** Without its folder. */
  readonly line: string;
  /** What is made of it besides, once it is there. */
  readonly made: (run: string) => readonly string[];
  /** Two methods for `compare`; absent: its arms have no names of one method each. */
  readonly pair?: readonly [string, string];
  /** For `verify`; absent: the demo data, which are always at hand. */
  readonly data?: string;
  /** What is asked of a model about the finished run; given again after the run's own command. */
  readonly judged?: (run: string) => string;
}

/**
 * `hosted`: a served model, tries, a purse, vectors, a graph, personas, page and figures; `searched`: searches; `judged`: utilities
 * of RUMS and judgements; `controls`: the arms, tables and figures of a sweep. A baseline for gate beside the first three.
 */
export async function openDamageBench(wanted: (name: string) => boolean = () => true): Promise<DamageBench> {
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
  const hosted = `--model openai/m --base-url ${server.url}/v1 --purse lab.purse --max-calls 100000`;
  const drawn = (run: string): string => `report ${run} --html --figures`;
  const judged = (run: string): string => `judge ${run} --data data --concurrency 1`;
  const kinds: Readonly<Record<string, RunKind>> = {
    hosted: {
      line: `run --task lamp3 --method prompt,rag,pag --data data ${hosted} ${dense} --concurrency 1`,
      made: (run) => [drawn(run)],
      pair: ["prompt", "pag"],
      data: "data",
    },
    searched: {
      line: "run --task lamp2m --method prompt,react --users 1 --limit 1 --concurrency 1",
      made: (run) => [drawn(run)],
      pair: ["prompt", "react"],
    },
    judged: {
      line: "run --task lamp3 --method prompt,rums --data data --concurrency 1",
      made: (run) => [judged(run), `report ${run} --html`],
      pair: ["prompt", "rums"],
      data: "data",
      judged,
    },
    controls: {
      line: "sweep controls --task lamp3 --method rag --data data --concurrency 1",
      made: () => [],
      data: "data",
    },
  };
  const close = async (): Promise<void> => {
    await server.close();
    rmSync(cwd, { recursive: true, force: true });
  };
  const runs: SoundRun[] = [];
  for (const [name, kind] of Object.entries(kinds).filter(([name]) => wanted(name)))
    runs.push(await soundRun({ cwd, env }, name, kind));
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
    for (const [reader, line] of Object.entries(readers(COPY, run.name, run.kind))) {
      const wrong = wrongReading(await runCommandLine(line, { cwd, env }), run, reader);
      if (wrong !== undefined) return `${reader}: ${wrong}`;
      if (reader === "export" && isOther(cwd, run)) return "export: another cassette, and nothing is said";
    }
    const verified = await runCommandLine(verifyLine(COPY, run.kind), { cwd, env });
    if (TRACE.test(verified.stderr)) return `verify: ${verified.stderr}`;
    const isSame = verified.code === run.said.verify?.code && plain(verified.stdout) === plain(run.said.verify.stdout);
    if (isSame && !UNSEALED.test(file) && !isLineEnds(before, after)) return "verify: nothing is said";
    return await resumed({ cwd, env }, run);
  } finally {
    for (const name of [COPY, `${COPY}-taken.jsonl`]) rmSync(join(cwd, name), { recursive: true, force: true });
  }
}

const COPY = "spoilt";
const TRACE = /internal error|^\s+at .*:\d+/m;
/** A line that says what is the matter. */
const LOUD =
  /damaged|edited|DAMAGED|EDITED|line \d+|is gone|was changed|was added|no run here|left out|not ended|not a manifest|not JSON|NOT AS SEALED|a folder stands where/;
/** What no number and no reply stands in, and pictures that are drawn from others beside them. */
const UNSEALED = /^(attempts\.jsonl|damaged\.jsonl|\.artifacts)|\.(png|pdf)$/;

type Place = Pick<DamageBench, "cwd" | "env">;

const readers = (run: string, sound: string, { pair }: RunKind): Readonly<Record<string, string>> => ({
  report: `report ${run}`,
  ...(pair === undefined
    ? {}
    : {
        compare: `compare ${run} --method ${pair[0]} --method-b ${pair[1]}`,
        gate: `gate ${run} --baseline ${sound}.json --max-failed 1`,
      }),
  export: `cassette export ${run} --out ${run}-taken.jsonl`,
});
const verifyLine = (run: string, { data }: RunKind): string =>
  data === undefined ? `verify ${run}` : `verify ${run} --data ${data}`;

async function soundRun(place: Place, name: string, kind: RunKind): Promise<SoundRun> {
  const { cwd } = place;
  const command = (out: string): string => `${kind.line} --out ${out}`;
  const baseline = kind.pair === undefined ? [] : [`gate ${name} --write-baseline ${name}.json`];
  for (const made of [command(name), ...kind.made(name), ...baseline]) {
    const { code, stderr } = await runCommandLine(made, place);
    if (code !== 0) throw new Error(`${made}: ${stderr}`);
  }
  const said: Record<string, CommandResult> = {};
  const asked = { ...readers(name, name, kind), verify: verifyLine(name, kind) };
  for (const [reader, read] of Object.entries(asked)) said[reader] = await runCommandLine(read, place);
  if (said.verify?.code === 2) throw new Error(said.verify.stderr);
  const cassette = readFileSync(join(cwd, `${name}-taken.jsonl`), "latin1");
  const all = readdirSync(join(cwd, name), { recursive: true, encoding: "utf8" }).sort();
  const files = all.filter((file) => {
    const facts = statSync(join(cwd, name, file));
    return facts.isFile() && facts.size > 0;
  });
  return { name, kind, command, files, said, compared: compared(join(cwd, name)), cassette };
}

/** Without the name of the folder, which outputs repeat. */
const plain = (text: string): string => text.replaceAll(/\b(hosted|searched|judged|controls|spoilt)\b/g, "RUN");

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
  const report = await runCommandLine(readers(COPY, run.name, run.kind).report ?? "", place);
  const wrong = wrongReading(report, run, "report");
  if (wrong !== undefined) return `report after the same command: ${wrong}`;
  if (other.length > 0 && !LOUD.test(`${again.stderr}\n${report.stdout}`))
    return `the same command gives other ${other.join(", ")}, and nothing is said`;
  return run.kind.judged === undefined ? undefined : await judgedAgain(place, run, run.kind.judged(COPY));
}

/** The same judge over the spoilt run. */
async function judgedAgain({ cwd, env }: Place, { name }: SoundRun, line: string): Promise<string | undefined> {
  const found = await runCommandLine(line, { cwd, env });
  if (TRACE.test(found.stderr)) return `judge: ${found.stderr}`;
  if (found.code === 2) return /^lamp-eval: /m.test(found.stderr) ? undefined : `judge: exit 2: ${found.stderr}`;
  if (found.code !== 0) return `judge: exit ${found.code}: ${found.stderr}`;
  const isSame = judgementsOf(join(cwd, COPY)) === judgementsOf(join(cwd, name));
  return isSame || LOUD.test(`${found.stdout}\n${found.stderr}`)
    ? undefined
    : "judge: other judgements, and nothing is said";
}

/** Records and tables of every judge of a run. */
function judgementsOf(run: string): string {
  const folder = join(run, "judgements");
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const kept = names.filter((name) => /(judgements\.jsonl|judgements\.md)$/.test(name));
  return kept.map((name) => `${name}\n${evenEnds(readFileSync(join(folder, name)))}`).join("\n");
}

const compared = (folder: string): Record<string, string> =>
  Object.fromEntries(comparedFiles.map((name) => [name, readFileSync(join(folder, name), "utf8")]));

function isLineEnds(before: Buffer, after: Buffer | "a folder"): boolean {
  if (after === "a folder") return false;
  return evenEnds(before) === evenEnds(after);
}

const evenEnds = (bytes: Buffer): string => bytes.toString("latin1").replaceAll(/\r\n?/g, "\n").replace(/\n+$/, "");
