export const runFiles = {
  manifest: "manifest.json",
  rows: "rows.jsonl",
  units: "units.jsonl",
  timings: "timings.jsonl",
  traces: "traces.jsonl",
  responses: "responses.jsonl",
  vectors: "vectors.jsonl",
  searches: "searches.jsonl",
  /** Every try that was sent, for caps; no record of results. */
  attempts: "attempts.jsonl",
  /** Every batch that was sent, with its requests; no record of results. */
  batches: "batches.jsonl",
  /** What belonged to no intact record of the other files. */
  damaged: "damaged.jsonl",
  /** In a folder for each judge of the run. */
  judgements: "judgements.jsonl",
  /** Beside it: judge, model and settings, with seals; and the tables. */
  judge: "judge.json",
  judged: "judgements.md",
  /** A folder: pictures that methods drew, and charts. */
  figures: "figures",
  markdown: "results.md",
  latex: "results.tex",
  csv: "results.csv",
  json: "results.json",
  page: "report.html",
  /** What each file is, and the command that made the run. */
  readme: "README.md",
  /** What a replay found missing in its cassette. */
  replayText: "replay.md",
  replayJson: "replay.json",
} as const;

/** What a run writes down while it calls models, in the order of a folder's list: all else follows from it and the plan. */
export const recordFiles = [
  runFiles.rows,
  runFiles.units,
  runFiles.timings,
  runFiles.traces,
  runFiles.responses,
  runFiles.vectors,
  runFiles.searches,
] as const;
