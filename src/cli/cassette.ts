import { relative } from "node:path";
import { Command } from "commander";
import {
  cassetteContents,
  cassetteText,
  exportCassette,
  importCassette,
  importedText,
  showCassette,
} from "../app/cassette.js";
import type { Terminal } from "./terminal.js";

interface OutFlag {
  readonly out: string;
}

/** `lamp-eval cassette export|import|show`: the replies of a run as one file that can be committed and replayed. */
export function cassetteCommand(io: Terminal): Command {
  const command = new Command("cassette");
  command
    .command("export")
    .description("write a run's requests, replies, vectors and searches as one sorted file")
    .argument("<run>", "run folder")
    .requiredOption("--out <place>", "a folder (cassette.jsonl goes into it), or a file named *.jsonl or *.jsonl.gz")
    .action((run: string, { out }: OutFlag) => {
      const { file, cassette } = exportCassette({ run, out }, io);
      io.out(`${relative(io.cwd, file)}: cassette ${cassette.id.slice(0, 12)}, ${cassetteContents(cassette.head)}`);
    });
  command
    .command("import")
    .description("start a run folder from a cassette: the run then buys only the calls that it lacks")
    .argument("<cassette>", "folder or file of a cassette")
    .requiredOption("--out <run>", "run folder, for lamp-eval run --out")
    .action((named: string, { out }: OutFlag) => {
      io.out(`${out}: ${importedText(importCassette({ cassette: named, out }, io))}`);
    });
  command
    .command("show")
    .description("print what a cassette holds")
    .argument("<cassette>", "folder or file of a cassette")
    .option("--json", "print JSON")
    .action((named: string, { json }: { readonly json?: boolean }) => {
      const cassette = showCassette(named, io);
      io.out(
        json === true ? JSON.stringify({ id: cassette.id, ...cassette.head }, undefined, 2) : cassetteText(cassette),
      );
    });
  return command;
}
