import { armsByTask, fileSafe, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial, MeasuredUtilities } from "./chart.js";
import { named, palette, quantitative, scoreScale, sentinel, specOf, step } from "./theme.js";

/** Questions of an arm that are drawn: the first ones that were measured. */
const SHOWN = 6;

/** What each candidate by itself would do to the entropy of the answer, and which were shown: bars for the first questions of an arm. */
export function utilities(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, key, arms }) =>
    arms.flatMap(({ label, summary }): Chart[] => {
      const [first] = summary.cells;
      const drawn = material.utilities.filter(({ cell }) => cell === first).slice(0, SHOWN);
      const values = drawn.flatMap(barsOf);
      if (values.length === 0) return [];
      const threshold = drawn[0]?.threshold ?? 0; // one in a cell
      const lengths = [0, ...values.map(({ utility }) => utility)]; // bars begin at 0
      const alike = lengths.every((length) => length === 0) ? { scale: scoreScale(lengths, {}) } : {};
      const bars = {
        mark: { type: "bar" },
        encoding: {
          y: named("events"),
          x: quantitative("utility", { title: "utility, nats", axis: { tickCount: 4 }, ...alike }),
          color: {
            field: "fate",
            type: "nominal",
            scale: { domain: ["shown", "left out"], range: palette.slice(0, 2) },
            title: null,
          },
        },
      };
      const line = {
        mark: { type: "rule", strokeDash: [4, 4], color: sentinel.ink },
        encoding: { x: { datum: threshold } },
      };
      return [
        {
          name: `utilities-${key}-${fileSafe(label)}`,
          title: `Utility of each candidate: ${fact.title}, ${label}`,
          note: `Entropy of the answer without the past minus entropy with the candidate, nats; the first ${drawn.length === 1 ? "question that was" : `${drawn.length} questions that were`} measured. Shown: what entered the prompt.${threshold > 0 ? ` Dashed: threshold ${threshold}.` : ""}${simulatedMark(arms)}`,
          section: "tasks",
          group: "Utilities of candidates",
          spec: specOf({
            data: { values },
            facet: { row: named("question", { header: { labelAngle: 0, labelAlign: "left" } }) },
            spec: { width: 320, height: step(14), layer: threshold > 0 ? [bars, line] : [bars] },
            resolve: { scale: { y: "independent" } },
          }),
        },
      ];
    }),
  );
}

/** Bars of single candidates; where a model named subsets alone, of these. */
function barsOf({ question, scored, shown }: MeasuredUtilities) {
  const single = scored.filter(({ events }) => events.length === 1);
  return (single.length > 0 ? single : scored).map(({ events, utility }) => ({
    question,
    events: events.join(" + "),
    utility,
    fate: events.every((event) => shown.includes(event)) ? "shown" : "left out",
  }));
}
