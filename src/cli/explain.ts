import { Command } from "commander";
import { explain } from "../app/explain/explain.js";
import type { Terminal } from "./terminal.js";
import { renderExplained } from "./text/explain-text.js";

/** `lamp-eval explain NAME`: a method's steps, calls, knobs and sources; what a task or an option is. */
export function explainCommand(io: Terminal): Command {
  return new Command("explain")
    .argument("<name>", "a method, a task or an option: persona-agent, lamp2m, rag.k")
    .option("--json", "as one JSON object, for programs")
    .action((name: string, { json }: { readonly json?: boolean }) => {
      const explained = explain(name, io);
      io.out(json ? JSON.stringify(explained, null, 2) : renderExplained(explained, io.columns));
    });
}
