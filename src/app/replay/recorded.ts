import type { Candidate, Nearness } from "../../report/replay.js";
import type { Asked, Cassette } from "../../run/cassette/cassette.js";
import { PREPARING } from "../../run/engine.js";
import type { Cell } from "../../types.js";

type PlannedCell = Pick<Cell, "id" | "task" | "dataset" | "method" | "model" | "seed" | "repeat"> & {
  readonly options: Readonly<Record<string, unknown>>;
};

/** Each cell's counterpart in the recording: itself, else the one of its task, method and repeat with most settings in common. */
export function matchCells(
  cells: readonly PlannedCell[],
  recorded: readonly PlannedCell[],
): ReadonlyMap<string, string> {
  const ids = new Set(recorded.map(({ id }) => id));
  const matched = new Map<string, string>();
  for (const cell of cells) {
    const alike = recorded.filter(
      ({ task, method, repeat }) => task === cell.task && method === cell.method && repeat === cell.repeat,
    );
    const best = ids.has(cell.id) ? cell : mostAlike(cell, alike);
    if (best !== undefined) matched.set(cell.id, best.id);
  }
  return matched;
}

/** How a cell is named where rows are listed: repeats after the first carry their number. */
export function armOf(cell: Pick<Cell, "task" | "method" | "repeat"> | undefined): { task: string; method: string } {
  const { task = "", method = "", repeat = 0 } = cell ?? {};
  return { task, method: repeat === 0 ? method : `${method} #${repeat + 1}` };
}

/** Recorded requests to compare a missing one with: of its question if there are any, else of its user, its method, the run. */
export function candidatesFor(
  asked: Pick<Asked, "unit" | "question">,
  recordedCell: string | undefined,
  cassette: Cassette,
): Candidate[] {
  const { unit, question } = asked;
  const ofCell = cassette.asked.filter(({ cell }) => cell === recordedCell);
  const ofUnit = ofCell.filter((other) => other.unit === unit);
  const circles: readonly (readonly [Nearness, readonly Asked[]])[] = [
    ["question", ofUnit.filter((other) => other.question === question)],
    ["user", ofUnit],
    ["method", ofCell],
    ["run", cassette.asked],
  ];
  for (const [same, askers] of circles) {
    const found = askers.flatMap(({ requests }) => requests).slice(0, MOST_CANDIDATES);
    const candidates = found.flatMap((id) => {
      const call = cassette.callOf(id);
      return call === undefined ? [] : [{ id, same, request: call.request }];
    });
    if (candidates.length > 0) return candidates;
  }
  return [];
}

/**
 * The recorded failure, where this very request was made while recording and got no reply. The error of a
 * preparation stands in the rows of its user.
 */
export function recordedFailure(
  requestId: string,
  asked: Pick<Asked, "unit" | "question">,
  recordedCell: string | undefined,
  cassette: Pick<Cassette, "asked" | "askedFor" | "callOf">,
): string | undefined {
  if (recordedCell === undefined || cassette.callOf(requestId) !== undefined) return undefined;
  const { unit, question } = asked;
  const recorded = cassette.askedFor({ cell: recordedCell, unit, ...(question === undefined ? {} : { question }) });
  const isRecorded = recorded?.requests.includes(requestId) === true;
  if (question !== undefined || (recorded !== undefined && !isRecorded))
    return isRecorded ? (recorded?.error ?? SWALLOWED) : undefined;
  const row = cassette.asked.find(
    ({ cell, unit: other, error }) => cell === recordedCell && other === unit && error?.startsWith(PREPARING) === true,
  );
  return row?.error?.slice(PREPARING.length) ?? (isRecorded ? SWALLOWED : undefined);
}

/** The error of a call that the method went on without: no row tells it. */
const SWALLOWED = "failed while recording";

/** Words are counted in each: a miss must not cost seconds. */
const MOST_CANDIDATES = 60;

function mostAlike(cell: PlannedCell, recorded: readonly PlannedCell[]): PlannedCell | undefined {
  const common = (other: PlannedCell): number =>
    Object.entries(cell.options).filter(([name, value]) => other.options[name] === value).length +
    [cell.dataset === other.dataset, cell.model === other.model, cell.seed === other.seed].filter(Boolean).length;
  return [...recorded].sort((a, b) => common(b) - common(a))[0];
}
