import { Command } from "commander";
import { UsageError } from "../errors.js";
import { paperTables } from "../report/paper-tables.js";
import { derivePublished } from "../report/published.js";
import { renderPublished } from "../report/published-text.js";
import type { Io } from "./io.js";

interface Flags {
  readonly publishedOnly?: boolean;
  readonly json?: boolean;
}

/** `lamp-eval reproduce 000/T2 --published-only`: what a published table implies. Needs no data, key or model. */
export function reproduceCommand(io: Io): Command {
  return new Command("reproduce")
    .description("say what the printed values of a paper's table imply: counts, intervals, possible paired tests")
    .argument("<table>", `published table: ${paperTables.names.join(", ")}`)
    .option("--published-only", "arithmetic on the published values alone; nothing is run")
    .option("--json", "print JSON")
    .action((name: string, { publishedOnly, json }: Flags) => {
      const table = paperTables.get(name, "reproduce");
      if (publishedOnly !== true)
        throw new UsageError(
          `reproduce ${table.name}: setting own runs beside published values is not there yet; add --published-only for what the published values imply by themselves`,
        );
      const tasks = derivePublished(table);
      const { title, source } = table;
      io.out(
        json === true
          ? JSON.stringify({ table: table.name, title, source, derived: true, tasks }, undefined, 2)
          : renderPublished(table, tasks),
      );
    });
}
