import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Exit, startCli } from "../../../test/e2e/cli-process.js";
import { fakeKey, startRatedServer } from "../../../test/helpers/rated-server.js";
import { reviewUser, writeReviews } from "../../../test/helpers/review-data.js";

/** What is killed, each in a folder of its own, so that its names are those of the uninterrupted one. */
export const commandNames = ["run", "sweep", "online", "shard", "judge", "import", "pack", "report"] as const;
export type CommandName = (typeof commandNames)[number];

export interface KillCounts {
  readonly points: number;
  /** Processes that had ended before their time came. */
  readonly ended: number;
  /** What came out otherwise than uninterrupted. */
  readonly offences: readonly string[];
}

/** Runs a command to its end. */
export type Finish = (args: readonly string[], settings: { cwd: string; env: Record<string, string> }) => Promise<Exit>;

export interface KillBench {
  readonly cwd: string;
  readonly url: string;
  readonly finish: Finish;
  readonly whole: Readonly<Record<CommandName, Uninterrupted>>;
  close(): Promise<void>;
}

interface Uninterrupted {
  readonly files: Readonly<Record<string, string>>;
  /** From its first sign to its end, milliseconds; from its start where it begins with a folder. */
  readonly workMs: number;
}

/** A folder with data, a slow server, and each command once, uninterrupted. `finish` runs what is not killed; by default a process. */
export async function openKillBench(finish: Finish = asProcess): Promise<KillBench> {
  const cwd = mkdtempSync(join(tmpdir(), "lamp-eval-kills-"));
  const server = await startRatedServer({ latencyMs: 15, forget: true });
  const ids = ["ann", "bob", "cid", "dan", "eve", "fay"];
  writeReviews(
    join(cwd, "data"),
    ids.map((id) => reviewUser(id, 4, 3)),
  );
  const golds = ids.flatMap((id) => [0, 1, 2].map((i) => ({ id: `${id}-q${i}`, output: "4" })));
  writeFileSync(join(cwd, "predictions.json"), JSON.stringify({ task: "LaMP_3", golds }));
  writeFileSync(join(cwd, "sweep.yaml"), "task: lamp3\nmethod: rag\nsweep: { rag.k: [1, 2, 3] }\n");
  const whole: Partial<Record<CommandName, Uninterrupted>> = {};
  for (const name of commandNames) whole[name] = await uninterrupted({ cwd, url: server.url, finish }, name);
  return {
    cwd,
    url: server.url,
    finish,
    whole: whole as KillBench["whole"], // each name was set
    async close() {
      await server.close();
      rmSync(cwd, { recursive: true, force: true });
    },
  };
}

/** Kills a command when this share of its work is done, and gives it again. */
export async function killedAt(
  bench: KillBench,
  name: CommandName,
  share: number,
  folder: string,
): Promise<{ readonly ended: boolean; readonly offence: string | undefined }> {
  const { files, workMs } = bench.whole[name];
  const first = begin(bench, name, folder);
  const cli = startCli(argumentsOf(bench, name), { cwd: first.cwd, env });
  await atWork(first.sign, cli);
  await delay(share * workMs);
  cli.kill("SIGKILL");
  const { signal, stderr } = await cli.exit;
  const again = await bench.finish(argumentsOf(bench, name), { cwd: first.cwd, env });
  const found = filesBelow(first.cwd);
  rmSync(first.cwd, { recursive: true, force: true });
  const said = `${stderr}\n${again.stderr}`;
  const offence = TRACE.test(said)
    ? `a trace: ${said}`
    : !isWhole(again)
      ? `exit ${again.code}: ${again.stderr}`
      : difference(files, found);
  return { ended: signal === null, offence };
}

type Place = Pick<KillBench, "cwd" | "url" | "finish">;

const asProcess: Finish = (...given) => startCli(...given).exit;
const env = { OPENAI_API_KEY: fakeKey };
const TRACE = /internal error|^\s+at .*:\d+/m;
/** Never the same twice: times, order of arrival, tries that were sent. */
const unlike = ["log.jsonl"];

