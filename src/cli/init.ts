import { relative } from "node:path";
import { Command } from "commander";
import { type InitSettings, init, initQuestions } from "../app/init/init.js";
import { UsageError } from "../errors.js";
import type { Terminal } from "./terminal.js";

type Flags = Omit<InitSettings, "maxUsd"> & { readonly maxUsd?: string };

/** `lamp-eval init`: a commented config for a first run, from flags; what they leave open is asked where somebody can answer. */
export function initCommand(io: Terminal): Command {
  return new Command("init")
    .option("--task <names>", "tasks (default: lamp2m)")
    .option("--method <names>", "methods (default: prompt,rag,persona-agent)")
    .option("--model <provider/id>", "model (default: the embedded one, SIMULATED)")
    .option("--data <dir>", "data folder (default: the built-in demo data)")
    .option("--max-usd <n>", "most US dollars to spend (default: no cap)")
    .option("--out <file>", "config file to write (default: lamp-eval.yaml)")
    .option("-y, --yes", "ask nothing, take the defaults")
    .action(async ({ yes, ...flags }: Flags & { readonly yes?: boolean }) => {
      const given = yes === true ? flags : await asked(flags, io);
      const { maxUsd, ...rest } = given;
      const { file, next } = init({ ...rest, maxUsd: dollars(maxUsd) }, io);
      io.out(`${relative(io.cwd, file)} is written. Next:\n${next.map((line) => `  ${line}`).join("\n")}`);
    });
}

async function asked(flags: Flags, io: Terminal): Promise<Flags> {
  const answers: Record<string, string> = {};
  for (const { key, ask, otherwise } of initQuestions) {
    if (flags[key] !== undefined) continue;
    const answer = await io.ask(`${ask}${otherwise === "" ? "" : ` [${otherwise}]`}: `);
    if (answer === undefined) break; // nobody is there: the defaults
    if (answer.trim() !== "") answers[key] = answer.trim();
  }
  return { ...flags, ...answers };
}

function dollars(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const usd = Number(text);
  if (!(usd >= 0)) throw new UsageError(`--max-usd ${text}: write a number of US dollars, 0 or more`);
  return usd;
}
