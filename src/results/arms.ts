import type { Cell } from "../types/index.js";
import { groupBy } from "./grouped.js";

/** What makes a cell's arm: all of the cell but its id and the number of its repeat. */
const armKey = (cell: Cell): string => JSON.stringify({ ...cell, id: "", repeat: 0 });

/** Cells that differ only in their repeat number stand together, in the order of the cells. No arm is empty. */
export const armsOf = (cells: readonly Cell[]): Cell[][] => [...groupBy(cells, armKey).values()];

export function ofArm<T extends { readonly cell: string }>(records: readonly T[], arm: readonly Cell[]): T[] {
  const ids = new Set(arm.map(({ id }) => id));
  return records.filter(({ cell }) => ids.has(cell));
}

/** The settings by which a cell differs from other cells of the same task and method, its model among them. */
export function variantOf(cell: Cell, cells: readonly Cell[]): string {
  const peers = cells.filter(
    ({ task, method, dataset }) => task === cell.task && method === cell.method && dataset === cell.dataset,
  );
  const settings = ({ model, options }: Cell): Cell["options"] => ({ model, ...options });
  return settingsApart(settings(cell), peers.map(settings));
}

/**
 * The settings in which at least one of the others differs, or which it lacks: `rag.k=4 memory.k=2`. Knobs that come with a
 * selector tell only arms of that selector apart: its name tells it from others.
 */
export const settingsApart = (settings: Cell["options"], others: readonly Cell["options"][]): string =>
  Object.entries(settings)
    .filter(([name, value]) =>
      others.some(
        (other) =>
          other[name] !== value && (other[name] !== undefined || name === SELECT || other[SELECT] === settings[SELECT]),
      ),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

const SELECT = "select";

interface NamedArm {
  readonly method: string;
  readonly variant: string;
  readonly unaligned?: true | undefined;
}

/** The method, with the settings that tell this arm from others of its method, and the mark of one whose alignment did nothing. */
export const armLabel = ({ method, variant, unaligned }: NamedArm): string =>
  `${variant === "" ? method : `${method} (${variant})`}${unaligned === true ? UNALIGNED : ""}`;

/** The method alone, with that mark. */
export const methodLabel = ({ method, unaligned }: NamedArm): string =>
  `${method}${unaligned === true ? UNALIGNED : ""}`;

const UNALIGNED = " (NOT aligned)";
