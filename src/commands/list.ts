import { Command } from "commander";
import { explain } from "../app/explain.js";
import { isKind, list, listKinds } from "../app/list.js";
import { indented, renderListing, renderNames } from "./list-text.js";
import type { Terminal } from "./terminal.js";

interface ListFlags {
  readonly method?: string;
  readonly json?: boolean;
}

/** `lamp-eval list [what]`: the names of all there is, the things of one kind, or one thing explained. */
export function listCommand(io: Terminal): Command {
  return new Command("list")
    .argument(
      "[what]",
      `a kind (${listKinds.join(", ")}), or a method, a task or an option to explain, e.g. persona-agent, lamp2m, rag.k`,
    )
    .option("--method <name>", "only the options that this method reads")
    .option("--json", "print JSON")
    .action((what: string | undefined, { method, json }: ListFlags) => {
      if (what !== undefined && !isKind(what)) {
        const explained = explain(what, io);
        const lines = Object.entries(explained).flatMap(([field, text]) =>
          indented(`${field}: ${text}`, 0, io.columns, 2),
        );
        return io.out(json ? JSON.stringify(explained, null, 2) : lines.join("\n"));
      }
      const listing = list({ kind: what, method }, io);
      if (json) io.out(JSON.stringify(listing, null, 2));
      else if (what === undefined && method === undefined) io.out(renderNames(listing, io.columns));
      else for (const section of renderListing(listing, io.columns)) io.out(section);
    });
}
