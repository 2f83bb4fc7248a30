import { type Summary, type SummaryInput, summarize } from "../../src/results/summary.js";
import { tasks } from "../../src/tasks/index.js";
import type { ArmSpec, Outcome, Row, UnitRecord } from "../../src/types/index.js";
import { noPrices } from "./priced.js";

/** LaMP-3 by rag. */
export const armSpec = (over: Partial<ArmSpec> = {}): ArmSpec => ({
  id: "c0",
  task: "lamp3",
  dataset: "hand-made",
  method: "rag",
  model: "m/one",
  options: { "rag.k": 4 },
  seed: 0,
  repeat: 0,
  ...over,
});

export const answered = (reply: string, lenient = reply): Outcome => ({ kind: "answered", reply, lenient });
export const unparsed = (reply: string, lenient?: string): Outcome => ({
  kind: "unparsed",
  reply,
  ...(lenient === undefined ? {} : { lenient }),
});
export const failed: Outcome = { kind: "failed", error: "no reply" };

/** A row of a user whose one call took 110 tokens. */
export function row(user: string, gold: string | undefined, outcome: Outcome, over: Partial<Row> = {}): Row {
  const question = `${user}-${gold}-${JSON.stringify(outcome)}`;
  return {
    arm: "c0",
    user,
    unit: user,
    question,
    ...(gold === undefined ? {} : { gold }),
    outcome,
    spend: { answer: { calls: 1, in: 100, out: 10 } },
    incidents: {},
    ...over,
  };
}

/** What preparing a user took: two calls of 600 tokens together. */
export const unit = (user: string, over: Partial<UnitRecord> = {}): UnitRecord => ({
  arm: "c0",
  user,
  unit: user,
  historySize: 3,
  spend: { summary: { calls: 2, in: 500, out: 100 } },
  incidents: { "summary-empty": 1 },
  ...over,
});

/** The summary of the one arm of this material. */
export function only(material: Partial<SummaryInput>): Summary {
  const summaries = summarize({
    specs: [armSpec()],
    task: (name) => tasks.get(name),
    rows: [],
    units: [],
    timings: [],
    prices: noPrices,
    ...material,
  });
  const [summary, ...more] = summaries;
  if (summary === undefined || more.length > 0) throw new Error(`${summaries.length} arms, not one`);
  return summary;
}
