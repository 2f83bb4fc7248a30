import { join } from "node:path";
import { readLog } from "../log/log.js";
import type { ModelReply, ModelRequest, Timing } from "../types/index.js";
import { CALL_ID_LENGTH, runFiles, tracesOf } from "./rows.js";

/** A request and its reply. */
export interface StoredCall {
  readonly request: ModelRequest;
  readonly reply: ModelReply;
}

/** The calls of a run, by the id that traces name them with; read from its log when they are asked for. */
export interface RunCalls {
  /** Undefined where there is no such reply, or its request was left out of a pack. */
  get(id: string): StoredCall | undefined;
  /** Milliseconds that this run waited for it; undefined where it was copied, or came by a batch. */
  ms(id: string): number | undefined;
  /** In the order of answers. */
  ids(): Iterable<string>;
  close(): void;
}

/** Opens the calls of a run folder. Throws FileError. */
export function callsOf(folder: string): RunCalls {
  const log = readLog(join(folder, runFiles.log));
  const keys = new Map([...log.state.answers.keys()].map((key) => [key.slice(0, CALL_ID_LENGTH), key]));
  const entry = (id: string) => log.get(keys.get(id) ?? "");
  return {
    get(id) {
      const { request, value } = entry(id) ?? {};
      return request === undefined ? undefined : { request, reply: value as unknown as ModelReply }; // a reply, since it has a request
    },
    ms: (id) => log.state.answers.get(keys.get(id) ?? "")?.ms,
    ids: () => keys.keys(),
    close: () => log.close(),
  };
}

/** Yields how long the calls of each question and preparation took; those that this run did not make itself are left out. */
export function* timingsOf(folder: string): Generator<Timing> {
  const calls = callsOf(folder);
  try {
    for (const { arm, unit, question, requests } of tracesOf(folder)) {
      const took = [...new Set(requests)].map((id) => calls.ms(id));
      if (took.length === 0 || took.includes(undefined)) continue;
      yield { arm, unit, question, ms: took.reduce<number>((sum, ms) => sum + (ms ?? 0), 0) };
    }
  } finally {
    calls.close();
  }
}
