import { join } from "node:path";
import type { TraceSource } from "../../report/page/transcripts.js";
import type { StoredCall } from "../../report/transcripts/passages.js";
import { framedRecords, recordAt } from "../../run/journal.js";
import { SpanIndex } from "../../run/replies.js";
import { runFiles } from "../../run/rows.js";
import type { Trace } from "../../types/index.js";

/**
 * The traces of a run, and the calls they name: each is read from its file when it is asked for. Calls are ordered by their
 * text, because the order of answers differs between equal runs.
 */
export function runTraces(folder: string): TraceSource {
  let idLength = 0;
  const traces = new RecordIndex<Trace>(
    join(folder, runFiles.traces),
    ({ cell, unit, question, requests }) => {
      for (const id of requests) idLength = Math.max(idLength, id.length);
      return question === undefined ? unitKey(cell, unit) : questionKey(cell, question);
    },
    "last",
  );
  const calls = new RecordIndex<StoredCall & { readonly key: string }>(
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

/** The records of a journal file by a key: memory holds where they stand, each is read again when it is asked for. */
class RecordIndex<T> {
  readonly #path: string;
  readonly #spans = new SpanIndex();

  /** Goes through the file once. Of several records with one key it takes the last or the first. */
  constructor(path: string, keyOf: (record: T) => string, takes: "last" | "first") {
    this.#path = path;
    for (const { record, offset, length } of framedRecords<T>(path)) {
      this.#spans.set(keyOf(record), { offset, length }, takes);
    }
  }

  /** The record of a key; undefined where there is none. */
  get(key: string): T | undefined {
    const span = this.#spans.get(key);
    return span === undefined ? undefined : recordAt<T>(this.#path, span);
  }
}
