import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readText, writeWhole } from "../../disk/whole-file.js";
import { UsageError } from "../../errors.js";
import { knownSecrets } from "../../net/known.js";
import { redactor } from "../../net/redactor.js";
import { absentControls, LIMITS, notShown } from "../../report/evidence.js";
import { formatUsd } from "../../report/tables/format.js";
import { packed } from "../../run/cassette/packed-lines.js";
import { refusePart } from "../../run/plan/part.js";
import { parsed } from "../../run/record-lines.js";
import { countOf, grouped } from "../../text/count.js";
import type { ModelReply, ModelRequest, Row } from "../../types/index.js";
import { catalogueOf } from "../catalogue.js";
import { commandWithout } from "../common/command-line.js";
import { dataFolderOf } from "../common/run-data.js";
import { openRunFolder, type StoredRun } from "../common/run-folder.js";
import { version } from "../common/version.js";
import type { Io } from "../io.js";
import { recordsOf } from "../verify/records.js";
import { armsIn } from "./arms.js";
import { type carried, type EvidenceRun, type headSchema, sealedLines } from "./file.js";
import { numbersOf } from "./numbers.js";
import { portableManifest, type Shorten, shortener } from "./portable.js";

export interface EvidenceSettings {
  /** Run folders, finished. */
  readonly runs: readonly string[];
  /** A file; packed where it ends in `.gz`. */
  readonly out: string;
  /** Default: `replies`. */
  readonly carry?: (typeof carried)[number];
  /** Of the data that `all` carries. */
  readonly licence?: string | undefined;
}

interface ExportedEvidence {
  /** Absolute. */
  readonly file: string;
  /** What a publisher should know, a line each. */
  readonly remarks: readonly string[];
}

/**
 * Writes finished runs as one file that others check without a key. Equal runs give equal bytes. Throws UsageError on a run that
 * is unfinished, edited, damaged or a shard, and on a line that holds a secret.
 */
export function exportEvidence({ runs, out, carry = "replies", licence }: EvidenceSettings, io: Io): ExportedEvidence {
  const all = carry === "all";
  if (!all && licence !== undefined) throw new UsageError(`--licence ${licence}: works with --carry all`);
  const opened = runs.map((run) => openWhole(run, io));
  const own = opened.flatMap(({ manifest }) => manifest.plan.data).find(({ name }) => name !== DEMO);
  if (all && own !== undefined && licence === undefined)
    throw new UsageError(
      `--carry all: the file would hold the texts of ${own.name}; name the licence that lets you hand them on: --licence ID`,
    );
  const head: ReturnType<typeof headSchema.parse> = {
    ...{ evidence: 1, by: version(), carry },
    ...(licence === undefined ? {} : { licence }),
    ...{ runs: runs.length, limits: LIMITS },
  };
  const parts = opened.map((run) => linesOf(run, all, io));
  const lines = [...sealedLines([head, ...parts.flatMap((part) => part.lines)])];
  refuseSecrets(lines, io);
  const file = resolve(io.cwd, out);
  writeWhole(file, out.endsWith(".gz") ? packed(lines) : lines, { shared: true });
  const quoting = parts.reduce((sum, part) => sum + part.quoting, 0);
  const replies = parts.reduce((sum, part) => sum + part.replies, 0);
  return {
    file,
    remarks: [
      ...(licence === undefined ? [] : [`the file holds data under ${licence}`]),
      `${grouped(quoting)} of ${countOf(replies, "reply", "replies")} repeat ${WORDS} words of their prompt in a row`,
      ...controlRemarks(opened, parts.map(({ numbers }) => numbers)), // biome-ignore format: one line
      LIMITS,
    ],
  };
}

/** The name that the built-in demo data go by. */
const DEMO = "demo";

