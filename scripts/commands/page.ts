import { commandNames } from "../../src/commands/commands.js";
import { main } from "../../src/commands/main.js";
import { processIo } from "../../src/commands/process-io.js";
import { realTerminal } from "../../src/commands/terminal.js";

/** docs/COMMANDS.md: the help of every command and of its own commands, so that every flag stands in one document. */
export async function commandsPage(): Promise<string> {
  const sections: string[] = [];
  for (const command of commandNames) {
    const help = await helpOf([command]);
    sections.push(section("##", command, command === "sweep" ? besidesRun(help, await helpOf(["run"])) : help));
    for (const own of namesIn(help)) sections.push(section("###", `${command} ${own}`, await helpOf([command, own])));
  }
  return `${[HEAD, ...sections].join("\n\n")}\n`;
}

const HEAD =
  "# Commands\n\n**What does a flag do?** What `lamp-eval COMMAND --help` prints. `npm run commands` writes this page.";

/** The help of `sweep` without the flags that `run` describes in the same words. */
function besidesRun(help: string, run: string): string {
  const known = new Set(flagsIn(run).filter((flag) => !flag.includes("--help ")));
  const own = flagsIn(help).reduce((text, flag) => (known.has(flag) ? text.replace(flag, "") : text), `${help}\n`);
  return `${own.replace(/^\w[^\n]*:\n\n/gm, "").trimEnd()}\n\nAnd every flag of run.`;
}

/** Flags with their description. */
const flagsIn = (help: string): string[] => `${help}\n`.match(/^ {2}(?:-\w, )?--.*\n(?: {6,}.*\n)*/gm) ?? [];

const section = (mark: string, title: string, help: string): string =>
  `${mark} ${title}\n\n\`\`\`text\n${help}\n\`\`\``;

async function helpOf(words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const io = { ...realTerminal(processIo()), out: (text: string) => void printed.push(text) };
  const code = await main([...words, "--help"], io);
  if (code !== 0 || printed.length === 0) throw new Error(`no help of "${words.join(" ")}"`);
  return printed.join("\n").trimEnd();
}

/** The commands that a help lists, but for the help itself. */
function namesIn(help: string): string[] {
  const list = help.split("\nCommands:\n")[1]?.split("\n\n")[0] ?? "";
  return [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].flatMap(([, name = ""]) => (name === "help" ? [] : [name]));
}
