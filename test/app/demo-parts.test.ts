import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { readJournal } from "../../src/run/journal.js";
import { readManifest } from "../../src/run/manifest.js";
import { latestRows, runFiles } from "../../src/run/rows.js";
import type { Trace } from "../../src/types/index.js";
import { suiteDir } from "../helpers/suite-dir.js";
import { runCommandLine } from "../helpers/test-io.js";

const cwd = suiteDir();

/** The runs on the built-in data that show all parts, small ones. */
const runs = {
  agents:
    "run --task lamp1 --users 8 --method prompt,react,pag,persona-agent,persona-agent-wo-memory,persona-agent-wo-persona,persona-agent-wo-alignment",
  offline: "run --task lamp1 --users 8 --method persona-agent --set persona-agent.tools=memory",
  graphs: "run --task lamp1 --users 8 --method graph-rag --config graphs.yaml",
  selections: "run --task lamp1 --users 8 --method rag --config selections.yaml",
  simple: "run --task lamp2m,lamp3 --method prompt,react,rag,pag",
};
const configs = {
  "graphs.yaml": ["own", "own+global", "own+global+communities"].map((shown) => `graph-rag.blocks: ${shown}`),
  "selections.yaml": ["select: bm25", "select: all"],
};

beforeAll(async () => {
  for (const [name, points] of Object.entries(configs))
    writeFileSync(join(cwd, name), `points: [${points.map((point) => `{ ${point} }`).join(", ")}]\n`);
  for (const [out, line] of Object.entries(runs))
    expect((await runCommandLine(`${line} --out ${out}`, { cwd })).code, out).toBe(0);
});

type Arm = readonly [run: keyof typeof runs, method: string, option?: readonly [name: string, value: string]];

const part = (name: string, whole: Arm, without: Arm, task = "lamp1") => ({ name, whole, without, task });
const blocks = (shown: string): Arm => ["graphs", "graph-rag", ["graph-rag.blocks", shown]];
const agent: Arm = ["agents", "persona-agent"];

const parts = [
  part("memory", agent, ["agents", "persona-agent-wo-memory"]),
  part("persona", agent, ["agents", "persona-agent-wo-persona"]),
  part("alignment", agent, ["agents", "persona-agent-wo-alignment"]),
  part("Wikipedia, of an agent with memory", agent, ["offline", "persona-agent"]),
  part("Wikipedia, of an agent that has nothing else", ["agents", "react"], ["agents", "prompt"]),
  part("other users", blocks("own+global"), blocks("own")),
  part("communities", blocks("own+global+communities"), blocks("own+global")),
  part("selection", ["selections", "rag", ["select", "bm25"]], ["selections", "rag", ["select", "all"]]),
  part("profile", ["simple", "pag"], ["simple", "rag"], "lamp2m"),
  part("profile", ["simple", "pag"], ["simple", "rag"], "lamp3"),
  part("Wikipedia", ["simple", "react"], ["simple", "prompt"], "lamp2m"),
  // no encyclopedia changes a rating: no page of the recorded one says how scores are distributed
];

describe("the built-in demo data show each part at work", () => {
  test.each(parts)("$task: without $name, requests and at least one answer are others", ({ whole, without, task }) => {
    const [a, b] = [armOf(whole, task), armOf(without, task)];
    expect(a.requests).not.toEqual(b.requests);
    const changed = [...a.answers].filter(([question, answer]) => b.answers.get(question) !== answer);
    expect(b.answers.size).toBe(a.answers.size);
    expect(changed.length).toBeGreaterThan(0);
  });

  test("profile summaries tell users apart", () => {
    const requests = readFileSync(join(cwd, "agents", runFiles.responses), "utf8");
    const summaries = new Set([...requests.matchAll(/User summary: ([^\\"]+)/g)].map(([, summary]) => summary));
    expect(summaries.size).toBeGreaterThanOrEqual(8);
  });
});

/** What one arm asked and answered, by question. */
function armOf([out, method, option]: Arm, task: string) {
  const folder = join(cwd, out);
  const cells = readManifest(folder)?.plan.cells ?? [];
  const cell = cells.find(
    (known) =>
      known.task === task &&
      known.method === method &&
      (option === undefined || known.options[option[0]] === option[1]),
  );
  expect(cell, `${out}: ${method} ${option ?? ""}`).toBeDefined();
  const rows = latestRows(folder).filter((row) => row.cell === cell?.id);
  const traces = [...readJournal<Trace>(join(folder, runFiles.traces))].filter((trace) => trace.cell === cell?.id);
  return {
    answers: new Map(rows.map(({ question, outcome }) => [question, "reply" in outcome ? outcome.reply : undefined])),
    requests: new Set(traces.flatMap(({ requests }) => requests)),
  };
}
