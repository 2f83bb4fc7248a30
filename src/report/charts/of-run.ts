import { join } from "node:path";
import { makePrivateFolder, writeWhole } from "../../disk/whole-file.js";
import { defaultEmbedder, embedderProvider, openEmbedder } from "../../embedders/index.js";
import { notesOf, type PersonaVersion } from "../../notes/note.js";
import { gainsOver } from "../../results/gains.js";
import { runFiles, tracesOf } from "../../run/rows.js";
import type { LoadedResults } from "../load.js";
import { commonLines } from "../personas/jaccard.js";
import type { ChartMaterial, PersonaSet } from "./chart.js";
import { type ChartName, drawCharts } from "./index.js";
import { svgFile } from "./svg.js";

/** Draws charts into the figures folder of a run. Returns the files, absolute; none of a kind that the run has nothing for. */
export async function saveCharts(
  folder: string,
  kinds: readonly ChartName[],
  { loaded, over }: { readonly loaded: LoadedResults; readonly over: string },
): Promise<string[]> {
  const material = chartMaterial(folder, loaded, over);
  const files: string[] = [];
  for (const kind of kinds)
    for (const chart of await drawCharts(kind, material)) {
      const file = join(folder, runFiles.figures, `${chart.name}.svg`);
      makePrivateFolder(join(folder, runFiles.figures));
      writeWhole(file, svgFile(chart));
      files.push(file);
    }
  return files;
}

/** What the charts of a run are drawn from. Sends nothing: personas are embedded in process. */
export function chartMaterial(folder: string | undefined, loaded: LoadedResults, over: string): ChartMaterial {
  const { manifest, summaries, rows, tasks } = loaded;
  const { cells } = manifest.plan;
  const material = { summaries, rows, cells, task: (name: string) => tasks.get(name) };
  return {
    ...material,
    facts: loaded.facts,
    gains: gainsOver(over, material),
    ...(manifest.sweep === undefined ? {} : { sweep: manifest.sweep }),
    personas: async () => (folder === undefined ? [] : personaSets(folder, loaded)),
    seed: cells[0]?.seed ?? 0,
  };
}

/** The final personas of every arm that kept any, by the first repeat. */
async function personaSets(folder: string, { summaries, manifest }: LoadedResults): Promise<PersonaSet[]> {
  const versions = new Map<string, Map<string, PersonaVersion[]>>();
  for (const { cell, unit, question, notes } of tracesOf(folder)) {
    const ofUser = question === undefined ? notesOf(notes, "persona") : [];
    if (ofUser.length > 0) versions.set(cell, (versions.get(cell) ?? new Map()).set(unit, ofUser));
  }
  const sets: PersonaSet[] = [];
  for (const arm of summaries) {
    const [cell = ""] = arm.cells;
    const users = [...(versions.get(cell) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    if (users.length === 0) continue;
    const template = commonLines(users.map(([, ofUser]) => ofUser[0]?.persona ?? ""));
    const named = String(manifest.plan.cells.find(({ id }) => id === cell)?.options.embedder ?? defaultEmbedder);
    const embedder = await openEmbedder(embedderProvider(named).costly ? defaultEmbedder : named, { env: {} });
    const vectors = await embedder.embed([...users.map(([, ofUser]) => ofUser.at(-1)?.persona ?? ""), template]);
    sets.push({ arm, names: users.map(([name]) => name), vectors, encoder: embedder.id });
  }
  return sets;
}
