import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { commandsPage } from "./commands/page.js";

/** Writes docs/COMMANDS.md. */
process.stdout.isTTY = false; // help is then as wide in every terminal
writeFileSync(fileURLToPath(new URL("../docs/COMMANDS.md", import.meta.url)), await commandsPage());