function openWhole(run: string, io: Io): StoredRun {
  const opened = openRunFolder(run, io.cwd);
  const { finishedAt, edits = [] } = opened.manifest;
  refusePart(run, opened.manifest);
  if (finishedAt === undefined) throw new UsageError(`${run}: has not ended; the command that made it finishes it`);
  const [edit] = edits;
  if (edit !== undefined)
    throw new UsageError(`${run}: was edited (${edit.reason}), so it is no evidence; run it again into another folder`);
  return opened;
}

interface RunLines {
  readonly lines: readonly object[];
  readonly numbers: EvidenceRun["results"];
  readonly replies: number;
  /** Replies that repeat words of their prompt. */
  readonly quoting: number;
}

function linesOf({ path, manifest, rows: stored, traces }: StoredRun, all: boolean, io: Io): RunLines {
  const shorten = shortener(manifest);
  const rows = stored.map((row) => shownRow(row, shorten));
  const placed = rows.map((record) => ({ record, where: "" }));
  const records = recordsOf(path, manifest, placed, io.clock);
  const { asked, replies, searches, vectors } = records;
  const units = records.units.map(({ record }) => record);
  const run = portableManifest(manifest, shorten);
  const baselines = new Map(manifest.tasks.map((facts) => [facts.task, facts.baselines]));
  const tasks = run.tasks.map((facts) => ({ ...facts, baselines: baselines.get(facts.task) }));
  const { numbers, leftOut } = numbersOf({ ...run, tasks, argv: [] }, { rows, units }, catalogueOf(io));
  if (leftOut.length > 0) throw new UsageError(leftOut.join("; "));
  const named = new Set(asked.flatMap(({ requests }) => requests));
  const keys = [...replies.keys()].filter((key) => named.has(key.slice(0, ID_LENGTH))).sort(); // probes belong to no row
  const replied = new Set(keys.map((key) => key.slice(0, ID_LENGTH)));
  const needed = asked.filter(
    ({ error, failed, requests }) =>
      error !== undefined || failed !== undefined || requests.some((id) => !replied.has(id)),
  );
  let quoting = 0;
  const calls = keys.map((key) => {
    const { reply, request } = replies.get(key)!; // its own keys
    if (request !== undefined && quotes(reply, request)) quoting += 1;
    const shown = { ...reply, model: shorten(reply.model) };
    return { reply: { key, reply: shown, ...(all ? { request } : {}) } };
  });
  const lines = [
    { run, results: numbers, data: dataCommands(manifest, io) },
    ...rows.map(({ gold, ...row }) => ({ row: all && gold !== undefined ? { ...row, gold } : row })),
    ...units.map((unit) => ({ unit })),
    ...needed.map((one) => ({ asked: shorten(one) })),
    ...calls,
    ...inOrder(searches).map((search) => ({ search })),
    ...(all ? inOrder([...vectors.values()]).map((vector) => ({ vector })) : []),
    ...(all ? traces.map((trace) => ({ trace })) : []),
  ];
  return { lines, numbers, replies: keys.length, quoting };
}

/** How traces name requests: the first digits of the key. */
const ID_LENGTH = 16;

const inOrder = (records: readonly unknown[]): unknown[] =>
  records
    .map((record) => JSON.stringify(record))
    .sort()
    .map((text) => JSON.parse(text));

function shownRow(row: Row, shorten: Shorten): Row {
  const { method, outcome } = row;
  return {
    ...row,
    ...(method === undefined ? {} : { method: shorten(method) }),
    outcome: outcome.kind === "failed" ? { ...outcome, error: shorten(outcome.error) } : outcome,
  };
}

/** Words in a row that make a quotation. */
const WORDS = 8;

function quotes({ text }: ModelReply, { messages, system = "" }: ModelRequest): boolean {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length < WORDS) return false;
  const shown = messages.map((message) => ("content" in message ? message.content : ""));
  const prompt = ` ${[system, ...shown].join(" ").split(/\s+/).join(" ")} `;
  return words.some(
    (_, at) => at + WORDS <= words.length && prompt.includes(` ${words.slice(at, at + WORDS).join(" ")} `),
  );
}

