import { seeded } from "../../../src/random/seeded.js";
import { type Manifest, writeManifest } from "../../../src/run/manifest/manifest.js";
import { RunRows } from "../../../src/run/run-rows.js";
import { sealsOf } from "../../../src/run/seals.js";
import { tasks } from "../../../src/tasks/index.js";
import { sha256 } from "../../../src/text/content-id.js";
import type { Cell, Outcome, Trace } from "../../../src/types.js";

export interface SyntheticRun {
  /** Rows in all, spread evenly over tasks and methods. */
  readonly rows: number;
  /** Default: ratings and headlines. */
  readonly tasks?: readonly string[];
  readonly methods?: readonly string[];
  readonly questionsPerUser?: number;
  /** Words of the prompt that every transcript shows. */
  readonly promptWords?: number;
}

/**
 * Writes a finished, sealed run folder of so many made-up rows through the same writers as a run: journals, order, seals,
 * manifest. No model, no data. Equal requests give equal folders.
 */
export function writeSyntheticRun(folder: string, request: SyntheticRun): void {
  const { rows, questionsPerUser = 100, promptWords = 120 } = request;
  const names = request.tasks ?? ["lamp3", "lamp4"];
  const methods = request.methods ?? ["prompt", "icl", "rag", "pag"];
  const cells = names.flatMap((task) => methods.map((method) => cellOf(task, method)));
  const writer = new RunRows(folder);
  for (const [c, cell] of cells.entries())
    writeCell(writer, cell, {
      questions: Math.round(rows / cells.length),
      questionsPerUser,
      promptWords,
      skill: 0.5 + (0.2 * (c % methods.length)) / methods.length,
    });
  writer.finish();
  const manifest = manifestOf(names, cells);
  writeManifest(folder, { ...manifest, records: sealsOf(folder) });
}

interface CellShape {
  readonly questions: number;
  readonly questionsPerUser: number;
  readonly promptWords: number;
  /** Chance of a right answer. */
  readonly skill: number;
}

const cellOf = (task: string, method: string): Cell => ({
  id: sha256(`${task} ${method}`).slice(0, 12),
  task,
  dataset: "synthetic",
  method,
  model: "openai/made-up",
  options: {},
  seed: 0,
  repeat: 0,
});

function writeCell(writer: RunRows, cell: Cell, shape: CellShape): void {
  const random = seeded(cell.id);
  for (let q = 0; q < shape.questions; q++) {
    const user = `user-${Math.floor(q / shape.questionsPerUser)}`;
    const question = `question-${q}`;
    if (q % shape.questionsPerUser === 0)
      writer.unit({ cell: cell.id, user, unit: user, historySize: 5 + (q % 97), spend: {}, incidents: {} });
    const [gold, wrong] = answersOf(cell.task, q);
    writer.row({
      cell: cell.id,
      user,
      unit: user,
      question,
      gold,
      outcome: outcomeOf(random.next(), shape.skill, gold, wrong),
      spend: { answer: { calls: 1, in: 300 + (q % 400), out: 3 + (q % 11) } },
      incidents: q % 50 === 0 ? { "tool error": 1 } : {},
    });
    writer.timing({ cell: cell.id, unit: user, question, ms: 200 + (q % 1000), fromStore: false });
    writer.trace(traceOf(cell.id, user, question, shape.promptWords));
  }
}

/** The gold answer of a question, and a wrong one: labels where the task has them, else texts. */
function answersOf(task: string, q: number): readonly [gold: string, wrong: string] {
  const { labels } = tasks.get(task);
  const text = (n: number) => Array.from({ length: 9 }, (_, w) => wordOf(n * 31 + w * 7919)).join(" ");
  return [labels[q % labels.length] ?? text(q), labels[(q * 7 + 3) % labels.length] ?? text(q + 3)];
}

function outcomeOf(draw: number, skill: number, gold: string, wrong: string): Outcome {
  if (draw < skill) return { kind: "answered", reply: gold, lenient: gold };
  if (draw < 0.97) return { kind: "answered", reply: wrong, lenient: wrong };
  return draw < 0.99 ? { kind: "unparsed", reply: "I cannot say." } : { kind: "failed", error: "HTTP 529 overloaded" };
}

const wordOf = (number: number): string => words[((number % words.length) + words.length) % words.length] ?? "";
const syllables = ["ka", "lo", "mi", "tra", "ven", "sol", "ri", "du", "pe", "no", "shi", "ber"];
const words = syllables.flatMap((a) => syllables.flatMap((b) => syllables.map((c) => `${a}${b}${c}`)));

const traceOf = (cell: string, unit: string, question: string, promptWords: number): Trace => ({
  cell,
  unit,
  question,
  requests: [],
  notes: [
    { kind: "memory", data: { query: `what of ${question}`, events: [`${unit}-1`, `${unit}-2`, `${unit}-3`] } },
    {
      kind: "reasoning",
      data: {
        phase: "answer",
        system: "Answer as this person would.",
        question: Array.from({ length: promptWords }, (_, w) => wordOf(Number(question.slice(9)) * 13 + w * w)).join(
          " ",
        ),
        reply: `so: ${question}`,
        answer: question,
      },
    },
  ],
});

const manifestOf = (names: readonly string[], cells: readonly Cell[]): Manifest => ({
  format: 1,
  plan: {
    version: "0.1.0",
    cells: cells.map((cell) => ({ ...cell, options: {} })),
    data: names.map((task) => ({
      task,
      name: "synthetic",
      files: [{ name: "synthetic.json", bytes: 1, sha256: sha256(task) }],
      facts: {},
      units: sha256("units"),
      wording: sha256("wording"),
    })),
    notApplied: [],
  },
  simulated: false,
  tasks: names.map((task) => ({ task, title: tasks.get(task).title, dataset: "synthetic", remarks: [] })),
  argv: ["run"],
  startedAt: "2026-11-01T00:00:00.000Z",
  node: process.version,
  finishedAt: "2026-11-01T01:00:00.000Z",
});
