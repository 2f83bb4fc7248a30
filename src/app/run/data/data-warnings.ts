import { doubtfulFacts } from "../../../data/index.js";
import type { LoadedTask } from "../../../run/plan/plan.js";

/** What the data of a run lack, a line each: no mistakes, but what nobody should find out after paying. */
export function dataWarnings({ task, dataset, units }: LoadedTask): string[] {
  const isScored = any(units, ({ examples }) => examples.some(({ gold }) => gold !== undefined));
  const doubtful = Object.entries(dataset.facts).filter(([name]) => doubtfulFacts.includes(name));
  return [
    ...(isScored ? [] : [`${task.name} on ${dataset.name}: no question has a gold answer, nothing will be scored`]),
    ...doubtful.map(([name, value]) => `${task.name} on ${dataset.name}: ${name}: ${value}`),
  ];
}

function any<T>(things: Iterable<T>, test: (thing: T) => boolean): boolean {
  for (const thing of things) if (test(thing)) return true;
  return false;
}
