import type { LoadedResults } from "../../report/load.js";
import { historiesOf, perUser } from "../../report/per-user/per-user.js";
import type { TitledPerUser } from "../../report/per-user/text.js";
import { armLabel, armsOf, ofArm } from "../../results/arms.js";
import { unitsOf } from "../../run/rows.js";

/** Every arm's groups of users, with the gain over the method `over` where the run has it for the task. */
export function usersOf(
  folder: string,
  { manifest, rows, summaries, tasks }: LoadedResults,
  over: string,
): TitledPerUser[] {
  const units = unitsOf(folder);
  const arms = armsOf(manifest.plan.cells);
  return arms.flatMap((arm) => {
    const { task, dataset, method, model } = arm[0]!; // arms are never empty
    const reference =
      method === over ? undefined : arms.find(([first]) => first?.task === task && first.method === over);
    const peers = arms.flatMap((other) => (other[0]?.task === task && other[0].dataset === dataset ? other : []));
    const found = perUser({
      task: tasks.get(task),
      rows: ofArm(rows, arm),
      units: ofArm(units, arm),
      ...(reference === undefined ? {} : { reference: ofArm(rows, reference) }),
      histories: historiesOf({ rows: ofArm(rows, peers), units: ofArm(units, peers) }),
    });
    if (found === undefined) return [];
    const summary = summaries.find(({ cells }) => cells.includes(arm[0]?.id ?? ""));
    const label = summary === undefined ? method : armLabel(summary);
    const facts = { dataset, method: label, model, simulated: manifest.simulated, found };
    return [{ title: tasks.get(task).title, reference: reference === undefined ? undefined : over, ...facts }];
  });
}
