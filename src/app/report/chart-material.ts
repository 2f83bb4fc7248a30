import { defaultEmbedder, embedderProvider, openEmbedder } from "../../embedders/index.js";
import { notesOf, type PersonaVersion } from "../../notes/note.js";
import { armLabel } from "../../report/arms.js";
import { type Chart, type ChartMaterial, chartsOf, type PersonaSet } from "../../report/charts/index.js";
import { commonLines } from "../../report/personas/jaccard.js";
import { personaVersions } from "../../report/personas/persona.js";
import { tracesOf, unitsOf } from "../../run/rows.js";
import type { Cell, Embedder } from "../../types/index.js";
import { readJudgements } from "../common/judgements.js";
import { factsOf, type LoadedResults } from "./results.js";

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
    facts: factsOf(results),
    units: unitsOf(folder),
    personas: await embedded(personaSets(folder, results), cells),
    memories: tasks.all.some(({ dialogue }) => dialogue === true) ? memoriesIn(folder, rows) : [],
    utilities: utilitiesIn(folder, rows),
    judged: readJudgements(folder),
    ...(manifest.sweep === undefined ? {} : { sweep: manifest.sweep }),
    task: (name) => tasks.get(name),
    seed: cells[0]?.seed ?? 0,
    reference: over,
  });
}

/** Facts after each turn, by the notes of the run. */
function memoriesIn(folder: string, rows: LoadedResults["rows"]): ChartMaterial["memories"] {
  const turns = new Map(
    rows.flatMap(({ cell, question, position }) =>
      position === undefined ? [] : [[`${cell} ${question}`, position] as const],
    ),
  );
  if (turns.size === 0) return [];
  return [...tracesOf(folder)].flatMap(({ cell, question, notes }) => {
    const turn = turns.get(`${cell} ${question}`);
    const last = notesOf(notes, "fact").at(-1);
    return turn === undefined || last === undefined ? [] : [{ cell, turn, facts: last.known }];
  });
}

/** What RUMS measured, by the notes of the run; traces are read only where a selector asked a model. */
function utilitiesIn(folder: string, rows: LoadedResults["rows"]): ChartMaterial["utilities"] {
  if (!rows.some(({ spend }) => Object.keys(spend).some((phase) => phase.startsWith("select")))) return [];
  return [...tracesOf(folder)].flatMap(({ cell, question, notes }) => {
    const [measured] = notesOf(notes, "utilities");
    if (question === undefined || measured === undefined) return [];
    const shown = notesOf(notes, "selection").flatMap(({ chosen }) => chosen.map(({ event }) => event));
    return [{ cell, question, scored: measured.scored, shown, threshold: measured.threshold }];
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
