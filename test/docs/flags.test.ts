import { readdirSync, readFileSync } from "node:fs";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { commandGroups } from "../../src/commands/commands.js";
import { exitCodes } from "../../src/commands/exit-code.js";
import { processIo, realTerminal } from "../../src/commands/terminal.js";
import { Runs } from "../../src/record/stored-run.js";

const root = new URL("../..", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), "utf8");
const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "MAINTAINING.md",
  "SECURITY.md",
  "results/README.md",
  ...readdirSync(new URL("docs/", root)).map((name) => `docs/${name}`),
].filter((path) => path.endsWith(".md"));

/** Long flags by command, `data download` among them. */
const flagsOf = new Map<string, Set<string>>();
const io = { ...realTerminal(processIo()), runs: new Runs(".") };
for (const group of Object.values(commandGroups))
  for (const [name, { load }] of Object.entries(group)) {
    const command = await load(io);
    flagsOf.set(name, longFlags(command));
    for (const own of command.commands) flagsOf.set(`${name} ${own.name()}`, longFlags(own));
  }

test("there are at most 19 commands, and run has at most 36 flags", () => {
  expect([...flagsOf.keys()].filter((name) => !name.includes(" ")).length).toBeLessThanOrEqual(19);
  expect(flagsOf.get("run")!.size).toBeLessThanOrEqual(36);
});

test("docs/RELIABILITY.md has a line for every exit code", () => {
  const codes = Object.values(exitCodes).flatMap((code) => (typeof code === "number" ? [code] : Object.values(code)));
  const page = textOf("docs/RELIABILITY.md");
  expect(codes.filter((code) => !page.includes(`\n| ${code} | `))).toEqual([]);
});

for (const flags of flagsOf.values()) flags.add("--plugin"); // every command takes it

/** Flags of model servers and of Slurm. */
const foreignFlags = ["--enable-auto-tool-choice", "--tool-call-parser", "--jinja", "--dependency"];

const everyFlag = new Set(
  [...flagsOf.values(), ["--version", "--help", ...foreignFlags]].flatMap((flags) => [...flags]),
);

/** Other programs. */
const foreign = [
  "npm ",
  "npx ",
  "node ",
  "tsx ",
  "python",
  "pip ",
  "git ",
  "docker ",
  "vllm ",
  "optimum-cli ",
  "llama-server ",
];

test.each(pages)("%s: commands and flags are those of the program", (path) => {
  expect(spansOf(textOf(path)).flatMap((span) => problemsOf(span))).toEqual([]);
});

test("there are many such commands, and one that is wrong is found", () => {
  const all = pages.flatMap((path) => spansOf(textOf(path)));
  expect(all.filter((span) => span.startsWith("lamp-eval ")).length).toBeGreaterThan(80);
  expect(problemsOf("lamp-eval report results/RUN --htm")).toEqual([
    "`lamp-eval report results/RUN --htm`: no such flag --htm",
  ]);
  expect(problemsOf("lamp-eval reprot results/RUN")).toEqual(["`lamp-eval reprot results/RUN`: no command reprot"]);
  expect(problemsOf("--dry-runs")).toEqual(["`--dry-runs`: no command has --dry-runs"]);
});

test("messages of the program name commands that there are", () => {
  const files = readdirSync(new URL("src/", root), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const wrong = files.flatMap((name) =>
    [...textOf(`src/${name}`).matchAll(/(?:with|use|by|:|get it with|command is) lamp-eval ([a-z-]+)/g)].flatMap(
      ([text, word = ""]) => (flagsOf.has(word) ? [] : [`${name}: ${text}`]),
    ),
  );
  expect(wrong).toEqual([]);
});

function longFlags(command: Command): Set<string> {
  return new Set(command.options.flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long])));
}

/** Code within sentences and tables, and the command lines of blocks. */
function spansOf(text: string): string[] {
  const inSentences = [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/`([^`]+)`/g)];
  const inBlocks = text.matchAll(/^(?:\$|- run:) ((?:[A-Z_]+=\S+ )*(?:npx )?lamp-eval .*?)(?:\s+#.*)?$/gm);
  return [...inSentences, ...inBlocks].map(([, span = ""]) => span.replaceAll(/\s+/g, " "));
}

const OWN = /^(?:[A-Z_]+=\S+ )*(?:npx )?lamp-eval /;
const isForeign = (span: string): boolean => foreign.some((program) => span.startsWith(program));
const isOwn = (span: string): boolean =>
  OWN.test(span) || /^\S+(?= \S)/.exec(span)?.some((word) => flagsOf.has(word)) === true;

function problemsOf(span: string): string[] {
  if (isForeign(span)) return [];
  const words = span.replace(OWN, "").split(" ");
  const flags = words.flatMap((word) => /^\(?(--[a-z][a-z-]*)(?=[=,.;)]|$)/.exec(word)?.[1] ?? []);
  if (!isOwn(span))
    return span.startsWith("--")
      ? flags.filter((flag) => !everyFlag.has(flag)).map((flag) => `\`${span}\`: no command has ${flag}`)
      : [];
  const [first = "", second = ""] = words;
  if (first.startsWith("-")) return [];
  const own = flagsOf.get(`${first} ${second}`) ?? flagsOf.get(first);
  if (own === undefined) return /^[a-z]+$/.test(first) ? [`\`${span}\`: no command ${first}`] : [];
  return flags.filter((flag) => !own.has(flag) && flag !== "--help").map((flag) => `\`${span}\`: no such flag ${flag}`);
}
