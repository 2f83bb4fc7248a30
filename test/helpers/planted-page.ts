import { seeded } from "../../src/random/seeded.js";
import type { AnswerInput } from "../../src/report/page/answers.js";
import type { PageInput } from "../../src/report/page/page.js";
import { gainsOver } from "../../src/results/compare.js";
import { summarize } from "../../src/results/summary.js";
import { tasks } from "../../src/tasks/index.js";
import type { ArmSpec, Outcome, Row, Trace, UnitRecord } from "../../src/types/index.js";
import { noPrices } from "./priced.js";

export interface Planted {
  /** Questions of each of the two tasks; every user has five. */
  readonly questions: number;
  readonly methods: readonly string[];
  /** The reply of the first method to the first question. */
  readonly firstReply?: string;
  /** Words of the system prompt of every transcript. */
  readonly promptWords?: number;
}

type PlantedMaterial = PageInput & { readonly records: Pick<AnswerInput, "units" | "traces"> };

/** A finished run of LaMP-2M and LaMP-4 as the page's material, the same at every call: no run, no file, no model. */
export function plantedPage({ questions, methods, firstReply, promptWords = 300 }: Planted): PlantedMaterial {
  const random = seeded("planted page");
  const names = ["lamp2m", "lamp4"];
  const arms = names.flatMap((task) => methods.map((method) => specOf(task, method)));
  const rows = arms.flatMap((arm) =>
    Array.from({ length: questions }, (_, q): Row => {
      const { labels } = tasks.get(arm.task);
      const gold = labels[q % labels.length] ?? `Storm closes harbor road number ${q}`;
      const user = `u${Math.floor(q / 5)}`;
      const base = { arm: arm.id, user, unit: user, question: `q${q}`, gold };
      const spend = { answer: { calls: 1, in: 500, out: 5 } };
      const outcome = outcomeOf(random.next(), gold, labels[(q + 3) % labels.length] ?? `Harbor road number ${q}`);
      return { ...base, outcome, spend, incidents: {}, simulated: true };
    }),
  );
  const first = rows[0];
  if (first !== undefined && firstReply !== undefined)
    rows[0] = { ...first, outcome: { kind: "unparsed", reply: firstReply } };
  const units = unitsOf(rows);
  const ofQuestion = new Map(rows.map((row) => [`${row.arm}/${row.question}`, row]));
  const ofUnit = new Map(units.map((unit) => [`${unit.arm}/${unit.unit}`, unit]));
  const task = (name: string) => tasks.get(name);
  const summaries = summarize({ specs: arms, task, rows, units, timings: [], prices: noPrices });
  return {
    header: {
      name: "planted-run",
      madeBy: "lamp-eval",
      simulated: true,
      complete: true,
      facts: [["data", "planted"]],
      reproduce: ["lamp-eval run"],
    },
    ...{ summaries, specs: arms, task, rows },
    facts: names.map((name) => ({ task: name, title: tasks.get(name).title, dataset: "planted", remarks: [] })),
    gains: gainsOver("prompt", { summaries, specs: arms, task, rows }),
    records: {
      units,
      traces: {
        ofQuestion(arm, question) {
          const row = ofQuestion.get(`${arm}/${question}`);
          return row && traceOf(row, promptWords);
        },
        ofUnit(arm, name) {
          const unit = ofUnit.get(`${arm}/${name}`);
          return unit && preparationOf(unit);
        },
        callsOf: () => [],
      },
    },
  };
}

const specOf = (task: string, method: string): ArmSpec => ({
  id: `${task}-${method}`,
  task,
  dataset: "planted",
  method,
  model: "offline/planted",
  options: {},
  seed: 0,
  repeat: 0,
});

/** Six right of ten, three wrong, the rest unparsed or failed. */
function outcomeOf(draw: number, gold: string, wrong: string): Outcome {
  if (draw < 0.6) return { kind: "answered", reply: gold, lenient: gold };
  if (draw < 0.9) return { kind: "answered", reply: wrong, lenient: wrong };
  return draw < 0.97 ? { kind: "unparsed", reply: "I cannot say." } : { kind: "failed", error: "HTTP 529 overloaded" };
}

const unitsOf = (rows: readonly Row[]): UnitRecord[] =>
  [...new Map(rows.map(({ arm, user }) => [`${arm}\t${user}`, { arm, user }])).values()].map(({ arm, user }) => ({
    arm,
    user,
    unit: user,
    historySize: 10,
    spend: {},
    incidents: {},
  }));

const traceOf = ({ arm, unit, question }: Row, words: number): Trace => ({
  arm,
  unit,
  question,
  requests: [],
  notes: [
    { kind: "memory", data: { query: `harbor ${question}`, events: [`${unit}-1`, `${unit}-2`] } },
    {
      kind: "agent",
      data: {
        phase: "answer",
        system: Array.from(
          { length: words },
          (_, w) => `word${(w * 7919 + Number(question.slice(1)) * 31) % 9973}`,
        ).join(" "),
        question: `What of ${question}?`,
        tools: ["wikipedia"],
        toolCounts: { wikipedia: 1 },
        truncatedReplies: 0,
        parseErrors: 0,
        protocol: "native",
        forced: "no",
        answer: "harbor",
        steps: [
          {
            text: `thinking of ${unit}`,
            calls: [
              {
                tool: "wikipedia",
                input: { query: "harbor" },
                observation: `Page: harbor of ${question}`,
                outcome: "ok",
              },
            ],
            feedback: null,
            cut: false,
          },
        ],
      },
    },
  ],
});

const preparationOf = ({ arm, unit }: UnitRecord): Trace => ({
  arm,
  unit,
  requests: [],
  notes: [
    { kind: "persona", data: { version: 0, outcome: "initial", gradients: [], persona: "Be brief.\nBe kind." } },
    {
      kind: "persona",
      data: {
        version: 1,
        outcome: "updated",
        gradients: [{ event: `${unit}-1`, text: "Say more of the sea." }],
        persona: "Be brief.\nKnow the sea.",
      },
    },
  ],
});
