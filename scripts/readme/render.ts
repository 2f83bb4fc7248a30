import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { main } from "../../src/commands/main.js";
import { processIo, realTerminal } from "../../src/commands/terminal.js";

/** Pages with generated parts, from the root of the repository. */
export const renderedPages = ["README.md", "docs/TUTORIAL.md", "docs/REPRODUCE.md"] as const;

/** A page with its generated parts made anew, its commands run in one folder: printed output behind `<!-- block: npx lamp-eval ... -->`. */
export async function renderPage(text: string): Promise<string> {
  let fresh = text;
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-readme-"));
  symlinkSync(resolve("datasets"), join(folder, "datasets"));
  for (const [block, start = "", command = "", end = ""] of fresh.matchAll(
    /(<!-- block: npx lamp-eval (.*) -->\n```text\n)[\s\S]*?(```\n<!-- end -->)/g,
  )) {
    const output = await printed(command.split(" "), folder);
    fresh = fresh.replace(block, () => `${start}${output}\n${end}`);
  }
  rmSync(folder, { recursive: true, force: true });
  return fresh;
}

/** What a command prints on stdout, without times, which differ at every run. */
async function printed(args: readonly string[], cwd: string): Promise<string> {
  const lines: string[] = [];
  const io = { ...realTerminal(processIo()), out: (line: string) => lines.push(line), err: () => undefined, cwd };
  const code = await main(args, io);
  if (code !== 0) throw new Error(`lamp-eval ${args.join(" ")} ended with ${code}`);
  return lines.join("\n").replace(/\n*median seconds per question: .*/g, "");
}
