import { LOG_FILE } from "../log/log.js";

/** The files of a run folder. All but the log are made again from it. */
export const runFiles = {
  /** All that came from outside: plan, tries, answers. */
  log: LOG_FILE,
  /** A line for each question, each prepared user and each shared value. */
  rows: "rows.jsonl",
  /** What each of them did. */
  traces: "traces.jsonl",
  /** A folder: pictures that methods drew, and charts. */
  figures: "figures",
  markdown: "results.md",
  latex: "results.tex",
  csv: "results.csv",
  json: "results.json",
  page: "report.html",
  /** What each file is, and the command that made the run. */
  readme: "README.md",
} as const;
