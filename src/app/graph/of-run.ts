import { dirname, join } from "node:path";
import { UsageError } from "../../errors.js";
import { graphNote } from "../../memory/graph/graph-memory.js";
import { type GraphNote, notesOf } from "../../notes/note.js";
import { suggest } from "../../registry/registry.js";
import { armLabel, variantOf } from "../../report/arms.js";
import { artifactsFolder } from "../../run/artifacts.js";
import { contentId } from "../../text/content-id.js";
import type { Cell } from "../../types/index.js";
import { type Catalogue, catalogueOf } from "../catalogue.js";
import { dataOfRun } from "../common/run-data.js";
import { openRunFolder, type StoredRun } from "../common/run-folder.js";
import type { Io } from "../io.js";
import { builder, buildGraph } from "./build.js";
import { type GraphOutput, type GraphPart, type GraphReport, outputGraph, refuseOutput } from "./output.js";
import { renderContext, renderGraph } from "./text.js";

export interface RunGraphSettings extends GraphOutput {
  readonly run: string;
  /** Only this task, or method. */
  readonly task?: string;
  readonly method?: string;
  /** Data folder. Default: where the command line of the run had them. */
  readonly data?: string;
  /** What entered the prompt of this question, instead of the whole graph. */
  readonly question?: string;
}

/**
 * The parts of the graph that a run noted. It is built again from the run's data where more is asked for than was noted.
 * Throws UsageError on what the run does not hold, and where its graph cannot be built again.
 */
export async function graphOfRun(settings: RunGraphSettings, io: Io): Promise<GraphReport> {
  const { run, question } = settings;
  const folder = openRunFolder(run, io.cwd);
  const asked: Asked = { folder, settings, cells: chosenCells(folder, settings, catalogueOf(io)) };
  refuseOutput(settings);
  if (question !== undefined) return { parts: contexts(asked, question), built: false, written: [] };
  const noted = asked.cells.filter((cell) => sizeNotes(folder, cell).length > 0);
  const written = settings.export !== undefined || settings.picture !== undefined;
  if (noted.length > 0 && !written) return { parts: sizes(folder, noted), built: false, written: [] };
  return rebuilt(noted.length > 0 ? { ...asked, cells: noted } : asked, io);
}

interface Asked {
  readonly folder: StoredRun;
  readonly settings: RunGraphSettings;
  /** Never empty. */
  readonly cells: readonly Cell[];
}

function chosenCells(
  { manifest }: StoredRun,
  { run, task, method }: RunGraphSettings,
  { tasks }: Catalogue,
): readonly Cell[] {
  const { cells } = manifest.plan;
  const planned = cells.find((cell) => cell.task === task)?.task; // also one that only a plug-in knows
  const wanted = task === undefined ? undefined : (planned ?? tasks.get(task, "--task").name);
  const ofTask = cells.filter((cell) => wanted === undefined || cell.task === wanted);
  if (ofTask.length === 0)
    throw new UsageError(`--task ${task}: not in ${run}; its tasks: ${listed(cells.map((cell) => cell.task))}`);
  const chosen = ofTask.filter((cell) => method === undefined || cell.method === method);
  if (chosen.length > 0) return chosen;
  const known = ofTask.map((cell) => cell.method);
  throw new UsageError(
    `--method ${method}: not in ${run}${suggest(method ?? "", known)}; its methods: ${listed(known)}`,
  );
}

const listed = (names: readonly string[]): string => [...new Set(names)].join(", ");

const sizeNotes = ({ traces }: StoredRun, { id }: Cell): readonly GraphNote[] =>
  traces
    .filter(({ cell, question }) => cell === id && question === undefined)
    .flatMap(({ notes }) => notesOf(notes, "graph-size"));

interface Block {
  readonly head: string;
  readonly where: string;
  readonly text: string;
  readonly arms: Set<string>;
}

