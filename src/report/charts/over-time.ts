import { countOf } from "../../text/count.js";
import { groupBy } from "../grouped.js";
import type { Judgement } from "../judgements/judgement.js";
import { countedAs, countedRange, type OnParseFail, verdictInterval } from "../judgements/scores.js";
import { ruleOf } from "../judgements/text.js";
import { armsByTask, metricTitle, sampleText, simulatedMark } from "./arms.js";
import type { Chart, ChartMaterial } from "./chart.js";
import { named, quantitative, specOf } from "./theme.js";

/** Does an arm get better while it sees more of its users? Quarters of each user's stream (`--online`). */
export function stream(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, key, arms }): Chart[] => {
    const streamed = arms.filter(({ summary }) => summary.stream !== undefined);
    const [first] = streamed;
    if (first === undefined) return [];
    const values = streamed.flatMap(({ label, summary }) =>
      (summary.stream ?? []).flatMap((score, q) =>
        score === undefined ? [] : [{ arm: label, quarter: q + 1, score }],
      ),
    );
    return [
      {
        name: `stream-${key}`,
        title: `Along the stream of questions: ${fact.title}`,
        note: `Score over the quarters of each user's questions in order of time; later questions see more answered ones. ${sampleText(streamed)}${simulatedMark(streamed)}`,
        section: "tasks",
        spec: specOf({
          width: 380,
          height: 220,
          data: { values },
          mark: { type: "line", point: { size: 50 } },
          encoding: {
            x: { field: "quarter", type: "ordinal", title: "quarter of the stream", axis: { labelAngle: 0 } },
            y: quantitative("score", { title: metricTitle(first.headline), scale: { zero: false, nice: true } }),
            color: named("arm"),
          },
        }),
      },
    ];
  });
}

/** How many facts an assistant holds after each turn: the mean over dialogues, and all dialogues behind it. */
export function factsOverTurns(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, key, arms }): Chart[] => {
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
        name: `facts-${key}`,
        title: `Facts over turns: ${fact.title}`,
        note: `Mean number of facts in memory after each turn, over the dialogues of ${countOf(users, "user")}; it begins with sentences of the persona where assistant.seedPersona holds.${simulatedMark(shown)}`,
        section: "tasks",
        spec: specOf({
          width: 380,
          height: 220,
          data: { values },
          mark: { type: "line", interpolate: "step-after" },
          encoding: {
            x: quantitative("turn", { title: "turn", scale: { zero: false, nice: false, padding: 10 } }),
            y: quantitative("facts", { title: "facts in memory", scale: { zero: true, nice: 5 } }),
            color: named("arm"),
          },
        }),
      },
    ];
  });
}

const held = ({ memories }: ChartMaterial, cell: string) => memories.filter((memory) => memory.cell === cell);

/** Turns that stand together in one point. */
const TURNS = 5;

/** Verdicts of each judge along the dialogue: means over stretches of turns, with intervals over dialogues where there are ten. */
export function verdictsOverTurns(material: ChartMaterial): Chart[] {
  return armsByTask(material).flatMap(({ fact, key, arms }) =>
    material.judged.flatMap(({ facts, judgements }, at): Chart[] => {
      if (facts.against !== undefined) return [];
      const rule = ruleOf(facts);
      const values = arms.flatMap(({ label, summary }) =>
        meansOf(
          judgements.filter(({ cell, position }) => position !== undefined && summary.cells.includes(cell)),
          rule,
          facts.range,
        ).map((point) => ({ arm: label, ...point })),
      );
      if (values.length === 0) return [];
      const order = [...new Set(values.map(({ turns }) => turns))].sort(
        (a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10),
      );
      const x = { field: "turns", type: "ordinal", sort: order, title: "turns", axis: { labelAngle: 0 } };
      const color = named("arm");
      const dodge = { field: "arm", sort: arms.map(({ label }) => label) };
      return [
        {
          name: `verdicts-${key}${at === 0 ? "" : `-${at + 1}`}`,
          title: `${facts.judge} over turns: ${fact.title}`,
          note: `Mean verdict of ${facts.model}, ${facts.range.join(" to ")}, over ${TURNS} turns each; bars: 95 % over dialogues. Unjudged replies ${rule === "zero" ? "count as 0 (judge.onParseFail=zero)" : "are left out"}.${facts.simulated ? " SIMULATED judge." : ""}${simulatedMark(arms)}`,
          section: "tasks",
          spec: specOf({
            width: 460,
            height: 240,
            data: { values },
            encoding: { x, xOffset: dodge, color },
            layer: [
              {
                mark: { type: "rule" },
                encoding: {
                  y: quantitative("low", { title: "mean verdict", scale: { zero: false } }),
                  y2: { field: "high" },
                },
              },
              { mark: { type: "point", filled: true, size: 40 }, encoding: { y: quantitative("mean") } },
            ],
          }),
        },
      ];
    }),
  );
}

interface TurnsMean {
  readonly turns: string;
  readonly mean: number;
  readonly low: number | null;
  readonly high: number | null;
}

function meansOf(judgements: readonly Judgement[], rule: OnParseFail, range: readonly [number, number]): TurnsMean[] {
  const judged = judgements.flatMap((judgement) => {
    const { position = 0, user, question } = judgement;
    const value = countedAs(judgement, rule);
    return value === undefined ? [] : [{ stretch: Math.floor((position - 1) / TURNS), user, question, value }];
  });
  return [...groupBy(judged, ({ stretch }) => String(stretch)).values()]
    .sort((a, b) => a[0]!.stretch - b[0]!.stretch) // no group is empty
    .map((ofStretch) => {
      const interval = verdictInterval(ofStretch, countedRange(range, rule));
      const first = ofStretch[0]!.stretch * TURNS + 1;
      return {
        turns: `${first}-${first + TURNS - 1}`,
        mean: ofStretch.reduce((sum, { value }) => sum + value, 0) / ofStretch.length,
        low: interval?.low ?? null,
        high: interval?.high ?? null,
      };
    });
}
