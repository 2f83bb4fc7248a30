import { groupBy } from "../grouped.js";
import { controlOf } from "../tables/remarks.js";
import type { OwnArm } from "./paper-tables.js";

/** What arms had in place of the users' own pasts, a line each run and past: they are no row of a paper. */
export function otherPasts(arms: readonly OwnArm[]): string[] {
  const groups = groupBy(arms, ({ run, cell }) => JSON.stringify([run, controlOf(cell)]));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = new Set(group.map(({ cell }) => `${cell.method} on ${cell.task}`));
    return [
      `${first.run}: ${[...names].join(", ")} ran with history.control=${controlOf(first.cell)}, not the users' own past`,
    ];
  });
}
