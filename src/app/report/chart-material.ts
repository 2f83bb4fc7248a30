import { defaultEmbedder, embedderProvider, openEmbedder } from "../../embedders/index.js";
import type { PersonaVersion } from "../../notes/note.js";
import { type Chart, chartsOf, type PersonaSet } from "../../report/charts/index.js";
import type { LoadedResults } from "../../report/load.js";
import { commonLines } from "../../report/personas/jaccard.js";
import { personaVersions } from "../../report/personas/persona.js";
import { armLabel } from "../../results/arms.js";
import { tracesOf, unitsOf } from "../../run/rows.js";
import type { Cell, Embedder } from "../../types/index.js";

/**
 * Every chart of a run, for the page and the figures folder alike. Gains of users are those over `over`. Sends nothing: personas
 * are embedded in process.
 */
export async function chartsOfRun(folder: string, results: LoadedResults, over: string): Promise<Chart[]> {
  const { manifest, summaries, rows, tasks } = results;
  const { cells } = manifest.plan;
  return chartsOf({
    summaries,
    rows,
    cells,
    facts: results.facts,
    units: unitsOf(folder),
    personas: await embedded(personaSets(folder, results), cells),
    ...(manifest.sweep === undefined ? {} : { sweep: manifest.sweep }),
    task: (name) => tasks.get(name),
    seed: cells[0]?.seed ?? 0,
    reference: over,
  });
}

/** The final personas of every arm that kept any, by the first repeat. */
function personaSets(folder: string, { summaries }: Pick<LoadedResults, "summaries">): PersonaSet[] {
  const versions = new Map<string, Map<string, PersonaVersion[]>>();
  for (const trace of tracesOf(folder)) {
    if (trace.question !== undefined) continue;
    const ofUnit = personaVersions(trace);
    if (ofUnit.length > 0) versions.set(trace.cell, (versions.get(trace.cell) ?? new Map()).set(trace.unit, ofUnit));
  }
  return summaries.flatMap((summary) => {
    const cell = summary.cells[0] ?? "";
    const units = [...(versions.get(cell) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    if (units.length === 0) return [];
    return [
      {
        task: summary.task,
        arm: armLabel(summary),
        template: commonLines(units.map(([, ofUnit]) => ofUnit[0]?.persona ?? "")),
        personas: units.map(([unit, ofUnit]) => ({ cell, unit, persona: ofUnit.at(-1)?.persona ?? "" })),
      },
    ];
  });
}

async function embedded(sets: readonly PersonaSet[], cells: readonly Cell[]): Promise<PersonaSet[]> {
  const all: PersonaSet[] = [];
  for (const set of sets) {
    const embedder = await freeEmbedder(cells.find(({ id }) => id === set.personas[0]?.cell));
    const vectors = await embedder.embed([...set.personas.map(({ persona }) => persona), set.template]);
    all.push({ ...set, vectors, encoder: embedder.id });
  }
  return all;
}

/** The arm's own embedder where it costs nothing, else the embedded one. */
async function freeEmbedder(cell: Cell | undefined): Promise<Embedder> {
  const named = String(cell?.options.embedder ?? defaultEmbedder);
  return openEmbedder(embedderProvider(named).costly ? defaultEmbedder : named, { env: {} });
}
