import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";
import { type Line, linesOf, writeForged } from "./forge.js";

const cwd = suiteDir();
const verify = (file: string) => runCommandLine(`verify ${file}`, { cwd, env: { MY_TOKEN: "hunter2-hunter2" } });

beforeAll(async () => {
  await runCommandLine("run --task lamp3 --method rag --users 2 --out run", { cwd });
  await runCommandLine("export run --form evidence --out good.jsonl", { cwd });
});

/** The good file, changed and sealed anew. */
function hostile(name: string, change: (lines: Line[]) => Line[] | undefined): string {
  const lines = linesOf(join(cwd, "good.jsonl"));
  writeForged(join(cwd, name), change(lines) ?? lines);
  return name;
}

const plan = (lines: Line[]): Line => lines[1]?.run.plan;

describe("a hostile file does nothing:", () => {
  test.each<[string, Buffer | string, RegExp?]>([
    ["a gzip bomb", gzipSync(Buffer.alloc(64 << 20)), /unpacks to more than 16 MB/],
    ["an empty file", ""],
    ["a file of line breaks", "\n".repeat(1 << 20)],
    ["a page", "<html><script>alert(1)</script></html>\n"],
    ["a nest", `{"evidence":${"[".repeat(200_000)}\n`],
  ])("%s is one line", async (_, content, says = /./) => {
    writeFileSync(join(cwd, "bad"), content);
    const { code, stdout, stderr } = await verify("bad");
    expect([1, 2]).toContain(code);
    const said = `${stdout}${stderr}`.split("\n");
    expect(said.length).toBeLessThanOrEqual(3); // the reason, the level, the limits
    expect(said.join("\n")).not.toMatch(/internal error|\n +at /);
    expect(said.join("\n")).toMatch(says);
  });

  test.each<[string, (lines: Line[]) => Line[] | undefined]>([
    ["a record that is none", (lines) => [...lines, { row: { cell: {} } }]],
    ["a member of every object", (lines) => [...lines, { constructor: {} }]],
    ["a deep record", (lines) => [...lines, { search: JSON.parse(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`) }]],
    ["an edit of its own", (lines) => void Object.assign(lines[1]?.run, { plan: [] })],
    [
      "numbers that are none",
      (lines) => void Object.assign(lines[1]?.results, { results: [{ cells: [], metrics: {} }] }),
    ],
  ])("%s is refused by its line", async (name, change) => {
    const { code, stdout } = await verify(hostile(`${name}.jsonl`.replaceAll(" ", "-"), change));
    expect(code).toBe(1);
    expect(stdout).toMatch(/jsonl line \d+: /);
  });

  test("names of folders, code and servers in it are never opened, and control signs print as letters", async () => {
    const evil = join(cwd, "evil.mjs");
    writeFileSync(
      evil,
      `import { writeFileSync } from "node:fs"; writeFileSync(${JSON.stringify(join(cwd, "ran"))}, "");\n`,
    );
    const file = hostile("evil.jsonl", (lines) => {
      const [cell] = plan(lines).cells;
      const [row] = lines.flatMap(({ row: one }) => (one === undefined ? [] : [one]));
      Object.assign(cell, { method: `exec:node ${evil}` });
      Object.assign(lines[1]?.run, {
        plugins: [{ name: evil, hash: "0", files: { [evil]: "0" }, brings: ["method mine"] }],
        name: "\u202eevil",
      });
      Object.assign(plan(lines), { baseUrl: "http://127.0.0.1:9/v1" });
      Object.assign(row, { question: "\u001b[2J../../../../etc/passwd" });
    });
    const { code, stdout, stderr } = await verify(file);
    expect(code).toBe(1);
    expect(existsSync(join(cwd, "ran"))).toBe(false);
    expect(`${stdout}${stderr}`).not.toContain("\u001b");
    expect(`${stdout}${stderr}`).not.toContain("hunter2");
  });

  test("an embedder that would be fetched or loaded is not: its arm is scores only or refused", async () => {
    const file = hostile("embedder.jsonl", (lines) => {
      for (const cell of plan(lines).cells)
        Object.assign(cell.options, { embedder: "onnx//etc", "rag.retriever": "dense" });
    });
    const { stdout } = await verify(file);
    expect(stdout).toMatch(/scores only|refused/);
  });
});
