import { UsageError } from "../errors.js";
import type { Cell, OptionValue } from "../types/index.js";
import type { Lack } from "./lacks.js";
import { groupBy } from "./samples.js";

/** What makes a cell's arm: all of the cell but its id and the number of its repeat. */
const armKey = (cell: Cell): string => JSON.stringify({ ...cell, id: "", repeat: 0 });

/** Returns the arms, each the cells that differ only in their repeat number. No arm is empty. */
export const armsOf = (cells: readonly Cell[]): Cell[][] => [...groupBy(cells, armKey).values()];

export function ofArm<T extends { readonly cell: string }>(records: readonly T[], arm: readonly Cell[]): T[] {
  const ids = new Set(arm.map(({ id }) => id));
  return records.filter(({ cell }) => ids.has(cell));
}

/** The history that a cell's method was given: the user's own (`right`) where nothing else is said. */
export const controlOf = ({ options }: Pick<Cell, "options">): OptionValue => options["history.control"] ?? "right";

/** Returns the settings by which a cell differs from others of its task and method, model and seed among them. */
export function ownSettings(cell: Cell, cells: readonly Cell[]): Cell["options"] {
  const { task, method, dataset } = cell;
  const peers = cells.filter((one) => one.task === task && one.method === method && one.dataset === dataset);
  return differing(settingsOf(cell), peers.map(settingsOf));
}

/** Returns the same as a text: `rag.k=4 memory.k=2`. */
export const variantOf = (cell: Cell, cells: readonly Cell[]): string => settingsText(ownSettings(cell, cells));

const settingsText = (settings: Cell["options"]): string =>
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");

/** Returns all settings of an arm, without the files of imported predictions, which its method's name tells apart. */
export const settingsOf = ({ model, options, seed }: Pick<Cell, "model" | "options" | "seed">): Cell["options"] =>
  Object.fromEntries(Object.entries({ model, ...options, seed }).filter(([name]) => !name.startsWith("import.")));

/**
 * Returns the settings in which at least one of the others differs, or which it lacks. Options that come with a selector tell only
 * arms of that selector apart: its name tells it from others.
 */
export function differing(settings: Cell["options"], others: readonly Cell["options"][]): Cell["options"] {
  const isOther = (other: Cell["options"], name: string): boolean =>
    other[name] !== settings[name] &&
    (other[name] !== undefined || name === "select" || other.select === settings.select);
  const entries = Object.entries(settings).filter(([name]) => others.some((other) => isOther(other, name)));
  return Object.fromEntries(entries);
}

/** Returns the same as a text. */
export const settingsApart = (settings: Cell["options"], others: readonly Cell["options"][]): string =>
  settingsText(differing(settings, others));

interface NamedArm {
  readonly method: string;
  readonly variant: string;
  readonly lacks?: readonly Lack[] | undefined;
}

/** `rag (rag.k=4)`: the method, what tells this arm from others of it, and marks of what it did without. */
export const armLabel = ({ variant, ...arm }: NamedArm): string =>
  methodLabel({ ...arm, method: variant === "" ? arm.method : `${arm.method} (${variant})` });

/** The method alone, with those marks. */
export const methodLabel = ({ method, lacks = [] }: Omit<NamedArm, "variant">): string =>
  [method, ...lacks.map(({ mark }) => `(${mark})`)].join(" ");

/**
 * Returns the one arm that a name means, with settings where several arms are of one method (`rag rag.k=2`). Throws UsageError
 * naming the arms where there is none, or several. `where` begins the message.
 */
export function armNamed(name: string, arms: readonly (readonly Cell[])[], where: string): readonly Cell[] {
  const words = name.replace(/[()]/g, " ").trim().split(/\s+/);
  const method = words.filter((word) => !word.includes("=")).join(" ");
  const found = arms.filter(([cell]) => {
    const settings = Object.entries(settingsOf(cell!)).map(([key, value]) => `${key}=${value}`); // no arm is empty
    return cell!.method === method && words.every((word) => !word.includes("=") || settings.includes(word));
  });
  if (found.length === 1) return found[0]!;
  const firsts = (found.length === 0 ? arms : found).map(([cell]) => cell!);
  const all = firsts.map((cell) => `${cell.method} ${variantOf(cell, firsts)}`.trim());
  throw new UsageError(`${where}: ${found.length === 0 ? "no arm" : "several arms"} ${name}; arms: ${all.join("; ")}`);
}
