import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main } from "../../src/cli/main.js";
import { realTerminal } from "../../src/cli/terminal.js";
import { methods } from "../../src/methods/index.js";

/** The README with its generated blocks made anew: printed output behind `<!-- block: npx lamp-eval ... -->`, and the methods. */
export async function renderReadme(text: string): Promise<string> {
  let fresh = text.replace(
    /(<!-- methods -->\n)[\s\S]*?(<!-- end -->)/,
    (_, start: string, end: string) =>
      `${start}| method | what it does |\n| --- | --- |\n${methods.all.map(({ name, summary }) => `| \`${name}\` | ${summary} |\n`).join("")}${end}`,
  );
  for (const [block, start = "", command = "", end = ""] of fresh.matchAll(
    /(<!-- block: npx lamp-eval (.*) -->\n```text\n)[\s\S]*?(```\n<!-- end -->)/g,
  )) {
    const output = await printed(command.split(" "));
    fresh = fresh.replace(block, () => `${start}${output}\n${end}`);
  }
  return fresh;
}

/** What a command prints on stdout, without times, which differ at every run. */
async function printed(args: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "lamp-eval-readme-"));
  const lines: string[] = [];
  const io = { ...realTerminal(), out: (line: string) => lines.push(line), err: () => undefined, cwd: folder };
  try {
    const code = await main(args, io);
    if (code !== 0) throw new Error(`lamp-eval ${args.join(" ")} ended with ${code}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return lines.join("\n").replace(/\n*median seconds per question: .*/g, "");
}
