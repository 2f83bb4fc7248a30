import { JSON_SCHEMA } from "../report/tables/csv.js";
import type { Terminal } from "./terminal.js";

/**
 * Prints what a command found as one JSON object, alone on stdout: the version of its form, the command, its exit code, then its own
 * keys. configs/output.schema.json describes them.
 */
export function printJson(io: Pick<Terminal, "out">, command: string, found: object, exitCode = 0): void {
  io.out(JSON.stringify({ schema: JSON_SCHEMA, command, exitCode, ...found }, undefined, 2));
}
