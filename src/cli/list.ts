import { Command } from "commander";
import { list, listKinds } from "../app/list.js";
import type { Terminal } from "./terminal.js";

/** `lamp-eval list [kind]`: everything there is, straight from the registries. */
export function listCommand(io: Terminal): Command {
  return new Command("list")
    .argument("[kind]", `one of ${listKinds.join(", ")}; all of them when left out`)
    .action((kind: string | undefined) => {
      for (const section of list(kind, io)) io.out(section);
    });
}