/** The commands that make the data of a run, by task, where the folder that it was given still has their record. */
function dataCommands(manifest: StoredRun["manifest"], io: Io): EvidenceRun["data"] {
  const commands = manifest.plan.data.flatMap(({ task }) => {
    const named = dataFolderOf(manifest, task);
    if (named === undefined) return [];
    const folder = resolve(io.cwd, named);
    const { split } = recordIn(join(folder, "download.json"));
    const { users, cut, "training users": others } = recordIn(join(folder, "manifest.json"));
    if (typeof split === "string") return [[task, `lamp-eval data download ${task} --split ${split}`]];
    if (typeof cut !== "string") return [];
    const made = `lamp-eval data prepare --task ${task} --users ${users} --others ${others} --cut ${cut} --from OFFICIAL --out DIR`;
    return [[task, made]];
  });
  return Object.fromEntries(commands);
}

const recordIn = (path: string): Readonly<Record<string, unknown>> => ({
  ...(existsSync(path) ? parsed(readText(path)) : {}),
});

/** Throws UsageError naming the line that holds a secret of the environment, or what looks like a key. */
function refuseSecrets(lines: readonly string[], { env }: Io): void {
  const known = redactor(knownSecrets(env).values);
  for (const [at, line] of lines.entries()) {
    const [kind = ""] = /^\{"(\w+)"/.exec(line)?.slice(1) ?? [];
    const question = /"question":"([^"]*)"/.exec(line)?.[1];
    const what = `line ${at + 1} (${kind}${question === undefined ? "" : ` of question ${question}`})`;
    if (known.text(line) !== line)
      throw new UsageError(`${what} would hold a secret of this environment; nothing was written`);
    const [key] = KEYS.exec(line) ?? [];
    if (key !== undefined)
      throw new UsageError(`${what} would hold what looks like a key (${key.slice(0, 6)}...); nothing was written`);
  }
}

/** Keys of OpenAI and Anthropic, AWS, GitHub, Google, Hugging Face, Slack; private keys. */
const KEYS =
  /\b(sk-[A-Za-z0-9_-]{20,}|(AKIA|ASIA)[A-Z0-9]{16}|gh[opsu]_[A-Za-z0-9]{36}|AIza[A-Za-z0-9_-]{35}|hf_[A-Za-z0-9]{30,}|xox[abpr]-[A-Za-z0-9-]{10,})\b|-----BEGIN [A-Z ]*PRIVATE KEY/;

/** Arms whose gain nobody can call personalization, the command that makes their controls, and its price. */
function controlRemarks(runs: readonly StoredRun[], claimed: readonly EvidenceRun["results"][]): string[] {
  const arms = runs.map(({ manifest }, at) => armsIn(manifest, claimed[at]!)); // one for each
  const all = arms.flat();
  return runs.flatMap(({ manifest }, at) => {
    const ofRun = arms[at]!.map((arm) => ({ ...arm, absentControls: absentControls(arm, all) }));
    const absent = [...new Set(ofRun.flatMap((arm) => arm.absentControls))];
    if (absent.length === 0) return [];
    const costs = ofRun.map(({ numbers, absentControls: { length } }) => length * (numbers?.usd ?? Number.NaN));
    const usd = costs.reduce((sum, cost) => sum + (Number.isNaN(cost) ? 0 : cost), 0);
    const unknown = manifest.simulated ? "costs nothing" : "price unknown";
    const price = usd === 0 ? unknown : `about ${formatUsd(usd)}, what the arms themselves cost`;
    const varied = ["--vary", `history.control=${absent.join(",")}`];
    const [, first = "", ...flags] = manifest.argv;
    const rest = first.startsWith("-") ? [first, ...flags] : flags; // without the kind of a sweep
    const command = commandWithout(["sweep", "controls", ...rest, ...varied], "--out");
    return [...notShown(ofRun), `make the controls (${price}) and export both runs together: ${command}`];
  });
}
