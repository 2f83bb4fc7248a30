import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

/** What version 0.1.0 wrote; the README there has the commands. */
const fixture = join(import.meta.dirname, "../fixtures/run-0.1.0");
const knobs =
  "--set wiki.mode=replay --set wiki.fixture=wikipedia.json --set align.batchSize=1 --set persona-agent.tools=memory --set memory.k=1 --set agent.maxSteps=2 --history-limit latest:4";
const finished = `run --task lamp3 --data data --method rag,pag,persona-agent,graph-rag,membank --queries-per-user 2 ${knobs}`;
const interrupted = `run --task lamp3 --data data --method pag,persona-agent --concurrency 4 ${knobs}`;

const cwd = suiteDir();
beforeAll(() => cpSync(fixture, cwd, { recursive: true }));

const type = (line: string) => runCommandLine(line, { cwd });
const stored = (name: string) => readFileSync(join(fixture, name), "utf8");
const fresh = (name: string) => readFileSync(join(cwd, name), "utf8");

/** What the gate of that version answered: `pass`, `regress` and `inconclusive`, of answers alike and not. */
const gates = JSON.parse(stored("gates.json")) as readonly {
  readonly command: string;
  readonly code: number;
  readonly verdict: string;
  readonly lines: readonly Readonly<Record<string, string | number | boolean>>[];
}[];

describe("a run folder of version 0.1.0", () => {
  test.each(["finished", "online", "interrupted"])("%s: the tables come out as they were stored", async (run) => {
    const { code, stderr } = await type(`report ${run}`);
    expect(code, stderr).toBe(0);
    for (const name of ["results.md", "results.csv", "results.tex", "results.json"])
      expect(fresh(`${run}/${name}`)).toBe(stored(`${run}/${name}`));
  });

  test("shows a question's transcript", async () => {
    const { code, stdout, stderr } = await type("show finished --question ada-q0 --method membank");
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("gold: 5");
    expect(stdout).toContain("You answer on behalf of one user whom you know from memory.");
  });

  test("compares two of its methods", async () => {
    const { code, stdout, stderr } = await type("compare finished --method rag --method-b graph-rag");
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("mae");
  });

  test("passes the gate against its own baseline of that version", async () => {
    const { code, stderr } = await type("gate finished --baseline baseline.json --method rag,membank");
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("identical: same requests, same answers");
  });

  test.each(gates)("by the withdrawn rule: $command", async ({ command, code, verdict, lines }) => {
    const answer = await type(`${command} --rule 0.1.0`);
    expect(answer.code, answer.stderr).toBe(code);
    const found = JSON.parse(answer.stdout);
    expect([found.verdict, found.rule]).toEqual([verdict, "0.1.0"]);
    expect(found.lines).toHaveLength(lines.length);
    for (const [l, line] of lines.entries())
      for (const [name, value] of Object.entries(line))
        if (typeof value === "number") expect(found.lines[l][name], name).toBeCloseTo(value, 12);
        else expect(found.lines[l][name], name).toBe(value);
    expect(answer.stderr).toContain("WITHDRAWN RULE of version 0.1.0: at its stated risk of 5 % it passes a run worse");
    expect(answer.stderr).not.toContain("no loss above the margin");
  });

  test.each(["--claim set", "--noise .2", "--fail-on worse", "--junit gate.xml"])(
    "the withdrawn rule knows no %s",
    async (flag) => {
      const { code, stderr } = await type(`gate finished --baseline baseline.json --method rag --rule 0.1.0 ${flag}`);
      expect(code).toBe(2);
      expect(stderr).toContain(`${flag.split(" ")[0]} is of today's rule: leave it or --rule out`);
    },
  );

  test("the same command again sends nothing and changes no record", async () => {
    const { code, stderr } = await type(`${finished} --out finished`);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("0 calls sent");
    expect(recordsOf("finished", fresh)).toEqual(recordsOf("finished", stored));
  });
});

test("an interrupted run of version 0.1.0 is resumed to the rows of an uninterrupted one", async () => {
  const { code, stderr } = await type(`${interrupted} --out interrupted`);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("18 calls sent, 16 replies from the store");
  expect(recordsOf("interrupted", fresh)).toEqual(recordsOf("resumed", stored));
  expect(fresh("interrupted/results.md")).toBe(stored("resumed/results.md"));
});

/** The records of a run, whatever a later version adds to each line to check it. */
function recordsOf(run: string, read: (name: string) => string): Record<string, object[]> {
  return Object.fromEntries(
    ["rows.jsonl", "units.jsonl", "traces.jsonl"].map((name) => [
      name,
      read(`${run}/${name}`)
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => {
          const { "#": _check, ...record } = JSON.parse(line);
          return record;
        }),
    ]),
  );
}
