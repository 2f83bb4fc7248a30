import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openRunFolder } from "../../../src/app/common/run-folder.js";
import { type RankedCase, rankingOf, shownRanking, trainLogreg } from "../../../src/app/rums/train.js";
import { run } from "../../../src/library.js";
import { processIo } from "../../../src/process-io.js";
import { runFiles } from "../../../src/run/run-files.js";
import type { OptionValue, Row } from "../../../src/types.js";
import { ranked } from "./ranking.js";

/** What is compared, in the order of the tables. */
export const SELECTS = [
  "rums",
  "rums-logreg",
  "bm25",
  "tf-idf",
  "dense",
  "similar",
  "llm-zero",
  "llm-few",
  "recency",
  "random",
  "all",
  "none",
] as const;

export interface Bench {
  readonly task: string;
  readonly data: string;
  readonly embedder: string;
  readonly queriesPerUser: number;
  /** Where runs are kept: the same command goes on from them. */
  readonly out: string;
}

/** The rows of each selector, as if of one cell that bears its name. */
export type ArmRows = ReadonlyMap<string, readonly Row[]>;

/** Runs every selector in `rag` on both halves, then a classifier trained on each half on the other one. */
export async function armsOf(bench: Bench, folders: readonly string[]): Promise<ArmRows> {
  const arms = new Map<string, Row[]>(SELECTS.map((name) => [name, []]));
  const runs: string[] = [];
  const rankings: { readonly model: RankedCase[]; readonly bm25: RankedCase[] } = { model: [], bm25: [] };
  for (const [half, data] of folders.entries()) {
    const out = join(bench.out, `run-${half}`);
    const selects = SELECTS.filter((name) => name !== "rums-logreg");
    await run({ ...requestOf(bench, data, out), sweep: { select: [...selects] } });
    runs.push(out);
    take(out, arms);
  }
  for (const [half, data] of folders.entries()) {
    const other = 1 - half;
    const model = join(bench.out, `trained-${other}.json`);
    const trained = await trainLogreg({ run: runs[other]!, data: folders[other]!, out: model }, processIo());
    const { byModel, byBm25 } = await ranked(trained.file, runs[half]!, data);
    rankings.model.push(...byModel);
    rankings.bm25.push(...byBm25);
    console.log(`trained on half ${other}: ${trained.users} users, ${trained.file.trainedOn.pairs} pairs`);
    const out = join(bench.out, `logreg-${half}`);
    keepVectors(runs[half]!, out);
    await run({ ...requestOf(bench, data, out), options: { ...options(bench), select: `rums-logreg:${model}` } });
    take(out, arms, "rums-logreg");
  }
  console.log(
    `area under the curve over users of the other half: rums-logreg ${shownRanking(rankingOf(rankings.model))}, BM25 ${shownRanking(rankingOf(rankings.bm25))}; ${rankings.model.length} pairs, ${rankings.model.filter(({ is }) => is).length} chosen`,
  );
  return arms;
}

const options = ({ embedder }: Bench): Record<string, OptionValue> => ({ embedder });

const requestOf = (bench: Bench, data: string, out: string) => ({
  task: bench.task,
  method: "rag",
  data,
  out,
  queriesPerUser: bench.queriesPerUser,
  options: options(bench),
});

/** A run finds the vectors of another one that it would compute again. */
function keepVectors(from: string, to: string): void {
  const [given, own] = [join(from, runFiles.vectors), join(to, runFiles.vectors)];
  if (!existsSync(given) || existsSync(own)) return;
  mkdirSync(to, { recursive: true });
  copyFileSync(given, own);
}

/** Adds the rows of a run to the arms that their cells name. */
function take(path: string, arms: ReadonlyMap<string, Row[]>, name?: string): void {
  const folder = openRunFolder(path, process.cwd());
  for (const row of folder.rows) {
    const arm = name ?? String(folder.cell(row.cell)?.options.select);
    arms.get(arm)?.push({ ...row, cell: arm });
  }
}
