import type { TraceSource } from "../../report/page/transcripts.js";
import { callsOf } from "../../run/calls.js";
import { tracesOf } from "../../run/rows.js";
import type { Trace } from "../../types/index.js";

/**
 * The traces of a run, and the calls they name: each is read from the log when it is asked for. Calls are ordered by their
 * text, because the order of answers differs between equal runs.
 */
export function runTraces(folder: string): TraceSource {
  const traces = new Map<string, Trace>();
  for (const trace of tracesOf(folder)) {
    const { cell, unit, question } = trace;
    traces.set(question === undefined ? unitKey(cell, unit) : questionKey(cell, question), trace);
  }
  const calls = callsOf(folder);
  return {
    ofQuestion: (cell, question) => traces.get(questionKey(cell, question)),
    ofUnit: (cell, unit) => traces.get(unitKey(cell, unit)),
    callsOf({ requests }) {
      const found = [...new Set(requests)].flatMap((id) => {
        const call = calls.get(id);
        return call === undefined ? [] : [{ id, call }];
      });
      const system = ({ call }: (typeof found)[number]): string => call.request.system ?? "";
      return found
        .sort((a, b) => compareText(system(a), system(b)) || compareText(a.id, b.id))
        .map(({ call: { request, reply } }) => ({ request, reply }));
    },
  };
}

const questionKey = (cell: string, question: string): string => `question\t${cell}\t${question}`;
const unitKey = (cell: string, unit: string): string => `unit\t${cell}\t${unit}`;

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