function argumentsOf({ url }: Place, name: CommandName): string[] {
  const model = `--data ../data --model openai/rated --base-url ${url}/v1 --concurrency 4 --out r`;
  const lines: Readonly<Record<CommandName, string>> = {
    run: `run --task lamp3 --method prompt,rag,pag ${model}`,
    sweep: `sweep grid --config ../sweep.yaml ${model}`,
    online: `run --task lamp3 --method prompt,rag,pag --online ${model}`,
    shard: `run --task lamp3 --method prompt,rag,pag --shard 1/2 ${model}`,
    judge: `judge r --data ../data --model openai/rated --base-url ${url}/v1 --concurrency 4`,
    import: "import --task lamp3 --data ../data --name mine --predictions ../predictions.json --out r",
    pack: "export r --form pack --out taken",
    report: "report r --html --figures cost",
  };
  return lines[name].split(" ");
}

/**
 * The file or folder that says, once it is not empty, that the command is at its work; absent for one that works on a folder of
 * before. A lock without its owner keeps everybody out for two minutes: nobody is killed between its making and its writing.
 */
const firstSign: Readonly<Partial<Record<CommandName, string>>> = {
  run: "r/lock",
  sweep: "r/lock",
  online: "r/lock",
  shard: "r/lock",
  judge: "r/judges",
  import: "r/lock",
};

function begin(place: Place, name: CommandName, folder: string): { cwd: string; sign: string | undefined } {
  const cwd = join(place.cwd, folder);
  mkdirSync(cwd);
  const sign = firstSign[name];
  if (sign === undefined || name === "judge")
    cpSync(join(place.cwd, "whole-run", "r"), join(cwd, "r"), { recursive: true });
  return { cwd, sign: sign && join(cwd, sign) };
}

async function atWork(sign: string | undefined, process: { readonly ended: boolean }): Promise<void> {
  const isThere = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
  while (sign !== undefined && !isThere(sign) && !process.ended) await delay(1);
}

async function uninterrupted(place: Place, name: CommandName): Promise<Uninterrupted> {
  const { cwd, sign } = begin(place, name, `whole-${name}`);
  const work = { ended: false };
  // A process takes its time to start, too; and here nobody sees the sign of a command that works without a pause.
  const finish = sign === undefined || name === "import" ? asProcess : place.finish;
  const exit = finish(argumentsOf(place, name), { cwd, env }).finally(() => {
    work.ended = true;
  });
  await atWork(sign, work);
  const startMs = performance.now();
  const { code, stderr } = await exit;
  if (!isWhole({ code, stderr })) throw new Error(`${name}: ${stderr}`);
  return { files: filesBelow(cwd), workMs: performance.now() - startMs };
}

/** What a process was writing when it was killed: whole files under a name of their own, and drafts of locks. */
const UNFINISHED = /\.\d+\.new$|(^|\/)lock\.[0-9a-f-]+$/;

/** Every finished file by its path, its bytes as text. */
function filesBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const finished = names.filter((name) => !UNFINISHED.test(name));
  const files = finished.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}

/** The files that are missing, too many or other. */
function difference(
  whole: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
): string | undefined {
  const names = [...new Set([...Object.keys(whole), ...Object.keys(found)])];
  const same = (name: string): boolean =>
    unlike.some((one) => name.endsWith(one)) ? name in whole === name in found : whole[name] === found[name];
  const others = names
    .filter((name) => !same(name))
    .map((name) => `${name} ${name in found ? (name in whole ? "differs" : "is left over") : "is missing"}`);
  return others.length === 0 ? undefined : others.join(", ");
}

/** Returns whether a command has done all. This server's verdicts cannot be read, which a judge's command ends with 1 for. */
const isWhole = ({ code, stderr }: { readonly code: number | null; readonly stderr: string }): boolean =>
  code === 0 || (code === 1 && stderr.includes("no answer can be read"));
