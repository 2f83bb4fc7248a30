import { reloadTask } from "../../../src/app/common/reload-task.js";
import { openRunFolder } from "../../../src/app/common/run-folder.js";
import { measuredRun } from "../../../src/app/rums/material.js";
import { openTrainVectors, type RankedCase } from "../../../src/app/rums/train.js";
import { casesOf } from "../../../src/app/rums/training.js";
import { cachedEmbedder, openEmbedder } from "../../../src/embedders/index.js";
import { processIo } from "../../../src/process-io.js";
import { featuresOf, plainNames } from "../../../src/selectors/rums/features.js";
import { shareOf, standardized } from "../../../src/selectors/rums/logistic.js";
import type { LogregFile } from "../../../src/selectors/rums/logreg-file.js";

/** The candidates of a run, by the share that a classifier trained elsewhere gives them, and by BM25. */
export async function ranked(
  file: LogregFile,
  run: string,
  data: string,
): Promise<{ readonly byModel: RankedCase[]; readonly byBm25: RankedCase[] }> {
  const io = processIo();
  const { manifest } = openRunFolder(run, process.cwd());
  const { measured } = measuredRun(run, io);
  const loaded = await reloadTask(manifest, file.trainedOn.task, data, io);
  const opened = await openEmbedder(file.trainedOn.embedder, { env: {}, similarity: "cosine" });
  const embedder = cachedEmbedder(opened, openTrainVectors(run, undefined, io));
  const byQuestion = new Map(measured.map((one) => [one.question, one]));
  const cases = [];
  for (const unit of loaded?.units ?? []) cases.push(...(await casesOf(unit, byQuestion, file.priors, embedder, 0)));
  const bm25 = plainNames.indexOf("bm25");
  return {
    byModel: cases.map((one) => ({
      ...one,
      score: shareOf(file, standardized(featuresOf(one, file.projection), file)),
    })),
    byBm25: cases.map((one) => ({ ...one, score: one.plain[bm25]! })),
  };
}
