import type { Cell, OptionValue } from "../../types/index.js";

/** The past that a cell's method was given: the user's own (`right`) where nothing else is said. */
export const controlOf = ({ options }: Pick<Cell, "options">): OptionValue => options["history.control"] ?? RIGHT;

/** Whether it was the user's own. */
export const hasOwnPast = (cell: Pick<Cell, "options">): boolean => controlOf(cell) === RIGHT;

/**
 * `past of rag: deranged (history.control), not the users' own`, for methods all of whose cells had one other past: no row of theirs
 * tells it. Empty where there are none.
 */
export function controlRemarks(cells: readonly Pick<Cell, "method" | "options">[]): string[] {
  const controls = new Map<string, Set<OptionValue>>();
  for (const cell of cells) controls.set(cell.method, (controls.get(cell.method) ?? new Set()).add(controlOf(cell)));
  const methodsOf = new Map<OptionValue, string[]>();
  for (const [method, [control = RIGHT, ...others]] of controls)
    if (others.length === 0 && control !== RIGHT) methodsOf.set(control, [...(methodsOf.get(control) ?? []), method]);
  return [...methodsOf].map(
    ([control, methods]) =>
      `past${methods.length === controls.size ? "" : ` of ${methods.join(", ")}`}: ${control} (history.control), not the users' own`,
  );
}

const RIGHT = "right";
