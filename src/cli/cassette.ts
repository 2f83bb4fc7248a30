import { closeSync, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { Command } from "commander";
import { openRunFolder } from "../app/run-folder.js";
import { UsageError } from "../errors.js";
import { formatAmount, renderText } from "../report/tables/table.js";
import { type Cassette, cassetteFile, openCassette } from "../run/cassette.js";
import { cassetteLines } from "../run/cassette-writer.js";
import { lockFolder, readManifest } from "../run/manifest.js";
import { ResponseStore } from "../run/response-store.js";
import { runFiles } from "../run/run-rows.js";
import { FileVectors } from "../run/vector-store.js";
import type { Terminal } from "./terminal.js";

interface OutFlag {
  readonly out: string;
}

/** `lamp-eval cassette export|import|show`: the replies of a run as one file that can be committed and replayed. */
export function cassetteCommand(io: Terminal): Command {
  const command = new Command("cassette");
  command
    .command("export")
    .description("write the requests and replies of a run, and what was recorded from outside, as one sorted file")
    .argument("<run>", "run folder")
    .requiredOption("--out <place>", "a folder (cassette.jsonl goes into it), or a file named *.jsonl or *.jsonl.gz")
    .action((run: string, { out }: OutFlag) => exportRun(run, out, io));
  command
    .command("import")
    .description("begin a run folder with the replies of a cassette: the run then calls only for what it lacks")
    .argument("<cassette>", "folder or file of a cassette")
    .requiredOption("--out <run>", "run folder, for lamp-eval run --out")
    .action((cassette: string, { out }: OutFlag) => importInto(cassette, out, io));
  command
    .command("show")
    .description("print what a cassette holds")
    .argument("<cassette>", "folder or file of a cassette")
    .option("--json", "as JSON")
    .action((named: string, { json }: { readonly json?: boolean }) => {
      const cassette = openCassette(resolve(io.cwd, named), named);
      io.out(json === true ? JSON.stringify({ id: cassette.id, ...cassette.head }, undefined, 2) : shown(cassette));
    });
  return command;
}

// --- internal ---

function exportRun(run: string, out: string, io: Terminal): void {
  const { path, manifest } = openRunFolder(run, io.cwd);
  const asFile = /\.jsonl(\.gz)?$/.test(out);
  const file = asFile ? resolve(io.cwd, out) : join(resolve(io.cwd, out), cassetteFile);
  mkdirSync(dirname(file), { recursive: true });
  const lines = cassetteLines(path, manifest);
  if (out.endsWith(".gz")) writeFileSync(`${file}.new`, packed([...lines].join("")));
  else {
    const target = openSync(`${file}.new`, "w");
    for (const line of lines) writeSync(target, line);
    closeSync(target);
  }
  renameSync(`${file}.new`, file);
  const { head, id } = openCassette(file, out);
  if (head.counts.calls + head.counts.places === 0) io.err(`${run} has no replies yet, so there is nothing to replay`);
  if (!head.complete) io.err(`${run} has not ended: the cassette holds what is answered so far`);
  io.out(`${relative(io.cwd, file)}: cassette ${id.slice(0, 12)}, ${contents(head)}`);
}

/** RFC 1952, 2.3: the byte of the operating system, which would make equal content unequal files. */
const GZIP_OS_BYTE = 9;
const UNKNOWN_OS = 255;

function packed(text: string): Buffer {
  const bytes = gzipSync(text, { level: 9 });
  bytes[GZIP_OS_BYTE] = UNKNOWN_OS;
  return bytes;
}

function importInto(named: string, out: string, io: Terminal): void {
  const cassette = openCassette(resolve(io.cwd, named), named);
  const folder = resolve(io.cwd, out);
  if (readManifest(folder)?.replay !== undefined)
    throw new UsageError(
      `--out ${out}: holds a replay, which a run that calls cannot go on with; choose another folder`,
    );
  const release = lockFolder(folder);
  try {
    const store = new ResponseStore(join(folder, runFiles.responses));
    const before = store.size;
    for (const key of cassette.keys()) {
      const call = cassette.call(key);
      if (call !== undefined) store.put(key, call.request, call.reply);
    }
    const added = store.size - before;
    store.close();
    importVectors(cassette, folder);
    const note = cassette.head.simulated ? " (SIMULATED)" : "";
    io.out(`${out}: ${added} replies of cassette ${cassette.id.slice(0, 12)}${note}, ${before} were there`);
  } finally {
    release();
  }
}

function importVectors(cassette: Cassette, folder: string): void {
  if (cassette.head.counts.vectors === 0) return;
  const vectors = new FileVectors(join(folder, runFiles.vectors));
  for (const key of cassette.vectorKeys()) {
    const vector = cassette.vector(key);
    if (vector !== undefined) vectors.put(key, vector);
  }
  vectors.close();
}

function contents({ counts, simulated }: Cassette["head"]): string {
  const { calls, places, vectors, searches } = counts;
  const parts = [
    `${formatAmount(calls)} calls`,
    `${formatAmount(places)} questions and preparations`,
    ...(vectors === 0 ? [] : [`${formatAmount(vectors)} vectors`]),
    ...(searches === 0 ? [] : [`${formatAmount(searches)} searches`]),
  ];
  return `${parts.join(", ")}${simulated ? "; SIMULATED (the embedded model)" : ""}`;
}

function shown({ id, head, asked }: Cassette): string {
  const { plan, complete, answeredBy } = head;
  const questions = new Map<string, number>();
  for (const { cell, question } of asked)
    if (question !== undefined) questions.set(cell, (questions.get(cell) ?? 0) + 1);
  const titles = ["task", "data", "method", "model", "repeat", "questions"];
  const table = renderText({
    columns: titles.map((title, i) => ({ title, align: i < 4 ? ("left" as const) : ("right" as const) })),
    rows: plan.cells.map(({ id: cell, task, dataset, method, model, repeat }) => [
      task,
      dataset,
      method,
      model,
      String(repeat + 1),
      String(questions.get(cell) ?? 0),
    ]),
  });
  return [
    `cassette ${id.slice(0, 12)}, recorded by lamp-eval ${plan.version}${complete ? "" : ", of a run that had not ended"}`,
    contents(head),
    `answered by ${answeredBy.join(", ") || "nobody"}`,
    ...plan.data.flatMap(({ task, files }) => files.map(({ name, sha256 }) => `data ${task}: ${name} ${sha256}`)),
    "",
    table,
  ].join("\n");
}
