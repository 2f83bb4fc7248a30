import { join } from "node:path";
import { makePrivateFolder, writeWhole } from "../../disk/whole-file.js";
import { defaultEmbedder, embedderProvider, openEmbedder } from "../../embedders/index.js";
import { notesOf, type PersonaVersion } from "../../notes/note.js";
import { runFiles } from "../../record/rows.js";
import type { StoredRun } from "../../record/stored-run.js";
import { gainsOver } from "../../results/compare.js";
import type { LoadedResults } from "../load.js";
import { ablation } from "./ablation.js";
import type { Chart, ChartInput, ChartKind, PersonaSet } from "./chart.js";
import { cost } from "./cost.js";
import { gains } from "./gains.js";
import { personaMap } from "./persona-map.js";
import { personaSimilarity } from "./persona-similarity.js";
import { scaling } from "./scaling.js";
import { svgFile } from "./svg.js";

/** Every kind by the name that it is asked for. A new chart: its file, and a line here. */
const kinds = {
  gains,
  scaling,
  ablation,
  cost,
  "persona-map": personaMap,
  "persona-similarity": personaSimilarity,
} satisfies Readonly<Record<string, ChartKind>>;

export type ChartName = keyof typeof kinds;
export const chartNames = Object.keys(kinds) as ChartName[];

export const drawCharts = async (kind: ChartName, input: ChartInput): Promise<Chart[]> => kinds[kind](input);

/** Draws charts into the figures folder of a run. Returns the files, absolute. */
export async function saveCharts(folder: string, names: readonly ChartName[], input: ChartInput): Promise<string[]> {
  const figures = join(folder, runFiles.figures);
  const files: string[] = [];
  for (const name of names)
    for (const chart of await drawCharts(name, input)) {
      const file = join(figures, `${chart.name}.svg`);
      makePrivateFolder(figures);
      writeWhole(file, svgFile(chart));
      files.push(file);
    }
  return files;
}

/** Data that the charts of a run are drawn from; of several joined runs without personas. */
export function chartInput(loaded: LoadedResults, over: string): ChartInput {
  return {
    ...{ ...loaded, gains: gainsOver(over, loaded), seed: loaded.specs[0]?.seed ?? 0 },
    personas: async () => (loaded.stored === undefined ? [] : personaSets(loaded.stored, loaded)),
  };
}

/** The final personas of every arm that kept any, by the first repeat. */
async function personaSets(run: StoredRun, { summaries, manifest }: LoadedResults): Promise<PersonaSet[]> {
  const versions = new Map<string, Map<string, PersonaVersion[]>>();
  for (const { arm: armId, unit, question, notes } of run.traces()) {
    const ofUser = question === undefined ? notesOf(notes, "persona") : [];
    if (ofUser.length > 0) versions.set(armId, (versions.get(armId) ?? new Map()).set(unit, ofUser));
  }
  const sets: PersonaSet[] = [];
  for (const arm of summaries) {
    const [armId = ""] = arm.arms;
    const users = [...(versions.get(armId) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    if (users.length === 0) continue;
    const template = commonLines(users.map(([, ofUser]) => ofUser[0]?.persona ?? ""));
    const named = String(manifest.identity.arms.find(({ id }) => id === armId)?.options.embedder ?? defaultEmbedder);
    const embedder = await openEmbedder(embedderProvider(named).costly ? defaultEmbedder : named, { env: {} });
    const texts = users.map(([, ofUser]) => ofUser.at(-1)?.persona ?? "");
    const vectors = await embedder.embed([...texts, template]);
    sets.push({ arm, names: users.map(([name]) => name), texts, vectors, encoder: embedder.id });
  }
  return sets;
}

/** What all texts have in common line by line, in the order of the first. */
function commonLines([first = "", ...rest]: readonly string[]): string {
  const others = rest.map((text) => new Set(text.split("\n")));
  const isShared = (line: string): boolean => others.every((lines) => lines.has(line));
  return first.split("\n").filter(isShared).join("\n");
}
