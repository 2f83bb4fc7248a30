import { join } from "node:path";
import type { TraceSource } from "../../report/page/transcripts.js";
import type { StoredCall } from "../../report/transcripts/passages.js";
import { KeyedRecords } from "../../run/replies.js";
import { runFiles } from "../../run/rows.js";
import type { Trace } from "../../types/index.js";

/**
 * The traces of a run, and the calls they name: each is read from its file when it is asked for. Calls are ordered by their
 * text, because the order of answers differs between equal runs.
 */
export function runTraces(folder: string): TraceSource {
  let idLength = 0;
  const traces = new KeyedRecords<Trace>(
    join(folder, runFiles.traces),
    ({ cell, unit, question, requests }) => {
      for (const id of requests) idLength = Math.max(idLength, id.length);
      return question === undefined ? unitKey(cell, unit) : questionKey(cell, question);
    },
    "last",
  );
  const calls = new KeyedRecords<StoredCall & { readonly key: string }>(
    join(folder, runFiles.responses),
    ({ key }) => key.slice(0, idLength),
    "first",
  );
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
