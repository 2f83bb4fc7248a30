import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../src/cli/main.js";
import { realTerminal } from "../../src/cli/terminal.js";
import { methods } from "../../src/methods/index.js";
import { processIo } from "../../src/process-io.js";

/**
 * The README with its generated parts made anew: printed output behind `<!-- block: npx lamp-eval ... -->`, the methods, and the seconds of
 * the first run, which docs/FIRST-RUN.md has.
 */
export async function renderReadme(text: string): Promise<string> {
  let fresh = text.replace(
    /(<!-- methods -->\n)[\s\S]*?(<!-- end -->)/,
    (_, start: string, end: string) =>
      `${start}| method | what it does |\n| --- | --- |\n${methods.all.map(({ name, summary }) => `| \`${name}\` | ${summary} |\n`).join("")}${end}`,
  );
  const [install, tables] = ["npm ci", "npm run demo"].map(secondsOf);
  if (install !== undefined && tables !== undefined)
    fresh = fresh.replace(
      /`npm ci` took \d+ s, the tables \d+ s/,
      `\`npm ci\` took ${install} s, the tables ${tables} s`,
    );
  for (const [block, start = "", command = "", end = ""] of fresh.matchAll(
    /(<!-- block: npx lamp-eval (.*) -->\n```text\n)[\s\S]*?(```\n<!-- end -->)/g,
  )) {
    const output = await printed(command.split(" "));
    fresh = fresh.replace(block, () => `${start}${output}\n${end}`);
  }
  return fresh;
}

/** As the page of the first run says it, in whole seconds; undefined where it was written before it had this step. */
function secondsOf(command: string): number | undefined {
  const page = readFileSync(new URL("../../docs/FIRST-RUN.md", import.meta.url), "utf8");
  const seconds = page.split(`\n\`${command}\`\n\n`)[1]?.match(/^[\d.]+/)?.[0];
  return seconds === undefined ? undefined : Math.round(Number(seconds));
}

/** What a command prints on stdout, without times, which differ at every run. */
async function printed(args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-readme-"));
  const lines: string[] = [];
  const io = {
    ...realTerminal(processIo()),
    out: (line: string) => lines.push(line),
    err: () => undefined,
    cwd: folder,
  };
  try {
    const code = await main(args, io);
    if (code !== 0) throw new Error(`lamp-eval ${args.join(" ")} ended with ${code}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return lines.join("\n").replace(/\n*median seconds per question: .*/g, "");
}
