import { appendFileSync, cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { lineOf } from "../../src/log/entry.js";
import { rowsOf, runFiles, tracesOf } from "../../src/record/rows.js";
import { everyFile } from "../helpers/run-folder.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();
const run = (line: string) => runCommandLine(line, { cwd });
/** First user and question of the run. */
let user: string;
let question: string;

beforeAll(async () => {
  const line = "run --task lamp2m --method persona-agent,pag --users 7 --queries-per-user 2 --out done";
  const { code, stderr } = await run(line);
  if (code !== 0) throw new Error(stderr);
  const [row] = rowsOf(join(cwd, "done"));
  user = row?.user ?? "";
  question = row?.question ?? "";
});

const titles = (text: string): string[] => text.match(/^=== .*?(?= ={3})/gm) ?? [];

interface Step {
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly observation: string }[];
}
interface AgentNote {
  readonly system: string;
  readonly question: string;
  readonly steps: readonly Step[];
}

/** The agent runs that the traces of this question hold. */
function agentRuns(): AgentNote[] {
  return [...tracesOf(join(cwd, "done"))]
    .filter((trace) => trace.question === question)
    .flatMap(({ notes }) =>
      notes.flatMap(({ kind, data }) => (kind === "agent" ? [data as unknown as AgentNote] : [])),
    );
}

const indented = (text: string): string => text.replace(/^/gm, "  ");

describe("lamp-eval show", () => {
  test("prints the trajectory of one question: system prompt, turns, calls, observations, retrieved ids, answer", async () => {
    const { code, stdout } = await run(`show done --question ${question} --method persona-agent`);
    expect(code).toBe(0);
    expect(titles(stdout)).toEqual([`=== lamp2m · persona-agent · user ${user} · question ${question}`]);
    const [told, ...more] = agentRuns();
    expect(more).toEqual([]);
    expect(told?.steps.flatMap(({ calls }) => calls.map(({ tool }) => tool)).sort()).toEqual([
      "episodic_memory",
      "wikipedia",
    ]);
    expect(stdout).toContain(
      `[system]\n${indented(told?.system ?? "?")}\n[question]\n${indented(told?.question ?? "?")}`,
    );
    for (const [index, { text, calls }] of told?.steps.entries() ?? []) {
      if (text !== "") expect(stdout).toContain(`[turn ${index + 1}]\n${indented(text)}`);
      for (const { tool, observation } of calls) {
        expect(stdout).toContain(`[turn ${index + 1}: call ${tool}]`);
        expect(stdout).toContain(`[observation]\n${indented(observation)}`);
      }
    }
    expect(stdout).toMatch(new RegExp(`^\\[retrieved for ".+"\\]\\n  (${user}-\\d+, ){3}${user}-\\d+$`, "m"));
    expect(stdout).toMatch(/^gold: .* \| reply: ".*" \(answered; lenient reading: ".*"\)$/m);
    expect(stdout).not.toContain("--- simulation");
  });

  test("with --preparation adds what was done for that question's user, and for no one else", async () => {
    const { stdout } = await run(`show done --question ${question} --preparation`);
    expect(titles(stdout).sort()).toEqual(
      ["pag", "persona-agent"]
        .flatMap((method) =>
          [`question ${question}`, "preparation"].map((part) => `=== lamp2m · ${method} · user ${user} · ${part}`),
        )
        .sort(),
    );
    expect(stdout).toContain("--- persona P0 (initial)");
    expect(stdout.match(/^--- agent run, simulate of /gm)).toHaveLength(3);
    expect(stdout.match(/^--- simulation: event /gm)).toHaveLength(3);
    expect(stdout.match(/^\[gradient \d, from .*\]$/gm)).toHaveLength(3);
    expect(stdout).toContain("--- persona P1 (updated)");
    // what no trajectory tells: summary, three gradients and the update as they were asked for
    expect(stdout.match(/^ {2}You are a meticulous and critical evaluator/gm)).toHaveLength(3);
    expect(stdout.match(/^ {2}You are a prompt engineering assistant/gm)).toHaveLength(1);
  });

  test("shows prompt, retrieved ids and reply of a method without an agent", async () => {
    const { stdout } = await run(`show done --question ${question} --method pag`);
    const row = rowsOf(join(cwd, "done")).find((row) => row.question === question);
    const reply = row?.outcome.kind === "failed" ? "?" : (row?.outcome.reply ?? "?");
    expect(stdout).toMatch(/^\[user\]\n {2}.*most popular tag/m);
    expect(stdout).toContain("Which tag does this movie relate to");
    expect(stdout).toMatch(/^\[reply, end, \d+ \+ \d+ tokens\]\n {2}\S/m);
    expect(reply).not.toBe("?");
  });

  test("shows all questions of a user, the first five of a run, and as many as asked for", async () => {
    expect(titles((await run(`show done --user ${user}`)).stdout)).toHaveLength(2 * 2);
    const { stdout } = await run("show done");
    expect(titles(stdout)).toHaveLength(5);
    expect(stdout).toMatch(/^5 of 28 answers; more: --limit N$/m);
    expect(titles((await run("show done --limit 20")).stdout)).toHaveLength(20);
    expect(JSON.parse((await run("show done --json")).stdout).transcripts).toHaveLength(28);
  });

  test("tells why an answer was wrong: question, gold, answer and what the method saw, right ones left out", async () => {
    const { stdout } = await run("show done --wrong --limit 99 --method pag");
    const wrong = rowsOf(join(cwd, "done")).filter(({ arm, gold, outcome }) => {
      const [pag] = rowsOf(join(cwd, "done")).filter((row) => row.method === "pag");
      return arm === pag!.arm && !(outcome.kind === "answered" && outcome.reply === gold);
    });
    expect(wrong.length).toBeGreaterThan(0);
    expect(titles(stdout)).toHaveLength(wrong.length);
    for (const { content, gold, question: id } of wrong) {
      expect(stdout).toContain(`question ${id} ===`);
      expect(stdout).toContain(`question: ${content}\ngold: ${gold} | reply: `);
    }
    expect(stdout).toContain("Which tag does this movie relate to");
  });

  test("only reads: not a byte of the folder changes, torn tails of a running process included", async () => {
    const running = join(cwd, "running");
    cpSync(join(cwd, "done"), running, { recursive: true });
    appendFileSync(join(running, runFiles.log), lineOf({ t: "fact", name: "more", value: 1 })); // it goes on
    for (const name of [runFiles.log, runFiles.rows]) appendFileSync(join(running, name), '{"key":"half a rec');
    const before = everyFile(running);
    expect(await run(`show running --question ${question} --preparation`)).toMatchObject({ code: 0 });
    expect(everyFile(running)).toEqual(before);
  });
});
