import { Command } from "commander";
import { renderTranscript, type ShowSettings, show } from "../app/show.js";
import { graphCommand } from "./graph.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval show <run>`: what was asked, called, observed and answered. Only reads, so a run may still be working. */
export function showCommand(io: Terminal): Command {
  return new Command("show")
    .enablePositionalOptions() // the flags behind `show graph` are its own
    .argument("<run>", "run folder")
    .option("--user <id>", "only this user")
    .option("--question <id>", "only this question")
    .option("--method <name>", "only this method")
    .option("--json", "print JSON: of each transcript title, row, notes (facts of an assistant among them) and calls")
    .option("--preparation", "also the preparation of the user before the first question")
    .action(async (run: string, { json, ...flags }: Omit<ShowSettings, "run"> & { readonly json?: boolean }) => {
      const transcripts = await show({ ...flags, run }, io);
      if (json === true) return io.out(JSON.stringify(transcripts, undefined, 2));
      for (const transcript of transcripts) io.out(`${renderTranscript(transcript)}\n`);
    })
    .addCommand(graphCommand(io));
}
