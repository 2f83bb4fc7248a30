import { countOf } from "../../text/count.js";
import { groupBy } from "../grouped.js";
import { armsByTask, simulatedMark, taskKey } from "./arms.js";
import type { Chart } from "./chart.js";
import type { ChartMaterial } from "./material.js";
import { specOf } from "./theme.js";

/** How many facts an assistant holds after each turn: the mean over dialogues, and all dialogues behind it. */
export function factsOverTurns(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, arms }) => {
    const shown = arms.filter(({ summary }) => summary.cells.some((cell) => held(material, cell).length > 0));
    if (shown.length === 0) return [];
    const values = shown.flatMap(({ label, summary }) => {
      const counts = summary.cells.flatMap((cell) => held(material, cell));
      return [...groupBy(counts, ({ turn }) => String(turn)).values()].map((at) => ({
        arm: label,
        turn: at[0]!.turn, // no group is empty
        facts: at.reduce((sum, { facts }) => sum + facts, 0) / at.length,
      }));
    });
    const users = Math.max(...shown.map(({ summary }) => summary.users));
    return [
      {
        name: `facts-${taskKey(material, fact)}`,
        title: `Facts over turns: ${fact.title}`,
        note: `Mean number of facts in memory after each turn, over the dialogues of ${countOf(users, "user")}; it begins with sentences of the persona where assistant.seedPersona holds.${simulatedMark(shown)}`,
        section: "tasks",
        spec: specOf({
          width: 380,
          height: 220,
          data: { values },
          mark: { type: "line", interpolate: "step-after" },
          encoding: {
            x: { field: "turn", type: "quantitative", title: "turn", scale: { zero: false, nice: false, padding: 10 } },
            y: { field: "facts", type: "quantitative", title: "facts in memory", scale: { zero: true, nice: 5 } },
            color: { field: "arm", type: "nominal", sort: null, title: null },
          },
        }),
      } satisfies Chart,
    ];
  });
}

const held = ({ memories }: ChartMaterial, cell: string) => memories.filter((memory) => memory.cell === cell);
