import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { personaVersions } from "../../src/report/personas/persona.js";
import { readJournal } from "../../src/run/journal.js";
import { latestRows, runFiles } from "../../src/run/rows.js";
import type { Trace } from "../../src/types/index.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
let user: string;

beforeAll(async () => {
  const methods = "persona-agent,persona-agent-wo-alignment,pag";
  const line = `run --task lamp2m --method ${methods} --users 2 --queries-per-user 1 --set align.iterations=2 --out done`;
  const { code, stderr } = await run(line);
  if (code !== 0) throw new Error(stderr);
  user = latestRows(join(cwd, "done"))[0]?.user ?? "";
});

/** P0..PE of the user as the trace of persona-agent holds them. */
function versions() {
  const traces = [...readJournal<Trace>(join(cwd, "done", runFiles.traces))];
  const own = traces.filter(({ unit, question }) => unit === user && question === undefined);
  return own.map(personaVersions).find(({ length }) => length === 3) ?? [];
}

describe("lamp-eval persona", () => {
  test("prints the persona that alignment ended with", async () => {
    const { code, stdout } = await run(`show persona done --user ${user} --method persona-agent`);
    const last = versions().at(-1);
    expect(code).toBe(0);
    expect(stdout).toBe(`lamp2m · persona-agent · user ${user}: persona P2 (${last?.outcome})\n\n${last?.persona}\n`);
    expect(last?.persona).toContain("User summary: most popular tag");
  });

  test("--diff prints P0 and every change with the gradients behind it", async () => {
    const { stdout } = await run(`show persona done --user ${user} --method persona-agent --diff`);
    const [p0, p1, p2] = versions();
    expect(p1?.gradients).toHaveLength(3);
    expect(stdout.startsWith(`lamp2m · persona-agent · user ${user}: P0\n\n${p0?.persona}\n`)).toBe(true);
    expect(stdout).toContain("\nP0 -> P1 (updated)\n");
    expect(stdout).toContain(`\nP1 -> P2 (${p2?.outcome})\n`);
    for (const [index, { event, text }] of [...(p1?.gradients ?? []), ...(p2?.gradients ?? [])].entries())
      expect(stdout).toContain(`gradient ${(index % 3) + 1} (${event}):\n${text.replace(/^/gm, "  ")}`);
    const old = p0?.persona.split("\n") ?? [];
    const added = p1?.persona.split("\n").filter((line) => !old.includes(line)) ?? [];
    expect(added.length).toBeGreaterThan(0);
    for (const line of added) expect(stdout).toContain(`\n+ ${line}`);
  });

  test("without --method prints the personas of every method that has one", async () => {
    const { stdout } = await run(`show persona done --user ${user}`);
    const heads = stdout.match(/^lamp2m · .*$/gm)?.sort();
    expect(heads).toEqual([
      `lamp2m · persona-agent · user ${user}: persona P2 (updated)`,
      `lamp2m · persona-agent-wo-alignment · user ${user}: persona P0 (initial)`,
    ]);
  });
});
