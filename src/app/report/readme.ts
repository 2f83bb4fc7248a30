import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandWithout } from "../../run/command-line.js";
import type { Manifest } from "../../run/manifest.js";
import { runFiles } from "../../run/run-files.js";

/** What a person finds in a run folder: the command that made it, and a line for each file that there is. */
export function readmeOf(folder: string, { argv }: Manifest): string {
  const made = argv.length === 0 ? [] : ["", "Made by:", "", "```", commandWithout(argv, "--out"), "```"];
  const files = Object.entries(ABOUT).filter(([file]) => existsSync(join(folder, file)));
  return `${[
    "# A run of lamp-eval",
    ...made,
    "",
    "The same command takes it up again. `lamp-eval report` with this folder prints its tables (`--wide`: every column), `--html` writes the page, `--figures` the charts.",
    "",
    ...files.map(([file, about]) => `- \`${file}\`: ${about}`),
  ].join("\n")}\n`;
}

const ABOUT: Readonly<Record<string, string>> = {
  [runFiles.markdown]: "the tables, every column",
  [runFiles.csv]: "a line for each task, method and metric",
  [runFiles.json]: "the same numbers as JSON",
  [runFiles.latex]: "the tables for a paper",
  [runFiles.log]:
    "all that came from outside: settings, every call that was sent, every answer; the rest is made from it",
  [runFiles.rows]: "a line for each question and method (answer, gold, tokens), and for what preparing a user took",
  [runFiles.traces]: "what each method did: requests (by key), tool calls, notes; `lamp-eval show` prints it",
};
