import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const root = new URL("../..", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), "utf8");

/** Whose commands are run here, in this order, in one folder. */
const run = ["TUTORIAL", "DATA", "HOW-TO", "EXTENDING", "REPRODUCE"].map((name) => `docs/${name}.md`);
const MARK = "# not run by ";

describe("every command of these pages and of the README is run here, or says that it is not", () => {
  const cwd = suiteDir();

  test("each command ends as the page says, and prints what it quotes", async () => {
    cpSync(fileURLToPath(new URL("docs/examples", root)), join(cwd, "."), { recursive: true });
    writeFileSync(join(cwd, "first.yaml"), /```yaml\n([\s\S]*?)```/.exec(textOf("docs/TUTORIAL.md"))![1]!);
    mkdirSync(join(cwd, "mine"));
    writeFileSync(join(cwd, "mine/users.json"), /```json\n([\s\S]*?)```/.exec(textOf("docs/DATA.md"))![1]!);
    for (const path of run)
      for (const { commands, quoted, marked } of blocksOf(textOf(path))) {
        if (marked) continue;
        let printed = "";
        for (const command of commands) {
          if (ranElsewhere.includes(command)) continue;
          const [line = "", remark = ""] = command.split(/\s+#\s/);
          const { code, stdout, stderr } = await runCommandLine(line.replace(/^lamp-eval /, ""), { cwd });
          expect(code, `${path}: ${line}\n${stderr}`).toBe(Number(/ends with (\d+)/.exec(remark)?.[1] ?? 0));
          printed = stdout;
        }
        if (quoted !== undefined) expect(printed, `${path}: ${commands.at(-1)}`).toContain(quoted);
      }
  });

  test("README: each command that names a run is run on one", async () => {
    for (const { commands, marked } of blocksOf(textOf("README.md"))) {
      if (marked) continue;
      for (const command of commands) {
        if (ranElsewhere.includes(command)) continue;
        const line = placeholders.reduce((text, [name, value]) => text.replace(name, value), command);
        const { code, stderr } = await runCommandLine(line.replace(/^lamp-eval /, ""), { cwd });
        expect(code, `README.md: ${command}\n${stderr}`).toBe(0);
      }
    }
  });
});

/** Commands of the README that other tests and the CI run as they stand. */
const ranElsewhere = [
  "npm ci && npm run demo", // the CI
  "lamp-eval sweep ablation --config configs/personaagent-t3.yaml --demo", // test/commands/sweep-configs.test.ts
  "lamp-eval doctor ./recent.ts", // test/e2e/plugin.test.ts
  "lamp-eval run --plugin ./recent.ts --task lamp2m --method recent,rag --set recent.k=5", // test/e2e/plugin.test.ts, smaller
];

test("each command that runs elsewhere stands on a page", () => {
  const pages = [...run, "README.md"].flatMap((path) => blocksOf(textOf(path)).flatMap(({ commands }) => commands));
  expect(ranElsewhere.filter((command) => !pages.includes(command))).toEqual([]);
});

/** What stands for a run of the reader's in the README, and the run of the tutorial that takes its place. */
const placeholders = [
  ["results/<run>", "results/first"],
  ["results/A results/B", "results/first results/again"],
  ["--question ID", "--question u01-q1"],
  ["baseline.json", "of-readme.json"],
  ["run.pack", "of-readme.pack"],
  ["init tickets", "init more"], // HOW-TO has made the folder
] as const;

interface Block {
  readonly commands: readonly string[];
  /** The block of text right behind it: what the last command prints. */
  readonly quoted: string | undefined;
  readonly marked: boolean;
}

/** Fenced blocks that hold commands. */
function blocksOf(text: string): Block[] {
  const fences = /```(\w*)\n([\s\S]*?)```\n(?:<!--[^\n]*-->\n)?(?:```text\n([\s\S]*?)```)?/g;
  return [...text.matchAll(fences)].flatMap(([, language = "", body = "", quoted]) => {
    if (!["", "console", "bash", "sh", "shell"].includes(language)) return [];
    const lines = body.split("\n").map((line) => line.replace(/^\$ /, "").trim());
    const commands = lines
      .filter((line) => /^(?:[A-Z_]+=\S+ )*(?:npx |npm |lamp-eval )/.test(line))
      .map((line) => (/ends with/.test(line) ? line : line.replace(/\s+#\s.*$/, "")));
    return commands.length === 0 ? [] : [{ commands, quoted: quoted?.trimEnd(), marked: body.includes(MARK) }];
  });
}
