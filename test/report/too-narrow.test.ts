import { describe, expect, test } from "vitest";
import { chartsOf } from "../../src/report/charts/index.js";
import { compareArms } from "../../src/report/compare/compare.js";
import { renderComparisons } from "../../src/report/compare/text.js";
import { gainsOver } from "../../src/report/gains.js";
import type { Judgement } from "../../src/report/judgements/judgement.js";
import { judgementTable } from "../../src/report/judgements/text.js";
import { type SweepMaterial, sweepTables } from "../../src/report/sweep.js";
import { renderMarkdown } from "../../src/report/tables/markdown.js";
import { resultsTables } from "../../src/report/tables/results.js";
import { renderText } from "../../src/report/tables/text.js";
import type { OptionValue } from "../../src/types/index.js";
import { answered, type HandMadeArm, handMade } from "../helpers/chart-material.js";

const SAID = "too narrow where few users or answers make the difference";

const arm = (method: string, options: Readonly<Record<string, OptionValue>>, hits: number): HandMadeArm => ({
  method,
  options,
  outcome: (user, question, gold) => answered((user + question) % 6 < hits ? gold : "none"),
});
const along = (knob: string, values: readonly OptionValue[]) =>
  handMade(values.map((value, v) => arm("rag", { [knob]: value }, 2 * v + 1)));

describe("who sees an interval of a difference is told where it is too narrow", () => {
  test.each([
    ["text", renderText],
    ["markdown", renderMarkdown],
  ])("in the tables of sweeps (%s)", (_, render) => {
    const renderSweep = (material: SweepMaterial): string => render(...sweepTables(material));
    const axis = (knob: string, values: readonly OptionValue[]) => ({ knob, values, base: values[0]! });
    const k = along("rag.k", [1, 2]);
    expect(renderSweep({ ...k, sweep: { kind: "scaling", axes: [axis("rag.k", [1, 2])] } })).toContain(SAID);
    const pasts = ["right", "none"];
    const controls = { kind: "controls", axes: [axis("history.control", pasts)] } as const;
    expect(renderSweep({ ...along("history.control", pasts), sweep: controls })).toContain(SAID);
    const parts = handMade([arm("full", {}, 5), arm("part", {}, 3)]);
    const ablation = { kind: "ablation", axes: [axis("method", ["full", "part"])] } as const;
    expect(renderSweep({ ...parts, sweep: ablation })).toContain(SAID);
    const alone = { ...along("rag.k", [1]), sweep: { kind: "scaling", axes: [axis("rag.k", [1])] } } as const;
    expect(renderSweep(alone)).not.toContain(SAID); // nothing is compared
  });

  test("under the drawing of an ablation", () => {
    const sweep = { kind: "ablation", axes: [{ knob: "method", values: ["full", "part"], base: "full" }] } as const;
    const charts = chartsOf(handMade([arm("full", {}, 5), arm("part", {}, 3)], { sweep }));
    expect(charts.find(({ name }) => name.startsWith("ablation"))?.note).toContain(SAID);
  });

  test("by compare, and of the gains in the results", () => {
    const { rows, task } = along("rag.k", [1, 2]);
    const [a, b] = ["c0", "c1"].map((id) => rows.filter(({ cell }) => cell === id));
    const comparison = compareArms({ a: a!, b: b!, metrics: task("lamp2m").metrics, seed: 0 });
    const titled = { title: "", dataset: "", a: "", b: "", simulated: false, remarks: [], comparison };
    expect(renderComparisons([titled], { flipped: 0 })).toContain(SAID);
    const two = handMade([arm("prompt", {}, 3), arm("rag", {}, 5)]);
    const [table] = resultsTables({ ...two, gains: gainsOver("prompt", two) });
    expect(table?.legend?.join()).toContain(SAID);
  });

  test("of judged arms, where there are two", () => {
    const cells = ["a", "b"].map((id) => ({
      ...{ id, task: "t", dataset: "d", method: id, model: "m/x", options: {}, seed: 0, repeat: 0 },
    }));
    const judged = cells.flatMap(({ id }, c) =>
      Array.from(
        { length: 12 },
        (_, u): Judgement => ({
          cell: id,
          question: `${u}`,
          user: `u${u}`,
          judged: { kind: "judged", value: 5 + c * (u % 3), why: "" },
          tokens: { in: 1, out: 1 },
          calls: 1,
        }),
      ),
    );
    const facts = {
      judge: "j",
      model: "m/j",
      range: [1, 10],
      options: {},
      simulated: false,
      ownReplies: false,
    } as const;
    const shown = (of: readonly Judgement[]) =>
      renderText(judgementTable({ facts, judgements: of }, cells, { calls: 1, tokens: 1, usd: 0 }));
    expect(shown(judged)).toContain(SAID);
    expect(shown(judged.filter(({ cell }) => cell === "a"))).not.toContain(SAID);
  });
});
