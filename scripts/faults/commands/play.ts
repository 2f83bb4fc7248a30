import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { canonicalJson } from "../../../src/text/content-id.js";
import type { Json } from "../../../src/types.js";
import {
  countingDisk,
  type DiskFault,
  type FailingDisk,
  faultyCall,
  faultyRead,
} from "../../../test/helpers/failing-disk.js";
import { type CommandResult, runCommandLine } from "../../../test/helpers/test-io.js";
import { type Scene, stage, type World } from "./scenes.js";

/** A scene as it ends undisturbed. */
export interface Undisturbed {
  readonly scene: Scene;
  readonly result: CommandResult;
  readonly before: Files;
  readonly files: Files;
  /** Calls that change something, by name, and how many calls read something. */
  readonly changes: readonly string[];
  readonly reads: number;
}

/** One disturbance of a scene. */
export interface Trouble {
  /** Of the call, from 0. */
  readonly at: number;
  readonly fault: DiskFault | "EIO on reading";
  readonly stays?: boolean;
}

/** Files by path, their bytes as text. */
type Files = Readonly<Record<string, string>>;

export async function undisturbed(world: World, scene: Scene): Promise<Undisturbed> {
  const folder = stage(world, scene, "case");
  const before = filesBelow(folder);
  const disk = countingDisk();
  const result = await runCommandLine(scene.line, { cwd: folder, env: world.env }).finally(disk.restore);
  const files = filesBelow(folder);
  rmSync(folder, { recursive: true, force: true });
  if (hasTrace(result) || result.code > 1) throw new Error(`${scene.name}: exit ${result.code}: ${result.stderr}`);
  return { scene, result, before, files, changes: disk.changes, reads: disk.reads.length };
}

/** What is wrong with how a scene bears one disturbance, and with the same command afterwards; undefined where nothing is. */
export async function disturbed(world: World, whole: Undisturbed, trouble: Trouble): Promise<string | undefined> {
  const { scene } = whole;
  const folder = stage(world, scene, "case");
  try {
    const disk = inject(trouble);
    const first = await runCommandLine(scene.line, { cwd: folder, env: world.env }).finally(disk.restore);
    const wrong = wrongWith(first, whole, filesBelow(folder), trouble);
    if (wrong !== undefined || !TOLD.test(lastLine(first))) return wrong; // it bore it
    const again = await runCommandLine(scene.line, { cwd: folder, env: world.env });
    const { code, stdout } = whole.result;
    if (again.code !== code) return `the same command: exit ${again.code}: ${again.stderr}`;
    if (timeless(again.stdout) !== timeless(stdout) && scene.tellsWhatWasThere !== true)
      return `the same command prints ${again.stdout}, undisturbed ${stdout}`;
    const other = difference(whole.files, filesBelow(folder));
    return other === undefined ? undefined : `after the same command ${other}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Without how long questions took: of those whose replies came from the store nothing is said. */
const timeless = (stdout: string): string => stdout.replace(/^median seconds per question.*$/m, "").trimEnd();

function inject({ at, fault, stays = false }: Trouble): FailingDisk {
  return fault === "EIO on reading" ? faultyRead(at, "EIO") : faultyCall(at, fault, { stays });
}

const TOLD = /^lamp-eval: \S+: [^;]+; [^;]+; .* goes on$/;
const lastLine = ({ stderr }: CommandResult): string => stderr.split("\n").at(-1) ?? "";
const hasTrace = ({ stderr }: CommandResult): boolean => /internal error|^\s+at .*:\d+/m.test(stderr);

function wrongWith(
  result: CommandResult,
  { scene, result: sound, before, files }: Undisturbed,
  found: Files,
  { stays = false }: Trouble,
): string | undefined {
  const { code, stdout, stderr } = result;
  if (hasTrace(result)) return stderr;
  const said = lastLine(result);
  if (scene.findsFaults === true && code <= 1 && !TOLD.test(said)) return undefined;
  if (code === sound.code && !TOLD.test(said)) {
    const other = stdout === sound.stdout ? difference(files, found) : `it prints ${stdout}`;
    return other === undefined ? undefined : `exit ${code} as if nothing had been, but ${other}`;
  }
  if (code !== 2 || !TOLD.test(said)) return `exit ${code}: ${said}`;
  const halves = Object.entries(found).filter(
    ([name, text]) => !GROWS.test(name) && !(stays && LEFT.test(name)) && text !== before[name] && text !== files[name],
  );
  return halves.length === 0 ? undefined : `neither old nor new: ${halves.map(([name]) => name).join(", ")}`;
}

/** Files that are written to again and again while a command works. */
const GROWS = /(^|\/)((manifest\.json|judge\.json|download\.json|lock)$|\.artifacts\/|[^/]*\.(jsonl|part(\.tag)?)$)/;
/** What could not be removed. */
const LEFT = /\.new($|\/)|(^|\/)lock\./;
/** Never the same twice, by nature, or of a process; or an index kept to save time, which is made again where the disk did not take it. */
const unlike = /(^|\/)\.artifacts\/|(^|\/)(timings\.jsonl|attempts\.jsonl|lock[^/]*|[^/]*\.new)$|\.new\//;

/** The files that are missing, too many or other. */
function difference(whole: Files, found: Files): string | undefined {
  const names = [...new Set([...Object.keys(whole), ...Object.keys(found)])].filter((name) => !unlike.test(name));
  const others = names
    .filter((name) => comparable(name, whole[name]) !== comparable(name, found[name]))
    .map(
      (name) =>
        `${name} ${name in found ? (name in whole ? `differs${firstDifference(comparable(name, whole[name]), comparable(name, found[name]))}` : "is left over") : "is missing"}`,
    );
  return others.length === 0 ? undefined : others.join(", ");
}

/** Both at the first place where they differ. */
function firstDifference(before = "", after = ""): string {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  const piece = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 60));
  return ` (${piece(before)}, ${piece(after)})`;
}

/** A manifest without its times and what was learned from replies as they came, and so without its check; members and replies in order. */
function comparable(name: string, text: string | undefined): string | undefined {
  if (/(^|\/)(responses|vectors|searches|judgements)\.jsonl$/.test(name)) return text?.split("\n").sort().join("\n"); // in order of arrival
  return text === undefined || !/(^|\/)manifest\.json$/.test(name) ? text : canonicalJson(untimed(JSON.parse(text)));
}

const untimed = (value: Json): Json =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value).flatMap(([name, part]) =>
          TIMES.has(name) || part === undefined ? [] : [[name, untimed(part)]],
        ),
      );
const TIMES = new Set(["startedAt", "finishedAt", "at", "#", "timings.jsonl", "bytesPerToken", "rates"]);

function filesBelow(folder: string): Files {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}