/** One block for each different text of a task and part, in the order of the plan, under all arms that have it. */
class Blocks {
  readonly #blocks = new Map<string, Block>();
  readonly #cells: readonly Cell[];

  constructor({ manifest }: StoredRun) {
    this.#cells = manifest.plan.cells;
  }

  add(cell: Cell, where: string, text: string): void {
    const key = JSON.stringify([cell.task, where, text]);
    const block = this.#blocks.get(key) ?? { head: cell.task, where, text, arms: new Set() };
    this.#blocks.set(key, block);
    block.arms.add(armLabel({ method: cell.method, variant: variantOf(cell, this.#cells) }));
  }

  parts(): GraphPart[] {
    return [...this.#blocks.values()].map(({ head, where, text, arms }) => ({
      heading: `${head} · ${[...arms].join(", ")}${where}`,
      text,
    }));
  }
}

function sizes(folder: StoredRun, cells: readonly Cell[]): GraphPart[] {
  const blocks = new Blocks(folder);
  for (const cell of cells) for (const data of sizeNotes(folder, cell)) blocks.add(cell, "", renderGraph(data));
  return blocks.parts();
}

function contexts({ folder, settings, cells }: Asked, question: string): GraphPart[] {
  const other = (["export", "picture", "user", "out", "data"] as const).find((name) => settings[name] !== undefined);
  if (other !== undefined)
    throw new UsageError(`--${other}: is for the whole graph; leave out --question ${question} or --${other}`);
  const blocks = new Blocks(folder);
  for (const cell of cells)
    for (const trace of folder.traces)
      if (trace.cell === cell.id && trace.question === question)
        for (const data of notesOf(trace.notes, "graph"))
          blocks.add(cell, ` · user ${trace.unit} · question ${trace.question}`, renderContext(data));
  const parts = blocks.parts();
  if (parts.length > 0) return parts;
  const { run } = settings;
  throw new UsageError(
    `--question ${question}: no graph entered this question's prompt in ${run}${narrowed(settings)}; lamp-eval show ${run} lists questions`,
  );
}

const narrowed = ({ task, method }: RunGraphSettings): string =>
  [task, method].map((name) => (name === undefined ? "" : ` with ${name}`)).join("");

/** Builds the graph of the first of these cells again and refuses another one than the run noted. */
async function rebuilt({ folder, settings, cells }: Asked, io: Io): Promise<GraphReport> {
  const { run } = settings;
  const taskNames = [...new Set(cells.map(({ task }) => task))];
  if (taskNames.length > 1)
    throw new UsageError(`${run}: has several tasks; name one: --task ${taskNames.join(" or ")}`);
  const cell = cells[0]!; // never empty
  const notes = sizeNotes(folder, cell);
  const method = notes.length > 0 ? cell.method : builder(catalogueOf(io).methods);
  const loaded = await dataOfRun(folder, cell.task, settings, io);
  const artifacts = join(dirname(folder.path), artifactsFolder);
  const topics = await buildGraph({ loaded, given: cell.options, seed: cell.seed, method, artifacts }, io);
  const fresh = contentId(graphNote(topics, loaded.task));
  if (notes.some((note) => contentId(note) !== fresh))
    throw new UsageError(
      `${run}: the graph of ${cell.method} cannot be built again: what this version builds differs from what the run noted; run it again`,
    );
  const others = new Set(cells.flatMap((one) => sizeNotes(folder, one)).map((note) => contentId(note)));
  const label = armLabel({ method, variant: notes.length > 0 ? variantOf(cell, folder.manifest.plan.cells) : "" });
  if (others.size > 1) io.tell(`${run} has ${others.size} graphs; this is that of ${label}; choose with --method`);
  if (notes.length === 0) io.tell(`no method of ${run} used the graph; this is the one that ${method} would build`);
  const heading = `${cell.task} · ${label} · ${loaded.dataset.name} · ${loaded.others.kind}`;
  return outputGraph({ heading, topics, loaded }, settings, io);
}
