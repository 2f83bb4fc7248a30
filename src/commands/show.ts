import { Command } from "commander";
import { renderTranscript, type ShowSettings, show } from "../app/show.js";
import { UsageError } from "../errors.js";
import type { Terminal } from "./terminal.js";

interface Flags extends Omit<ShowSettings, "run"> {
  readonly json?: boolean;
  readonly graph?: string;
}

/** `lamp-eval show <run>`: what was asked, called, observed and answered. Only reads, so a run may still be working. */
export function showCommand(io: Terminal): Command {
  return new Command("show")
    .argument("<run>", "run folder")
    .option("--user <id>", "only this user")
    .option("--question <id>", "only this question")
    .option("--method <name>", "only this method")
    .option("--json", "print JSON: of each transcript title, row, notes (facts of an assistant among them) and calls")
    .option("--preparation", "also the preparation of the user before the first question")
    .option(
      "--graph <file>",
      "draw the knowledge graph around the user of --user into this SVG file, and print nothing else",
    )
    .action(async (run: string, { json, graph, ...flags }: Flags) => {
      if (graph !== undefined) {
        const { user, method } = flags;
        if (user === undefined) throw new UsageError(`--graph ${graph}: name the user to draw with --user`);
        const { drawGraph } = await import("../app/draw-graph.js");
        await drawGraph({ run, user, method, graph }, io);
        return io.out(`written: ${graph}`);
      }
      const transcripts = await show({ ...flags, run }, io);
      if (json === true) return io.out(JSON.stringify(transcripts, undefined, 2));
      for (const transcript of transcripts) io.out(`${renderTranscript(transcript)}\n`);
    });
}
