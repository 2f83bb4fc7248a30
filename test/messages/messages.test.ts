import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { env, plantAll } from "./planted.js";
import { tables } from "./tables.js";

const cwd = suiteDir();
beforeAll(() => plantAll(cwd));

/** `npx vitest run test/messages -u` writes the files again: read what changed. */
test.each(Object.entries(tables))("%s: each mistake is answered with one line and exit code 2", async (name, lines) => {
  const answers: string[] = [];
  for (const line of lines) {
    const args = typeof line === "string" ? line.split(" ") : line;
    const { code, stdout, stderr } = await runCommandLine(args, { cwd, env });
    const typed = args.map((arg) => (/^[\w./,:=@+-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(" ");
    expect({ typed, code, stdout, lines: stderr.split("\n").length }).toEqual({ typed, code: 2, stdout: "", lines: 1 });
    // Where a parser stopped is told by some versions of Node alone, and depends on the stack.
    const said = stderr.replaceAll(cwd, "CWD").replace(/ \(line \d+ column \d+\)|, column \d{3,}/g, "");
    answers.push(`$ lamp-eval ${typed}\n${said.replace(/^lamp-eval: /, "")}\n`);
  }
  await expect(answers.join("\n")).toMatchFileSnapshot(`./${name}.txt`);
  expect(existsSync(join(cwd, "results"))).toBe(false); // nothing was begun
});
