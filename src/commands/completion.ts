import { Argument, Command } from "commander";
import type { Terminal } from "./terminal.js";

/** The commands by group, as the help has them. */
type Groups = Readonly<Record<string, Readonly<Record<string, { load(io: Terminal): Promise<Command> }>>>>;

/** Words that may follow a command: its flags and, where it has some, its own commands. */
interface Words {
  /** `data download`; empty for the program itself. */
  readonly path: string;
  readonly words: readonly string[];
}

/** `lamp-eval completion SHELL`: prints a script that completes commands and flags. */
export function completionCommand(io: Terminal, groups: Groups): Command {
  return new Command("completion")
    .addArgument(new Argument("<shell>").choices(Object.keys(scripts)))
    .action(async (shell: keyof typeof scripts) => {
      const entries = Object.values(groups).flatMap((group) => Object.entries(group));
      const commands: [string, Command][] = [];
      for (const [name, { load }] of entries) commands.push([name, await load(io)]);
      const top = { path: "", words: [...commands.map(([name]) => name), "help", "--help", "--version"] };
      io.out(scripts[shell]([top, ...commands.flatMap(([name, command]) => wordsOf(name, command))]));
    });
}

function wordsOf(path: string, command: Command): Words[] {
  const flags = command.options.flatMap(({ long, hidden }) => (hidden || long === undefined ? [] : [long]));
  const own = command.commands.map((child) => child.name());
  const below = command.commands.flatMap((child) => wordsOf(`${path} ${child.name()}`, child));
  return [{ path, words: [...own, ...flags, "--help"] }, ...below];
}

/** Of commands that begin alike the longer one comes first. */
const longestFirst = (all: readonly Words[]): Words[] => [...all].sort((a, b) => b.path.length - a.path.length);

const bash = (all: readonly Words[]): string =>
  [
    "_lamp_eval() {",
    `  local words line="\${COMP_WORDS[*]:1:COMP_CWORD-1} "`,
    '  case "$line" in',
    ...longestFirst(all).map(
      ({ path, words }) => `    ${path === "" ? "" : `"${path} "`}*) words="${words.join(" ")}" ;;`,
    ),
    "  esac",
    `  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))`,
    "}",
    "complete -o default -F _lamp_eval lamp-eval",
  ].join("\n");

const scripts = {
  bash,
  zsh: (all: readonly Words[]): string => `autoload -U +X bashcompinit && bashcompinit\n${bash(all)}`,
  fish: (all: readonly Words[]): string =>
    all
      .map(({ path, words }) => {
        const when = path === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${path.split(" ").at(-1)}`;
        return `complete -c lamp-eval -n "${when}" -a "${words.join(" ")}"`;
      })
      .join("\n"),
};
