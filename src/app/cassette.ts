import { join, resolve } from "node:path";
import { writeWhole } from "../disk/whole-file.js";
import { UsageError } from "../errors.js";
import { formatAmount } from "../report/tables/format.js";
import { renderText } from "../report/tables/text.js";
import { type Cassette, cassetteFile, openCassette } from "../run/cassette/cassette.js";
import { cassetteLines } from "../run/cassette/cassette-writer.js";
import { packed } from "../run/cassette/packed-lines.js";
import { readManifest } from "../run/manifest.js";
import { lockOutFolder } from "../run/out-folder.js";
import { FileVectors, ResponseStore } from "../run/replies.js";
import { runFiles } from "../run/rows.js";
import { nounOf } from "../text/count.js";
import { openRunFolder, tellDamage } from "./common/run-folder.js";
import type { Io } from "./io.js";

interface ExportedCassette {
  /** Absolute. */
  readonly file: string;
  readonly cassette: Cassette;
}

/**
 * Writes the requests and replies of a run, and what was recorded from outside, as one sorted file. `out` is a folder, or a
 * file named `*.jsonl` or `*.jsonl.gz`. Throws UsageError where there is no run.
 */
export function exportCassette(
  { run, out }: { readonly run: string; readonly out: string },
  io: Pick<Io, "cwd" | "tell">,
): ExportedCassette {
  const { path, manifest } = openRunFolder(run, io.cwd);
  tellDamage(run, path, manifest, io);
  const asFile = /\.jsonl(\.gz)?$/.test(out);
  const file = asFile ? resolve(io.cwd, out) : join(resolve(io.cwd, out), cassetteFile);
  const lines = cassetteLines(path, manifest);
  writeWhole(file, out.endsWith(".gz") ? packed(lines) : lines, { shared: true });
  const cassette = openCassette(file, out);
  const { counts, complete } = cassette.head;
  if (counts.calls + counts.places === 0) io.tell(`${run} has no replies yet, so there is nothing to replay`);
  if (!complete) io.tell(`${run} has not ended: the cassette holds what is answered so far`);
  return { file, cassette };
}

interface ImportedCassette {
  readonly cassette: Cassette;
  /** Replies that the run folder did not have. */
  readonly added: number;
  /** Replies that it had. */
  readonly before: number;
}

/** Begins a run folder with the replies of a cassette. Throws UsageError on a damaged cassette, and where `out` holds a replay. */
export function importCassette(
  { cassette: named, out }: { readonly cassette: string; readonly out: string },
  io: Pick<Io, "cwd">,
): ImportedCassette {
  const cassette = openCassette(resolve(io.cwd, named), named);
  const folder = resolve(io.cwd, out);
  if (readManifest(folder)?.replay !== undefined)
    throw new UsageError(
      `--out ${out}: holds a replay, which a run that calls cannot go on with; choose another folder`,
    );
  const release = lockOutFolder(folder);
  try {
    const counts = importCalls(cassette, folder);
    importVectors(cassette, folder);
    return { cassette, ...counts };
  } finally {
    release();
  }
}

/** What came in, in one line. */
export function importedText({ cassette, added, before }: ImportedCassette): string {
  const note = cassette.head.simulated ? " (SIMULATED)" : "";
  return `${added} ${nounOf(added, "reply", "replies")} of cassette ${cassette.id.slice(0, 12)}${note}, ${before} were there`;
}

function importCalls(cassette: Cassette, folder: string): Pick<ImportedCassette, "added" | "before"> {
  const store = new ResponseStore(join(folder, runFiles.responses));
  try {
    const before = store.size;
    for (const key of cassette.keys()) {
      const call = cassette.call(key);
      if (call !== undefined) store.put(key, call.request, call.reply);
    }
    return { added: store.size - before, before };
  } finally {
    store.close();
  }
}

function importVectors(cassette: Cassette, folder: string): void {
  if (cassette.head.counts.vectors === 0) return;
  const vectors = new FileVectors(join(folder, runFiles.vectors));
  try {
    for (const key of cassette.vectorKeys()) {
      const vector = cassette.vector(key);
      if (vector !== undefined) vectors.put(key, vector);
    }
  } finally {
    vectors.close();
  }
}

/** Opens a cassette to look into. Throws UsageError on one that is missing or damaged. */
export const showCassette = (named: string, { cwd }: Pick<Io, "cwd">): Cassette =>
  openCassette(resolve(cwd, named), named);

/** What it holds, in one line. */
export function cassetteContents({ counts, simulated }: Cassette["head"]): string {
  const { calls, places, vectors, searches } = counts;
  const parts = [
    `${formatAmount(calls)} ${nounOf(calls, "call")}`,
    `${formatAmount(places)} ${nounOf(places, "question or preparation", "questions and preparations")}`,
    ...(vectors === 0 ? [] : [`${formatAmount(vectors)} ${nounOf(vectors, "vector")}`]),
    ...(searches === 0 ? [] : [`${formatAmount(searches)} ${nounOf(searches, "search", "searches")}`]),
  ];
  return `${parts.join(", ")}${simulated ? "; SIMULATED (the embedded model)" : ""}`;
}

/** What it holds, whose it is and what was asked, as text. */
export function cassetteText({ id, head, asked }: Cassette): string {
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
    cassetteContents(head),
    `answered by ${answeredBy.join(", ") || "nobody"}`,
    ...plan.data.flatMap(({ task, files }) => files.map(({ name, sha256 }) => `data ${task}: ${name} ${sha256}`)),
    "",
    table,
  ].join("\n");
}
